// The page that browser-report builds, with a report's data in it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/cat.h"
#include "cli/bench_reports/formats.h"
#include "cli/bench_reports/reports.h"

namespace hone::bench_reports {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPage = "report.html";
constexpr const char* kDataPlace = "<!-- data -->";        // before the page's script, which shows them at once
constexpr const char* kSamplesPlace = "<!-- samples -->";  // behind it: they are long, and only asked for later

Result<std::string> page_text() {
  const std::string folder = find_report_page();
  if (folder.empty())
    return Error{ErrorCode::kNotFound,
                 "the page of reports is not there; scripts/build makes it, or HONE_REPORT_DIR says where it lies"};
  std::ifstream file(fs::path(folder) / kPage, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (file && text) return text.str();
  return Error{ErrorCode::kIoError, cat(folder, "/", kPage, " cannot be read; scripts/build makes it again")};
}

Status put(std::string& page, const char* place, const std::string& element) {
  const size_t at = page.find(place);
  if (at == std::string::npos)
    return Error{ErrorCode::kIoError, cat(kPage, " is not whole: it has no ", place, "; scripts/build makes it again")};
  page.replace(at, std::string_view(place).size(), element);
  return ok_status();
}

}  // namespace

std::string find_report_page() {
  if (const char* dir = std::getenv("HONE_REPORT_DIR"); dir && *dir) return dir;
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"report", "../share/hone/report", "../../browser-report/dist"}) {
    const fs::path dir = (here / place).lexically_normal();
    if (fs::exists(dir / kPage, error)) return dir.string();
  }
  return "";
}

Result<std::string> html_report(std::span<const protocol::BenchReport> reports) {
  HONE_ASSIGN(page, page_text());
  const PageData data = page_data(reports);
  // The later place first: what is put at the earlier one may contain anything.
  HONE_TRY(put(page, kSamplesPlace, cat("<script type=\"text/plain\" id=\"samples\">\n", data.samples, "</script>")));
  HONE_TRY(put(page, kDataPlace, cat("<script type=\"application/json\" id=\"report\">", data.json, "</script>")));
  return page;
}

}  // namespace hone::bench_reports
