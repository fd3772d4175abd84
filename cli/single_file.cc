#include "cli/single_file.h"

#include <algorithm>

#include "base/base64.h"
#include "base/cat.h"
#include "base/number_text.h"
#include "cli/package_folder.h"
#include "cli/source.h"

namespace hone::cli {

namespace {

struct RuntimeFile {
  const char* name;
  const char* path;  // in the runtime's folder
};
constexpr RuntimeFile kRuntimeFiles[] = {{"worker.js", "single_file/worker.js"}, {"runtime.wasm", "runtime.wasm"}};
constexpr const char* kModuleFiles[] = {"index.d.ts", "package.json"};
constexpr const char* kEnd = "</body>";

bool is_for_modules(const std::string& name) {
  return std::find(std::begin(kModuleFiles), std::end(kModuleFiles), name) != std::end(kModuleFiles);
}

Status check_size(const std::map<std::string, std::string>& files) {
  uint64_t bytes = 0;
  for (const auto& [name, content] : files) bytes += content.size();
  if (bytes <= kSingleFileBytesMax) return ok_status();
  const auto megabytes = [](uint64_t count) { return number_text(static_cast<double>(count) / 1e6); };
  return Error{ErrorCode::kLimitExceeded,
               cat("the package has ", megabytes(bytes), " MB, more than the ", megabytes(kSingleFileBytesMax),
                   " MB of one page: leave --single-file out, or give fewer --targets or --weights f16")};
}

void embed(std::string& page, const std::string& name, const std::string& content) {
  page += cat("<script type=\"application/octet-stream\" data-file=\"", name, "\">", base64(content), "</script>\n");
}

}  // namespace

Result<std::string> single_file(const std::map<std::string, std::string>& files) {
  HONE_TRY(check_size(files));
  HONE_ASSIGN(runtime, runtime_folder());
  HONE_ASSIGN(page, read_file(cat(runtime, "/single_file/index.html")));
  const size_t end = page.rfind(kEnd);
  if (end == std::string::npos)
    return Error{ErrorCode::kIoError,
                 cat(runtime, "/single_file/index.html is not whole; scripts/build makes it again")};
  std::string out = page.substr(0, end);
  for (const auto& [name, content] : files)
    if (!is_for_modules(name)) embed(out, name, content);
  for (const RuntimeFile& file : kRuntimeFiles) {
    HONE_ASSIGN(content, read_file(cat(runtime, "/", file.path)));
    embed(out, file.name, content);
  }
  return out + page.substr(end);
}

}  // namespace hone::cli
