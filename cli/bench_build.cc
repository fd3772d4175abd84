#include "cli/bench_build.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/cat.h"
#include "browser-agent/launch/run_program.h"
#include "cli/package_folder.h"
#include "cli/package_maker.h"
#include "cli/temp_folder.h"
#include "codegen/package/archive.h"

namespace hone::cli {

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Where CI services say what they build.
std::optional<std::string> commit() {
  for (const char* name : {"GITHUB_SHA", "CI_COMMIT_SHA"})
    if (std::string value = environment(name); !value.empty()) return value.substr(0, 128);
  return std::nullopt;
}

Status check_target(const BenchCase& one) {
  if (one.target == "webgpu" || one.target == "webgl" || one.target == "wasm") return ok_status();
  return Error{ErrorCode::kUnsupported, cat("builds are compared as packages, which hold kernels for webgpu, webgl and wasm, not for ", one.target)};
}

std::string package_name(const std::string& name) {
  std::string out;
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '-';
  return out;
}

Result<std::string> archive_of_source(const BenchCase& one, const SourceOptions& from, const CommonOptions& common, RecordSource* records) {
  HONE_TRY(check_target(one));
  HONE_ASSIGN(dims, parse_dims(one.dims));
  const PackageSource source{.common = common, .source = from, .name = package_name(one.name), .targets = {one.target}, .weights = one.weights, .tolerance = one.tolerance};
  HONE_ASSIGN(made, make_package(source, records, {dims}, 0));
  return package::archive_of(made.package.files);
}

Result<std::string> archive_of_kernel(const OwnKernel& kernel, const BenchCase& one) {
  if (one.target != "webgpu") return Error{ErrorCode::kUnsupported, cat("kernels of one's own are WGSL, which runs on webgpu, not on ", one.target)};
  auto made = own_kernel_package(kernel, package_name(one.name));
  if (!made.ok()) return Error{made.error().code, cat(kernel.file, ": ", made.error().message)};
  return package::archive_of(made->files);
}

class OwnBuild final : public BenchBuild {
 public:
  explicit OwnBuild(const CommonOptions& common) : BenchBuild({.name = "this build", .made_by = HONE_VERSION, .commit = commit()}), common_(common) {}

  Result<std::string> archive_of(const BenchCase& one) override {
    if (!one.package.empty()) return read_package_folder(one.package);
    if (!one.kernel.file.empty()) return archive_of_kernel(one.kernel, one);
    HONE_TRY(read_records());
    return archive_of_source(one, one.source, common_, records_.get());
  }

 private:
  Status read_records() {
    if (has_read_) return ok_status();
    HONE_ASSIGN(records, package_records({.common = common_}));
    records_ = std::move(records);
    has_read_ = true;
    return ok_status();
  }

  const CommonOptions common_;
  std::unique_ptr<RecordSource> records_;
  bool has_read_ = false;
};

// A package, or a model, that stands for every case.
class OneFile final : public BenchBuild {
 public:
  OneFile(const std::string& path, const CommonOptions& common) : BenchBuild({.name = path, .made_by = HONE_VERSION}), path_(path), common_(common) {}

  Result<std::string> archive_of(const BenchCase& one) override {
    if (fs::is_directory(path_)) return read_package_folder(path_);
    if (path_.ends_with(".wgsl")) return archive_of_kernel({path_, one.kernel.bindings, one.kernel.grid}, one);
    HONE_ASSIGN(records, package_records({.common = common_}));
    return archive_of_source(one, {.model = path_}, common_, records.get());
  }

 private:
  const std::string path_;
  const CommonOptions common_;
};

class Folder final : public BenchBuild {
 public:
  explicit Folder(const std::string& path) : BenchBuild({.name = path}), path_(path) {}

  Result<std::string> archive_of(const BenchCase& one) override {
    const fs::path package = fs::path(path_) / one.name;
    if (!fs::exists(package / "manifest.json"))
      return Error{ErrorCode::kNotFound, cat(path_, " holds no package of the case ", one.name, "; hone bench --keep ", path_, " leaves one there")};
    return read_package_folder(package.string());
  }

 private:
  const std::string path_;
};

class OtherHone final : public BenchBuild {
 public:
  OtherHone(std::string program, std::string version, const CommonOptions& common)
      : BenchBuild({.name = program, .made_by = std::move(version)}), program_(std::move(program)), common_(common) {}

  Result<std::string> archive_of(const BenchCase& one) override {
    if (!one.package.empty()) return read_package_folder(one.package);
    HONE_TRY(check_target(one));
    if (one.source.model.empty()) return Error{ErrorCode::kUnsupported, "another build of hone exports models, no operators and no kernels; give the operator as a model, or another kernel"};
    HONE_ASSIGN(folder, TempFolder::make());
    const std::string out = folder.path() + "/package";
    std::vector<std::string> arguments{"export", one.source.model, "--out", out, "--targets", one.target, "--weights", one.weights, "--quiet"};
    for (const std::string& dim : one.dims) arguments.insert(arguments.end(), {"--dim", dim});
    if (one.tolerance > 0) arguments.insert(arguments.end(), {"--tolerance", cat(one.tolerance)});
    if (common_.db_given || fs::exists(common_.db)) arguments.insert(arguments.end(), {"--db", common_.db});
    if (!common_.tracker.empty()) arguments.insert(arguments.end(), {"--tracker", common_.tracker});
    if (!common_.token_file.empty()) arguments.insert(arguments.end(), {"--token-file", common_.token_file});
    std::vector<std::string> secrets;
    if (!common_.environment_token.empty()) secrets.push_back(cat(kTokenVariable, "=", common_.environment_token));
    HONE_TRY(launch::run_program(program_, arguments, secrets));
    return read_package_folder(out);
  }

 private:
  const std::string program_;
  const CommonOptions common_;
};

class KeepingBuild final : public BenchBuild {
 public:
  KeepingBuild(std::unique_ptr<BenchBuild> build, std::string folder) : BenchBuild(build->about()), build_(std::move(build)), folder_(std::move(folder)) {}

  Result<std::string> archive_of(const BenchCase& one) override {
    HONE_ASSIGN(archive, build_->archive_of(one));
    HONE_ASSIGN(files, package::files_of(archive));
    const std::string place = (fs::path(folder_) / one.name).string();
    if (!check_package_folder(place).ok()) return Error{ErrorCode::kInvalidArgument, cat(place, " is there already; give another folder with --keep, or remove it: rm -r ", place)};
    HONE_TRY(write_package_folder(place, files, Runtime::kInside));
    return std::move(archive);
  }

 private:
  const std::unique_ptr<BenchBuild> build_;
  const std::string folder_;
};

}  // namespace

std::unique_ptr<BenchBuild> own_build(const CommonOptions& common) { return std::make_unique<OwnBuild>(common); }

std::unique_ptr<BenchBuild> keeping_build(std::unique_ptr<BenchBuild> build, std::string folder) {
  return std::make_unique<KeepingBuild>(std::move(build), std::move(folder));
}

Result<std::unique_ptr<BenchBuild>> named_build(const std::string& reference, const CommonOptions& common) {
  std::error_code error;
  const fs::file_status status = fs::status(reference, error);
  if (!fs::exists(status)) return Error{ErrorCode::kNotFound, cat("--baseline ", reference, " is not there; give a package, a folder of packages, another build of hone, or a model")};
  if (fs::is_directory(status) && !fs::exists(fs::path(reference) / "manifest.json", error)) return std::unique_ptr<BenchBuild>(std::make_unique<Folder>(reference));
  if (fs::is_directory(status) || reference.ends_with(".onnx") || reference.ends_with(".wgsl")) return std::unique_ptr<BenchBuild>(std::make_unique<OneFile>(reference, common));
  if (!fs::is_regular_file(status) || ::access(reference.c_str(), X_OK) != 0)
    return Error{ErrorCode::kInvalidArgument, cat("--baseline ", reference, " is no package, no folder of packages, no program and no .onnx or .wgsl file")};
  HONE_ASSIGN(version, launch::run_program(reference, {"--version"}));
  const std::string_view line = std::string_view(version).substr(0, version.find('\n'));
  return std::unique_ptr<BenchBuild>(std::make_unique<OtherHone>(reference, std::string(line.substr(line.starts_with("hone ") ? 5 : 0)), common));
}

}  // namespace hone::cli
