#include "cli/package_folder.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "base/json_text.h"
#include "cli/source.h"
#include "codegen/package/archive.h"
#include "schema/generated/manifest.h"

namespace hone::cli {

namespace fs = std::filesystem;

namespace {

Error cannot(const fs::path& path, const std::string& what, const std::error_code& error) {
  const bool full = error == std::errc::no_space_on_device;
  return {full ? ErrorCode::kDiskFull : ErrorCode::kIoError,
          cat(path.string(), " cannot be ", what, ": ", error.message(), "; give another folder with --out")};
}

// Removes what it holds unless it was kept.
class Unfinished {
 public:
  explicit Unfinished(fs::path path) : path_(std::move(path)) {}
  Unfinished(const Unfinished&) = delete;
  ~Unfinished() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  void keep() { kept_ = true; }
  const fs::path& path() const { return path_; }

 private:
  const fs::path path_;
  bool kept_ = false;
};

Status write_file(const fs::path& path, const std::string& bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return cannot(path.parent_path(), "made", error);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return ok_status();
  return cannot(path, "written", {errno, std::generic_category()});
}

Status copy_runtime(const fs::path& folder) {
  HONE_ASSIGN(runtime, runtime_folder());
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(runtime, error)) {
    const fs::path file = folder / entry.path().filename();
    if (entry.is_directory(error) || entry.path().extension() == ".map" || fs::exists(file, error)) continue;
    fs::copy_file(entry.path(), file, error);
    if (error) return cannot(file, "written", error);
  }
  return error ? Status(cannot(runtime, "read", error)) : ok_status();
}

Result<uint64_t> bytes_in(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file(error)) bytes += entry.file_size(error);
  if (error) return cannot(folder, "read", error);
  return bytes;
}

}  // namespace

std::string find_runtime_files() {
  if (const char* dir = std::getenv("HONE_RUNTIME_DIR"); dir && *dir) return dir;
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"runtime", "../share/hone/runtime", "../../browser-runtime/dist"}) {
    const fs::path dir = (here / place).lexically_normal();
    if (fs::exists(dir / "index.js", error)) return dir.string();
  }
  return "";
}

Result<std::string> runtime_folder() {
  std::string runtime = find_runtime_files();
  if (!runtime.empty()) return runtime;
  return Error{ErrorCode::kNotFound,
               "the runtime of packages is not there; scripts/build makes it, or HONE_RUNTIME_DIR says where it lies"};
}

Status check_package_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return ok_status();
  if (!fs::is_directory(folder, error))
    return Error{ErrorCode::kInvalidArgument, cat(folder, " is a file; give a new folder with --out")};
  if (fs::is_empty(folder, error) && !error) return ok_status();
  return Error{ErrorCode::kInvalidArgument,
               cat(folder, " is not empty; give a new folder with --out, or remove it: rm -r ", folder)};
}

Result<std::string> read_package_folder(const std::string& folder) {
  package::Files files;
  const auto add = [&](const std::string& name) -> Status {
    HONE_ASSIGN(bytes, read_file(cat(folder, "/", name)));
    files[name] = std::move(bytes);
    return ok_status();
  };
  HONE_TRY(add("manifest.json"));
  const auto no_package = [&](const Error& error) {
    return Error{ErrorCode::kBadModel,
                 cat(folder, " is no package of this hone: ", error.message, "; hone export makes one")};
  };
  const auto parsed = parse_json(files["manifest.json"]);
  if (!parsed.ok()) return no_package(parsed.error());
  const auto manifest = protocol::from_json<protocol::Manifest>(*parsed);
  if (!manifest.ok()) return no_package(manifest.error());
  std::vector<protocol::Asset> assets = manifest->chunks;
  for (const protocol::PlanHead& head : manifest->plans) assets.insert(assets.end(), {head.plan, head.kernels});
  for (const protocol::Asset& asset : assets) {
    if (asset.file.find('/') != std::string::npos)
      return no_package(Error{ErrorCode::kBadModel, cat("it names the file ", asset.file)});
    HONE_TRY(add(asset.file));
  }
  return package::archive_of(files);
}

Result<uint64_t> write_package_folder(const std::string& folder, const std::map<std::string, std::string>& files,
                                      Runtime runtime) {
  HONE_TRY(check_package_folder(folder));
  const fs::path target = fs::path(folder).lexically_normal();
  const fs::path named = target.has_filename() ? target : target.parent_path();
  std::error_code error;
  if (named.has_parent_path()) fs::create_directories(named.parent_path(), error);
  if (error) return cannot(named.parent_path(), "made", error);
  Unfinished made(cat(named.string(), ".unfinished-", ::getpid()));
  fs::create_directory(made.path(), error);
  if (error) return cannot(made.path(), "made", error);
  for (const auto& [name, bytes] : files) HONE_TRY(write_file(made.path() / name, bytes));
  if (runtime == Runtime::kBeside && files.count("manifest.json")) HONE_TRY(copy_runtime(made.path()));
  HONE_ASSIGN(bytes, bytes_in(made.path()));
  fs::rename(made.path(), named, error);  // onto an empty folder, too
  if (error) return cannot(named, "made", error);
  made.keep();
  return bytes;
}

}  // namespace hone::cli
