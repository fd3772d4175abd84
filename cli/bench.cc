// hone bench: times a whole model on a device, with its naive, seed and best schedules; schedules of one task; or, of cases and suites, one build against another.
#include <algorithm>
#include <filesystem>

#include "base/cat.h"
#include "cli/bench_report.h"
#include "cli/bench_run.h"
#include "cli/bench_suite.h"
#include "cli/bench_text.h"
#include "cli/bench_verbs.h"
#include "cli/bench_verdicts.h"
#include "cli/compare_schedules.h"
#include "cli/console.h"
#include "cli/model_job.h"
#include "cli/model_source.h"
#include "cli/report_file.h"
#include "cli/report/device_text.h"
#include "cli/share.h"
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
  std::string suite, baseline, fail_on_regression, keep, spread = "one", clock = "run";
  std::vector<std::string> reports;  // FORMAT=FILE
  BenchCase one;  // of the command line
};

// The best goes first: it is timed in any case.
std::vector<std::string> in_order(const std::vector<std::string>& asked) {
  std::vector<std::string> out;
  for (const char* schedule : {"best", "seed", "naive"})
    if (std::count(asked.begin(), asked.end(), schedule)) out.push_back(schedule);
  return out;
}

Result<BenchSuite> suite_of(const BenchOptions& options) {
  const bool has_case = !options.source.model.empty() || !options.source.package.empty() || !options.compare.op.empty() || !options.one.kernel.file.empty();
  if (has_case == !options.suite.empty()) return Error{ErrorCode::kInvalidArgument, "give a model, --package, --op, --kernel or --suite, and one of them only"};
  if (!options.suite.empty()) return read_suite(options.suite);
  BenchCase one = options.one;
  one.source = {.model = options.source.model, .op = options.compare.op};
  one.package = options.source.package;
  one.target = options.place.target, one.device = options.place.device, one.dims = options.common.dims;
  one.spread = options.spread == "each" ? Spread::kEach : options.spread == "classes" ? Spread::kClasses : Spread::kOne;
  one.kernels_alone = options.clock == "kernels";
  one.name = case_name(own_name(one));
  return BenchSuite{.name = one.name, .cases = {one}};
}

Result<BenchRun> bench_run(const BenchOptions& options) {
  BenchRun run{.common = options.common, .place = options.place, .runs = options.runs, .time_s = options.time_s};
  HONE_ASSIGN(suite, suite_of(options));
  run.suite = std::move(suite);
  if (!options.fail_on_regression.empty()) {
    if (options.baseline.empty()) return Error{ErrorCode::kInvalidArgument, "--fail-on-regression compares with something: name it with --baseline"};
    HONE_ASSIGN(share, parse_share(options.fail_on_regression));
    run.fail_above = share;
  }
  run.new_build = own_build(options.common);
  if (!options.keep.empty()) run.new_build = keeping_build(std::move(run.new_build), options.keep);
  if (!options.baseline.empty()) {
    HONE_ASSIGN(old_build, named_build(options.baseline, options.common));
    run.old_build = std::move(old_build);
  }
  return run;
}

Result<std::vector<ReportFile>> report_files(const BenchOptions& options) {
  std::vector<ReportFile> files;
  for (const std::string& text : options.reports) {
    HONE_ASSIGN(file, parse_report_file(text));
    files.push_back(std::move(file));
  }
  return files;
}

ExitCode run_cases(const BenchOptions& options) {
  const auto files = report_files(options);
  if (!files.ok()) return usage_error(files.error().message);
  auto run = bench_run(options);
  if (!run.ok()) return run.error().code == ErrorCode::kInvalidArgument ? usage_error(run.error().message) : fail(run.error());
  auto report = run_suite(std::move(*run));
  if (!report.ok()) return fail_to_start(report.error());
  if (options.common.json) print_json(protocol::to_json(*report));
  else print_text(bench_text(*report));
  for (const ReportFile& file : *files)
    if (const Status written = write_report(file, *report); !written.ok()) return fail(written.error());
  return bench_reports::regressions_in(*report) > 0 || has_failure(*report) ? ExitCode::kJobFailed : ExitCode::kDone;
}

ExitCode run_verb(const BenchOptions& options) {
  if (!options.suite.empty() || !options.baseline.empty() || !options.keep.empty() || !options.reports.empty() || !options.one.kernel.file.empty()) return run_cases(options);
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
  verb.takes_one_sub();
  add_bench_history(verb);
  add_bench_bisect(verb);
  verb.footer(
      "Examples:\n"
      "  hone bench model.onnx                      naive, seed and best schedules side by side\n"
      "  hone bench model.onnx --launches           and what each task takes\n"
      "  hone bench model.onnx --schedule best --runs 50 --time 60 --json\n"
      "  hone bench --op matmul:512x512x512 --schedules best,3fa0,seed   schedules of one task, in turns\n"
      "  hone bench model.onnx --task 7b98a2a7 --schedules best,seed\n"
      "  hone bench model.onnx --baseline ../old/hone --fail-on-regression 3%   this build against another, in turns\n"
      "  hone bench --suite suite.yaml --keep builds          many cases; what was made stays in builds/\n"
      "  hone bench --suite suite.yaml --baseline builds      and is what they are compared with later\n"
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
  verb.option("--kernel", options->one.kernel.file, "A WGSL kernel of your own, instead of a model").check(not_empty());
  verb.option("--bindings", options->one.kernel.bindings, "Of --kernel, in order: NAME in|out|inout f32|f16|i32|u32 SHAPE, joined by commas, such as 'x in f32 1024x1024, y out f32 1024'").separated_by(',');
  verb.option("--grid", options->one.kernel.grid, "Workgroups of --kernel, such as 64x16").default_shown();
  verb.option("--suite", options->suite, "Cases in a YAML file, instead of a model (docs/ci.md)").check(not_empty());
  verb.option("--baseline", options->baseline,
              "What the cases are compared with, in turns: a package, a folder of packages (--keep), another build of hone, or an older model.onnx")
      .check(not_empty());
  verb.option("--fail-on-regression", options->fail_on_regression, "Exits with 1 where something is slower by more than this share, for sure, such as 3%").check(not_empty());
  verb.option("--keep", options->keep, "Leaves each case's package in this folder").check(not_empty());
  verb.option("--report", options->reports, "Also writes the report as FORMAT=FILE: json, junit, markdown, bmf, github or html; may be repeated").one_word_each();
  verb.option("--on", options->spread, "Of the devices that fit: one, each, or one of each class; a suite says it itself").default_shown().check(one_of({"one", "each", "classes"}));
  verb.option("--pairs", options->one.pairs_max, "Pairs of times after which it is not known which build is faster").default_shown().check(in_range(10, 480));
  verb.option("--sample", options->one.sample_ms, "Milliseconds that one of these times is measured, at least").default_shown().check(in_range(0.0, 10000.0));
  verb.option("--clock", options->clock, "What is compared: run (with the inputs' and outputs' way to the device and back), or kernels alone").default_shown().check(one_of({"run", "kernels"}));
  verb.option("--weights", options->one.weights, "How this build stores weights in what is compared").default_shown().check(one_of({"f32", "f16"}));
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
    return run_verb(*options);
  });
}

}  // namespace hone::cli
