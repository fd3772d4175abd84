#include "cli/report_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/cat.h"
#include "base/printable_text.h"

namespace hone::cli {

Result<ReportFile> parse_report_file(const std::string& text) {
  const size_t equals = text.find('=');
  const auto format = bench_reports::format_named(std::string_view(text).substr(0, equals));
  if (format && equals != std::string::npos && equals + 1 < text.size()) return ReportFile{*format, text.substr(equals + 1)};
  std::string names;
  for (const std::string& name : bench_reports::format_names()) names += cat(names.empty() ? "" : ", ", name);
  return Error{ErrorCode::kInvalidArgument, cat("found --report ", shortened(text), ", expected FORMAT=FILE with a format of ", names)};
}

Status write_report_text(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return ok_status();
  return Error{errno == ENOSPC ? ErrorCode::kDiskFull : ErrorCode::kIoError, cat(path, " cannot be written: ", std::strerror(errno), "; give another file")};
}

Status write_report(const ReportFile& file, const protocol::BenchReport& report) {
  HONE_ASSIGN(text, bench_reports::report_text(report, file.format));
  return write_report_text(file.path, text);
}

}  // namespace hone::cli
