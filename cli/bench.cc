// hone bench: times a whole model on a device, with its naive, seed and best schedules.
#include <algorithm>
#include <filesystem>

#include "cli/bench_report.h"
#include "cli/compare_schedules.h"
#include "cli/console.h"
#include "cli/model_job.h"
#include "cli/model_source.h"
#include "cli/report/device_text.h"
#include "cli/source.h"

namespace hone::cli {
namespace {

struct BenchOptions {
  CommonOptions common;
  PlaceOptions place;
  ModelSource source;
  int runs = 10;
  double time_s = 5;
  std::vector<std::string> schedules = {"naive", "seed", "best"};
  bool launches = false;
  CompareOptions compare;
};

// The best goes first: it is timed in any case.
std::vector<std::string> in_order(const std::vector<std::string>& asked) {
  std::vector<std::string> out;
  for (const char* schedule : {"best", "seed", "naive"})
    if (std::count(asked.begin(), asked.end(), schedule)) out.push_back(schedule);
  return out;
}

ExitCode run_bench(const BenchOptions& options) {
  if (!options.compare.op.empty() && options.compare.schedules.empty())
    return usage_error("--op times schedules of one operator: name them with --schedules, such as best,seed");
  if (!options.compare.schedules.empty()) {
    CompareOptions compare = options.compare;
    compare.model = options.source.model;
    return compare_schedules(options.common, options.place, compare);
  }
  auto dims = parse_dims(options.common.dims);
  if (!dims.ok()) return usage_error(dims.error().message);
  auto model = read_model_source(options.source, options.common);
  if (!model.ok()) return refuse_model_source(model.error());
  auto runner = JobRunner::start(options.common, options.place);
  if (!runner.ok()) return fail_to_start(runner.error());
  protocol::JobRequest request = job_request(protocol::JobKind::kBench, options.common, options.place);
  request.dims = *dims;
  ModelJob job = model_job(std::move(request),
                           {.name = model->name,
                            .package = !options.source.package.empty(),
                            .repeats = static_cast<uint32_t>(options.runs),
                            .schedules = in_order(options.schedules),
                            .time_s = options.time_s,
                            .launches = options.launches},
                           model->bytes, {});
  auto result = (*runner)->run(std::move(job.request), std::move(job.payload));
  if (!result.ok()) return fail(result.error());
  if (options.common.json) print_json(with_ratios(result->result));
  else print_text(bench_report_text(result->result) + report::measured_on_text(result->result));
  return ExitCode::kDone;
}

}  // namespace

void add_bench(Verb program) {
  auto options = std::make_shared<BenchOptions>();
  Verb verb = program.sub("bench", "Times a whole model on a device");
  verb.footer(
      "Examples:\n"
      "  hone bench model.onnx                      naive, seed and best schedules side by side\n"
      "  hone bench model.onnx --launches           and what each task takes\n"
      "  hone bench model.onnx --schedule best --runs 50 --time 60 --json\n"
      "  hone bench --op matmul:512x512x512 --schedules best,3fa0,seed   schedules of one task, in turns\n"
      "  hone bench model.onnx --task 7b98a2a7 --schedules best,seed\n"
      "The best are those that the records know for the device; hone tune finds better ones.");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService, Uses::kSeed, Uses::kModels});
  add_model_source(verb, options->source);
  add_place_options(verb, options->place);
  verb.option("--runs", options->runs, "Timed runs with each kind of schedules; fewer where --time is over before")
      .default_shown()
      .check(in_range(1, 10000));
  verb.option("--time", options->time_s, "Seconds for the timed runs of each kind")
      .default_shown()
      .check(in_range(0.001, 3600.0));
  verb.option("--schedule", options->schedules, "Kinds to time: naive, seed, best")
      .default_shown()
      .separated_by(',')
      .check(one_of({"naive", "seed", "best"}));
  verb.flag("--launches", options->launches, "Also what each task takes");
  verb.option("--op", options->compare.op, "Times schedules of this operator instead of a model").check(not_empty());
  verb.option("--task", options->compare.task,
              "Times schedules of this task of the model: its id, or a part of its name")
      .check(not_empty());
  verb.option(
          "--schedules", options->compare.schedules,
          "Schedules to time in turns, the first being what the others are compared with: best, seed, naive, or the "
          "sources of records (hone records list --json)")
      .separated_by(',')
      .check(not_empty());
  verb.option("--cache", options->compare.cache,
              "State of the caches for --schedules: hot, cold or model; as hone tune has it by default")
      .check(one_of({"hot", "cold", "model"}));
  verb.option("--rounds", options->compare.rounds, "How often each of --schedules is timed; without it, as often as it takes to know which is faster")
      .check(in_range(3, 99));
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
    return run_bench(*options);
  });
}

}  // namespace hone::cli
