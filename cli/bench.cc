// hone bench: times a whole model on a device.
#include <cstdio>
#include <filesystem>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"
#include "cli/model_job.h"
#include "cli/report/device_text.h"
#include "cli/source.h"

namespace hone::cli {
namespace {

struct BenchOptions {
  CommonOptions common;
  PlaceOptions place;
  std::string model;
  int runs = 20;
};

std::string report_text(const nlohmann::json& result) {
  const double model_ms = result.value("model_ms_median", 0.0), kernel_ms = result.value("kernel_ms_median", 0.0);
  std::string text = cat(number_text(model_ms), " ms for the whole model (median of ",
                         counted(static_cast<int64_t>(result.value("run_ms", nlohmann::json::array()).size()), "run"));
  if (kernel_ms > 0)
    text += cat("), ", number_text(kernel_ms), " ms of it in kernels; the host's share is ",
                number_text(100 * result.value("host_share", 0.0)), " %\n");
  else text += ")\n";
  const auto schedules = result.value("schedules", nlohmann::json::object());
  return text + cat(counted(result.value("launches", 0), "launch", "launches"),
                    "; tasks with a tuned schedule: ", schedules.value("tuned", 0),
                    ", with the expert's: ", schedules.value("seed", 0),
                    ", with the plain one: ", schedules.value("naive", 0), "\n");
}

ExitCode run_bench(const BenchOptions& options) {
  auto dims = parse_dims(options.common.dims);
  if (!dims.ok()) return usage_error(dims.error().message);
  auto model = read_model(options.model);
  if (!model.ok()) return fail(model.error());
  if (auto tasks = load_tasks({.model = options.model}, options.common.dims, options.place.target); !tasks.ok())
    return fail(tasks.error());
  auto runner = JobRunner::start(options.common, options.place);
  if (!runner.ok()) return fail_to_start(runner.error());
  protocol::JobRequest request = job_request(protocol::JobKind::kBench, options.common, options.place);
  request.dims = *dims;
  ModelJob job = model_job(std::move(request),
                           {.name = std::filesystem::path(options.model).filename().string(),
                            .repeats = static_cast<uint32_t>(options.runs)},
                           *model, {});
  auto result = (*runner)->run(std::move(job.request), std::move(job.payload));
  if (!result.ok()) return fail(result.error());
  if (options.common.json) print_json(result->result);
  else print_text(report_text(result->result) + report::measured_on_text(result->result));
  return ExitCode::kDone;
}

}  // namespace

void add_bench(CLI::App& app, Run& run) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = app.add_subcommand("bench", "Times a whole model on a device");
  verb->footer(
      "Example:\n  hone bench model.onnx --json\n"
      "Each kernel runs with the best schedule that the records have for the device; hone tune finds better ones.");
  add_common_options(*verb, options->common, {Uses::kDatabase, Uses::kService, Uses::kSeed, Uses::kDims});
  verb->add_option("model", options->model, "ONNX model file")->required();
  add_place_options(*verb, options->place);
  verb->add_option("--runs", options->runs, "Timed runs; fewer where they take more than 20 s")
      ->capture_default_str()
      ->check(whole_from_1());
  verb->callback([options, &run] {
    run = [options] {
      set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
      return run_bench(*options);
    };
  });
}

}  // namespace hone::cli
