// hone tune: tunes every distinct task of a model, or one operator, on one device.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/ask_service.h"
#include "cli/console.h"
#include "cli/find_service.h"
#include "cli/job_runner.h"
#include "cli/options.h"
#include "cli/report/device_text.h"
#include "cli/source.h"
#include "cli/time_limit.h"
#include "cli/tuned.h"
#include "server/agents/limits.h"
#include "tuner/search/planner.h"

namespace hone::cli {
namespace {

struct TuneOptions {
  CommonOptions common;
  SourceOptions source;
  PlaceOptions place;
  int trials = 64;
  double time_s = 0;
  double tolerance = 0;
  int devices = 1, devices_min = 1;
  std::string strategy = tuner::strategy_names().front();
  int samples = 3;
  std::string cache;
  bool detach = false;
};

constexpr double kDetachedWaitS = 86'400;  // policy: of a job that nobody waits for, where --wait says nothing

// The job, and the model's bytes where there is a file.
Result<std::pair<protocol::JobRequest, std::string>> tune_job(const TuneOptions& options) {
  protocol::JobRequest job = job_request(protocol::JobKind::kTune, options.common, options.place);
  job.trials = static_cast<uint32_t>(options.trials);
  job.time_s = options.time_s;
  if (options.tolerance > 0) job.tolerance = options.tolerance;
  if (options.devices > 1) job.devices = static_cast<uint32_t>(options.devices);
  if (options.devices_min > 1) job.devices_min = static_cast<uint32_t>(options.devices_min);
  job.options = nlohmann::json{{"strategy", options.strategy}, {"samples", options.samples}};
  if (!options.cache.empty()) (*job.options)["cache"] = options.cache;
  HONE_ASSIGN(bytes, set_source(job, options.source, options.common.dims));
  return std::pair(std::move(job), std::move(bytes));
}

// An operator without elements compiles, but there is nothing to measure.
bool has_no_elements(const te::Task& task) {
  const auto is_empty = [](const te::Tensor& tensor) { return ir::element_count(tensor->shape) == 0; };
  return std::any_of(task.program.inputs.begin(), task.program.inputs.end(), is_empty) ||
         std::any_of(task.program.outputs.begin(), task.program.outputs.end(), is_empty);
}

// A source that no service will take is refused before a browser is started for it.
std::optional<ExitCode> check_source(const TuneOptions& options) {
  if (options.source.model.empty() && options.source.op.empty())
    return usage_error("nothing to tune: give a model file or --op SPEC, for example --op matmul:512x512x512");
  if (options.detach && (options.place.own_browser || !options.place.browser.empty()))
    return usage_error("found --detach and a browser to start, expected one of them: a browser of this process ends with it");
  if (options.devices_min > options.devices)
    return usage_error(cat("--devices-min ", options.devices_min, " is more than --devices ", options.devices,
                           "; give --devices ", options.devices_min));
  if (options.devices > 1 && options.common.tracker.empty())
    return usage_error(
        "--devices above 1 needs --tracker: without a service hone tune starts one browser, which is one device");
  if (auto dims = parse_dims(options.common.dims); !dims.ok()) return usage_error(dims.error().message);
  const TimeLimit limit(options.time_s);
  auto tasks =
      load_tasks(options.source, options.common, options.place.target, target::kRenderTargets, limit.token());
  if (tasks.ok() && !options.source.op.empty() && has_no_elements(tasks->tasks.front()))
    return usage_error(cat("nothing to tune: ", options.source.op, " has no elements; expected extents of at least 1"));
  if (tasks.ok()) return std::nullopt;
  if (tasks.error().code == ErrorCode::kCancelled)
    return fail(Error{ErrorCode::kTimeout, cat("the time limit of ", given_text(options.time_s),
                                               " s was reached while the model was read; give more with --time")});
  return refuse_source(options.source, tasks.error());
}

// One that a service goes on with, without this process.
ExitCode submit(const TuneOptions& options, protocol::JobRequest job, const std::string& model) {
  const auto found = find_service(options.common);
  if (!found.ok()) return fail_to_start(found.error());
  if (found->url.empty()) return usage_error("--detach needs a service that goes on with the job: start hone up, or name one with --tracker");
  say_service(options.common, *found);
  const auto url = parse_service_url(found->url, options.common.ca_file);
  if (!url.ok()) return usage_error(url.error().message);
  if (!options.place.wait_given) job.device_wait_s = kDetachedWaitS;
  const auto accepted = ask_service<protocol::JobAccepted>(
      *url, [&job](uint64_t id) { return protocol::SubmitJob{.id = id, .job = job, .detached = true}; }, model);
  if (!accepted.ok()) return fail(accepted.error());
  if (options.common.json) print_json(nlohmann::ordered_json{{"job", accepted->job}});
  else print_text(accepted->job + "\n");
  if (!options.common.quiet) std::fputs(printable_lines(cat("hone jobs attach ", accepted->job, " follows it\n")).c_str(), stderr);
  return ExitCode::kDone;
}

ExitCode run_tune(const TuneOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  if (auto refused = check_source(options)) return *refused;
  auto job = tune_job(options);
  if (!job.ok()) return fail(job.error());
  if (options.detach) return submit(options, std::move(job->first), job->second);
  auto runner = JobRunner::start(options.common, options.place);
  if (!runner.ok()) return fail_to_start(runner.error());
  if (options.time_s > 0)
    job->first.time_spent_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return print_tuned((*runner)->run(std::move(job->first), std::move(job->second)), {.json = options.common.json, .limited = options.time_s > 0});
}

}  // namespace

void add_tune(Verb program) {
  auto options = std::make_shared<TuneOptions>();
  Verb verb = program.sub("tune", "Tunes every distinct kernel of a model, or one operator, on a device");
  verb.footer(
      "Examples:\n"
      "  hone tune model.onnx --trials 64               in a headless Chromium, which hone starts\n"
      "  hone tune --op matmul:512x512x512 --json       one operator, the result as JSON\n"
      "  hone tune model.onnx --time 300 --tracker 'http://127.0.0.1:9190/agent/#token=…' --device target=webgpu\n"
      "  hone tune model.onnx --detach                  a service (hone up) goes on with it; hone jobs shows how far it is\n"
      "A run that was interrupted resumes where it stopped.");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService, Uses::kSeed, Uses::kModels});
  add_source_options(verb, options->source);
  add_place_options(verb, options->place);
  verb.option("--trials", options->trials, "Trials per task").default_shown().check(whole_from_1());
  verb.option("--time", options->time_s, "Seconds for the whole run; 0 sets no limit")
      .default_shown()
      .check(seconds_from_0());
  verb.option("--devices", options->devices, "Maximum number of devices of one class that are used in parallel")
      .default_shown()
      .check(whole_from_1());
  verb.option("--devices-min", options->devices_min, "Devices of one class with which the run begins, all at once")
      .default_shown()
      .check(whole_from_1());
  verb.option("--strategy", options->strategy, "Search strategy")
      .default_shown()
      .check(one_of(tuner::strategy_names()));
  verb.option("--samples", options->samples, "Samples per candidate, of which the median counts; 1 to 64")
      .default_shown()
      .check(in_range(1, static_cast<int>(server::kSamplesMax)));
  verb.option("--cache", options->cache,
              "State of the caches in which candidates are measured: hot, cold, or model, as in a run of the model; by "
              "default model for a model, hot for one operator")
      .check(one_of({"hot", "cold", "model"}));
  add_tolerance_option(verb, options->tolerance);
  verb.flag("--detach", options->detach,
            "Queues the job with a service, prints its id and returns; it goes on after a restart of the service, and waits a day for a device unless --wait is given");
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
    return run_tune(*options);
  });
}

}  // namespace hone::cli
