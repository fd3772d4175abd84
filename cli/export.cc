// hone export: a model with its best kernels as a folder that any static server serves, or a C compiler takes, and that needs nothing else.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/number_text.h"
#include "base/shell_quoted.h"
#include "cli/console.h"
#include "cli/dims.h"
#include "cli/options.h"
#include "cli/package_folder.h"
#include "cli/package_integrity.h"
#include "cli/package_maker.h"
#include "cli/single_file.h"
#include "codegen/package/c_text.h"

namespace hone::cli {
namespace {

struct ExportOptions {
  CommonOptions common;
  std::string model, out;
  std::vector<std::string> targets{"webgpu", "webgl", "wasm"};
  std::vector<std::string> devices;
  std::string weights = "f32";
  bool single_file = false;
  double tolerance = 0;
};

// npm's names are in lower case.
std::string package_name(const std::string& out) {
  const std::filesystem::path path = std::filesystem::path(out).lexically_normal();
  std::string name;
  for (char c : (path.has_filename() ? path : path.parent_path()).filename().string())
    name += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                                                        : '-';
  return name.empty() ? "model" : name;
}

PackageSource source_of(const ExportOptions& options) {
  return {.common = options.common,
          .source = {.model = options.model},
          .name = package_name(options.out),
          .targets = options.targets,
          .devices = options.devices,
          .weights = options.weights,
          .tolerance = options.tolerance};
}

struct Exported : MadePackage {
  std::map<std::string, std::string> integrity;  // of files, where a page may name it
  uint64_t bytes = 0;                            // of the folder
};

// What plan number `i` needs of a device: memory, features and limits.
protocol::PlanHead head_of(const Exported& done, size_t i) {
  const std::vector<protocol::PlanHead>& heads = done.package.manifest.plans;
  if (i < heads.size()) return heads[i];
  protocol::PlanHead head;
  head.memory_bytes = static_cast<uint64_t>(done.package.native_memory_bytes[i - heads.size()]);
  return head;
}

nlohmann::json to_json(const PlannedFor& about, const protocol::PlanHead& head) {
  return {{"target", about.target},
          {"made_for", about.made_for},
          {"schedules", {{"tuned", about.tuned}, {"seed", about.seed}, {"naive", about.naive}}},
          {"launches", about.launches},
          {"recorded_ms", about.recorded_ms > 0 ? nlohmann::json(about.recorded_ms) : nullptr},
          {"memory_bytes", head.memory_bytes},
          {"features", head.features},
          {"limits", head.limits}};
}

nlohmann::json to_json(const ExportOptions& options, const Exported& done) {
  nlohmann::json plans = nlohmann::json::array();
  for (size_t i = 0; i < done.plans.about.size(); i++) plans.push_back(to_json(done.plans.about[i], head_of(done, i)));
  uint64_t weights_bytes = 0;
  for (const protocol::Asset& chunk : done.package.manifest.chunks) weights_bytes += chunk.bytes;
  return {{"out", options.out},          {"model", done.package.manifest.model},
          {"bytes", done.bytes},         {"weights_bytes", weights_bytes},
          {"integrity", done.integrity}, {"plans", std::move(plans)}};
}

std::string how_to_open(const ExportOptions& options) {
  if (options.single_file) return cat(shell_quoted(cat(options.out, "/index.html")), ", in any browser");
  return cat("python3 -m http.server --directory ", shell_quoted(options.out), " 8000, then http://localhost:8000");
}

std::string table_of(const std::vector<PlannedFor>& plans) {
  Table table{.numeric = {false, false, true, true, true}};
  table.rows.push_back({"target", "made for", "kernels tuned", "launches", "run"});
  for (const PlannedFor& about : plans)
    table.rows.push_back({about.target, about.made_for,
                          cat(about.tuned, " of ", about.tuned + about.seed + about.naive), cat(about.launches),
                          about.recorded_ms > 0 ? time_text(about.recorded_ms) : "-"});
  const bool untimed =
      std::any_of(plans.begin(), plans.end(), [](const PlannedFor& about) { return about.recorded_ms <= 0; });
  return cat(table_text(table), untimed ? "run -: the records lack the time of some kernel there\n" : "");
}

// The commands that come next.
std::string uses_of(const ExportOptions& options, const Exported& done) {
  const std::string folder = shell_quoted(options.out);
  std::string out;
  if (!done.package.manifest.plans.empty()) out += cat("open it: ", how_to_open(options), "\n");
  if (const auto manifest = done.integrity.find("manifest.json"); manifest != done.integrity.end())
    out += cat("integrity of manifest.json: ", manifest->second, "; of all: ", kIntegrityFile, "\n");
  if (!done.plans.native.empty())
    out += cat("link it: cc -O2 -pthread -I", folder, "/native app.c ", folder, "/native/",
               package::native_name(package_name(options.out)), ".c ", folder, "/native/kernels-x86_64_*.o -lm\n");
  return out;
}

std::string report_text(const ExportOptions& options, const Exported& done) {
  return cat(table_of(done.plans.about), "\n", options.out, ": ", number_text(static_cast<double>(done.bytes) / 1e6),
             " MB in ",
             counted(static_cast<int64_t>(done.package.manifest.chunks.size()), "file of weights", "files of weights"),
             " and ", counted(static_cast<int64_t>(done.plans.about.size()), "plan"), "\n", uses_of(options, done));
}

Result<uint64_t> write_files(const ExportOptions& options, const std::map<std::string, std::string>& files) {
  if (!options.single_file) return write_package_folder(options.out, files, Runtime::kBeside);
  if (std::count(options.targets.begin(), options.targets.end(), "native"))
    return Error{ErrorCode::kInvalidArgument,
                 "--single-file is a web page, and --targets has native: leave one of them out"};
  HONE_ASSIGN(page, single_file(files));
  return write_package_folder(options.out, {{"index.html", std::move(page)}}, Runtime::kInside);
}

// What describes the package, and lies in it once, is of the first part.
void add_part(Exported& done, MadePackage part) {
  done.package.files.merge(part.package.files);
  std::move(part.plans.about.begin(), part.plans.about.end(), std::back_inserter(done.plans.about));
  auto& plans = done.package.manifest.plans;
  plans.insert(plans.end(), part.package.manifest.plans.begin(), part.package.manifest.plans.end());
}

Result<Exported> export_package(const ExportOptions& options) {
  HONE_TRY(check_package_folder(options.out));
  HONE_ASSIGN(sizes, parse_sizes(options.common.dims));
  if (sizes.size() > 1 && std::count(options.targets.begin(), options.targets.end(), "native"))
    return Error{ErrorCode::kInvalidArgument,
                 "native code has one set of sizes: give one number with each --dim, or leave native out of --targets"};
  const PackageSource source = source_of(options);
  HONE_ASSIGN(records, package_records(source));
  HONE_ASSIGN(first, make_package(source, records.get(), sizes, 0));
  Exported done{std::move(first)};
  for (size_t part = 1; part < sizes.size(); part++) {
    HONE_ASSIGN(more, make_package(source, records.get(), sizes, part));
    add_part(done, std::move(more));
  }
  if (!options.single_file && !done.package.manifest.plans.empty()) {
    HONE_ASSIGN(integrity, package_integrity(done.package.files));
    done.package.files[kIntegrityFile] = nlohmann::json(integrity).dump(2) + "\n";
    done.integrity = std::move(integrity);
  }
  HONE_ASSIGN(bytes, write_files(options, done.package.files));
  done.bytes = bytes;
  if (records) tell_of_damage(*records);
  return done;
}

ExitCode run_export(const ExportOptions& options) {
  auto done = export_package(options);
  if (!done.ok()) return fail(done.error());
  if (options.common.json) print_json(to_json(options, *done));
  else print_text(report_text(options, *done));
  return ExitCode::kDone;
}

}  // namespace

void add_export(Verb program) {
  auto options = std::make_shared<ExportOptions>();
  Verb verb = program.sub("export", "Writes a model with its best kernels as a package for web pages, or as C");
  verb.footer(
      "Examples:\n"
      "  hone export model.onnx --out model                     all targets, all devices that the records know\n"
      "  hone export model.onnx --out model --targets wasm      kernels for processors alone\n"
      "  hone export model.onnx --out model --weights f16       half the download\n"
      "  hone export model.onnx --out model --dim batch=1,8     for several sizes, over the same weights\n"
      "  hone export model.onnx --out model --single-file       one page, which opens from the disk\n"
      "  hone export model.onnx --out model --targets native    C11 with kernels for x86-64 and AArch64\n"
      "The folder opens from any static server: python3 -m http.server --directory model 8000. No device is needed.");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService, Uses::kSeed, Uses::kModels});
  verb.option("model", options->model, "ONNX model file").required();
  verb.option("--out", options->out, "The package's folder; it is made").required();
  verb.option("--targets", options->targets,
              "Kinds of kernels, joined by commas; native: C11 and objects for Linux programs")
      .default_shown()
      .separated_by(',')
      .check(one_of({"webgpu", "webgl", "wasm", "native"}));
  verb.option(
          "--device", options->devices,
          "Only plans for this device of the records, by the beginning of its id, and portable ones; may be repeated")
      .one_word_each();
  verb.option("--weights", options->weights, "How weights are stored").default_shown().check(one_of({"f32", "f16"}));
  verb.flag("--single-file", options->single_file,
            "All in one page, index.html, that opens without a server; up to 20 MiB");
  add_tolerance_option(verb, options->tolerance);
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
    return run_export(*options);
  });
}

}  // namespace hone::cli
