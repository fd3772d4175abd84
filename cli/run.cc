// hone run: runs a model once on a device and writes its outputs.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"
#include "cli/model_job.h"
#include "cli/model_source.h"
#include "cli/npy.h"
#include "cli/placements_text.h"
#include "cli/report/device_text.h"
#include "cli/source.h"
#include "codegen/package/compare.h"
#include "codegen/te/task.h"

namespace hone::cli {
namespace {

constexpr double kStepTolerance = 0.01;  // docs/models.md, "Quantised models"

struct RunOptions {
  CommonOptions common;
  PlaceOptions place;
  ModelSource source;
  std::vector<std::string> inputs;  // NAME=FILE
  std::string out;
  bool check = false;
  bool nodes = false;
  double tolerance = 0;
};

Result<std::vector<NamedTensor>> read_inputs(const std::vector<std::string>& given) {
  std::vector<NamedTensor> out;
  for (const std::string& text : given) {
    // A name may hold an equals sign, a path rarely does.
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      return Error{ErrorCode::kInvalidArgument,
                   cat("--input ", text, " is not NAME=FILE.npy; write for example --input x=image.npy")};
    const std::string file = text.substr(equals + 1);
    HONE_ASSIGN(bytes, read_file(file));
    auto tensor = tensor_from_npy(bytes);
    if (!tensor.ok()) return Error{tensor.error().code, cat(file, ": ", tensor.error().message)};
    out.push_back({text.substr(0, equals), std::move(*tensor)});
  }
  return out;
}

// A value's name as a file's: what separates folders becomes an underscore.
std::string file_name(std::string name) {
  for (char& c : name)
    if (c == '/' || c == '\\' || c == ':') c = '_';
  return name + ".npy";
}

// Before a model runs for it.
Status make_output_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && std::filesystem::is_directory(folder) && access(folder.c_str(), W_OK) == 0) return ok_status();
  return Error{ErrorCode::kIoError, cat("the folder ", folder, " cannot be written",
                                        error ? cat(": ", error.message()) : "", "; give another with --out")};
}

Status write_outputs(const std::string& folder, const std::vector<NamedTensor>& outputs) {
  for (const NamedTensor& output : outputs) {
    const std::string path = cat(folder, "/", file_name(output.name));
    std::ofstream file(path, std::ios::binary);
    file << npy_from_tensor(output.tensor);
    file.close();
    if (!file)
      return Error{ErrorCode::kIoError,
                   cat(path, " cannot be written; is the disk full, or is the folder write-protected?")};
  }
  return ok_status();
}

std::string shape_text(const ir::Shape& shape) {
  std::string out;
  for (int64_t extent : shape) out += cat(out.empty() ? "" : "x", extent);
  return out;
}

std::string report_text(const JobResult& result, const std::vector<NamedTensor>& outputs) {
  Table table{.numeric = {false, false, false, true, true, true}};
  table.rows.push_back({"output", "type", "shape", "least", "mean", "greatest"});
  for (const NamedTensor& output : outputs) {
    double low = INFINITY, high = -INFINITY, sum = 0;
    const std::vector<double> values = graph::to_doubles(output.tensor);
    for (double v : values) low = std::min(low, v), high = std::max(high, v), sum += v;
    const bool any = !values.empty();
    table.rows.push_back({output.name, std::string(ir::dtype_name(output.tensor.dtype)),
                          shape_text(output.tensor.shape), any ? number_text(low) : "-",
                          any ? number_text(sum / static_cast<double>(values.size())) : "-",
                          any ? number_text(high) : "-"});
  }
  std::string text = table_text(table);
  text += cat("\n", counted(result.result.value("launches", 0), "launch", "launches"), " of ",
              counted(result.result.value("kernels", 0), "kernel"), ", first run ",
              time_text(result.result.value("first_ms", 0.0)), "\n");
  text += node_counts_text(result.result);
  for (const nlohmann::json& note : result.result.value("notes", nlohmann::json::array()))
    if (note.is_string()) text += cat("note: ", note.get<std::string>(), "\n");
  text += report::older_browser_text(result.result.value("schedules", nlohmann::json::object()),
                                     result.result.value("device", nlohmann::json::object()));
  if (const auto check = result.result.find("check"); check != result.result.end())
    text += cat("largest error against the reference: ", number_text(check->value("max_error", 0.0)), "\n");
  return text;
}

double allowed_error(double tolerance) { return std::max(package::kModelErrorMax, tolerance); }

// The next of 1, 2, 5, 10 … hundredths, so that a person can read it; 0 where none up to a tenth is enough.
double step_tolerance_above(double error) {
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (error <= factor * kStepTolerance) return factor * kStepTolerance;
  return 0;
}

// Exits 1 when an output is further from the reference than a model may be.
ExitCode judge(const JobResult& result, const RunOptions& options, const std::vector<NamedTensor>& inputs) {
  const auto check = result.result.find("check");
  if (check == result.result.end()) return ExitCode::kDone;
  const double error = check->value("max_error", INFINITY);
  const double allowed = allowed_error(options.tolerance);
  if (error <= allowed) {
    if (!options.common.json) print_text(cat("the check holds: an error of ", given_text(allowed), " is allowed\n"));
    return ExitCode::kDone;
  }
  const double wider = step_tolerance_above(error);
  const std::string remedy =
      wider > allowed && has_steps(options.source, options.common, options.place.target, inputs)
          ? cat("; the model rounds to steps, of which a sum next to a jump may take either: --tolerance ",
                given_text(wider),
                " allows for that; its kernels are tuned and recorded apart from those of other tolerances")
          : "";
  return fail(Error{ErrorCode::kWrongOutput, cat("the outputs differ from the reference by ", number_text(error),
                                                 " of their range; ", given_text(allowed), " is allowed", remedy)});
}

ExitCode run_model(const RunOptions& options) {
  auto dims = parse_dims(options.common.dims);
  if (!dims.ok()) return usage_error(dims.error().message);
  auto inputs = read_inputs(options.inputs);
  if (!inputs.ok())
    return inputs.error().code == ErrorCode::kInvalidArgument ? usage_error(inputs.error().message)
                                                              : fail(inputs.error());
  auto model = read_model_source(options.source, options.common, *inputs);
  if (!model.ok()) return refuse_model_source(model.error());
  if (!options.out.empty())
    if (Status made = make_output_folder(options.out); !made.ok()) return fail(made.error());
  auto runner = JobRunner::start(options.common, options.place);
  if (!runner.ok()) return fail_to_start(runner.error());
  protocol::JobRequest request = job_request(protocol::JobKind::kRun, options.common, options.place);
  request.dims = *dims;
  if (options.tolerance > 0) request.tolerance = options.tolerance;
  ModelJob job = model_job(std::move(request),
                           {.name = model->name, .package = !options.source.package.empty(), .check = options.check, .placements = options.nodes},
                           model->bytes, *inputs);
  auto result = (*runner)->run(std::move(job.request), std::move(job.payload));
  if (!result.ok()) return fail(result.error());
  auto outputs = outputs_of(*result);
  if (!outputs.ok()) return fail(outputs.error());
  if (!options.out.empty())
    if (Status written = write_outputs(options.out, *outputs); !written.ok()) return fail(written.error());
  if (options.common.json) print_json(result->result);
  else print_text(placements_text(result->result) + report_text(*result, *outputs) + report::measured_on_text(result->result));
  return judge(*result, options, *inputs);
}

}  // namespace

void add_run(Verb program) {
  auto options = std::make_shared<RunOptions>();
  Verb verb = program.sub("run", "Runs a model once on a device and writes its outputs");
  verb.footer(
      "Examples:\n"
      "  hone run model.onnx --input x=image.npy --out outputs   writes outputs/NAME.npy for each output\n"
      "  hone run model.onnx --check                             generated inputs, compared with the reference\n"
      "  hone run model.onnx --nodes                             where each node of the model ran, and why\n"
      "  hone run --package model                                an exported package, by the plan that fits the "
      "device\n"
      "Each kernel runs with the best schedule that the records have for the device. Exits 1 when --check finds an "
      "error "
      "above 1e-4 or --tolerance.");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService, Uses::kSeed, Uses::kModels});
  add_model_source(verb, options->source);
  add_place_options(verb, options->place);
  verb.option("--input", options->inputs, "NAME=FILE.npy; inputs not given are generated").one_word_each();
  verb.option("--out", options->out, "Folder for the outputs, one NAME.npy each");
  add_tolerance_option(verb, options->tolerance);
  verb.flag("--nodes", options->nodes, "Tell where each node of the model ran, and why");
  verb.flag("--check", options->check, "Compare the outputs with the reference");
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
    return run_model(*options);
  });
}

}  // namespace hone::cli
