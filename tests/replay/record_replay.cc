// record_replay DECLARATION [--browser B --out FILE --work FOLDER]: measures every kernel of a declared sub-space in a headless browser, through
// the whole service, and writes the recording. After a pass over all kernels come passes over those of which no two times agree, and over the
// fastest, until each of the 20 fastest was measured ten times. Every pass has a database of its own in FOLDER; an interrupted run goes on after
// what they say. --combine writes what the folder holds and measures nothing. Without --out it only counts.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "base/log.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "server/agent_files.h"
#include "tests/replay/list_strategy.h"
#include "tests/replay/passes.h"
#include "tests/replay/run_job.h"
#include "tuner/records/sql_store.h"
#include "tuner/search/replay_course.h"

namespace hone {
namespace {

constexpr size_t kPassesMax = 60;

struct Options {
  std::string declaration, browser = "chromium", out, work = "build/replay";
  int samples = 5;
  bool measures = true;
};

// In an order that is not that of the choices: drift must not look like an effect of one of them.
std::vector<schedule::Trace> shuffled(std::vector<schedule::Trace> list) {
  Rng rng(1);
  for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[rng.below(i)]);
  return list;
}

struct Whole {
  std::vector<schedule::Trace> kernels;  // one trace per source
  std::vector<std::vector<std::string>> choices;
};

Result<Whole> enumerate(const tuner::Recording& declared, const te::Task& task) {
  Whole whole;
  const target::Target target = target::default_target(declared.target);
  HONE_ASSIGN(part, tuner::recorded_space(declared, task));
  std::map<Hash, size_t> place_of;
  for (const tuner::Assignment& a : part.enumerate()) {
    auto trace = part.trace(a);
    auto source = compile_kernel(task, *trace, target);
    if (!source.ok()) continue;
    auto [found, is_new] = place_of.try_emplace(source->hash, whole.kernels.size());
    if (is_new) {
      whole.kernels.push_back(*trace);
      whole.choices.emplace_back();
    }
    whole.choices[found->second].push_back(declared.choice_of(trace->sketch));
  }
  return whole;
}

cli::Service::Config service_config(const std::string& db, const std::vector<schedule::Trace>& list) {
  cli::Service::Config config{.db = db, .agent_files = server::find_agent_files()};
  config.planner = [&list](const target::Target& target, uint64_t, tuner::StrategyKind) -> tuner::Planner {
    return [&list, target](const te::Task& task) -> Result<tuner::Plan> {
      return tuner::Plan{
          .baseline = baseline_trace(task, target).value(), .strategy = std::make_unique<replay::ListStrategy>(shuffled(list)), .races = false};
    };
  };
  return config;
}

// One job over the list. Fails as jobs do, and cancelled.
Status measure(const Options& options, const tuner::Recording& declared, const std::vector<schedule::Trace>& list,
               const std::string& db) {
  protocol::JobRequest job{.kind = protocol::JobKind::kTune, .target = std::string(target::kind_name(declared.target))};
  job.source.op = declared.op;
  job.trials = 100000;
  job.device_wait_s = 60;
  job.options = nlohmann::json{{"samples", options.samples}};
  return replay::run_job(service_config(db, list), std::move(job), options.browser);
}

// What a database says of the kernels: each one's latest attempt with a time, else how the last one failed.
Result<replay::Pass> read_pass(const std::string& db, const Hash& task, tuner::Recording& recording) {
  HONE_ASSIGN(store, tuner::open_record_store({.where = db}));
  replay::Pass pass;
  HONE_TRY(store->list({.tasks = std::set{task}}, [&](const tuner::Record& r) {
    auto trace = schedule::trace_from_json(r.trace_json);
    if (!trace.ok()) return Status(trace.error());
    const bool naive = r.origin == tuner::Origin::kNaive;
    replay::Measured& m = pass[naive ? replay::kNaive : recording.choice_of(trace->sketch)];
    if (m.latency_us == 0) m.outcome = r.outcome;
    if (r.outcome == ErrorCode::kOk)
      m = {r.outcome, *std::min_element(r.samples_us.begin(), r.samples_us.end()),
           static_cast<int>(r.samples_us.size()), r.create_ms};
    recording.device_json = r.fingerprint_json;
    return ok_status();
  }));
  return pass;
}

// Of the folder's databases, which are numbered from 1.
struct Passes {
  std::vector<replay::Pass> read;
  std::vector<replay::Combined> now;  // by place
};

void add(Passes& passes, replay::Pass pass, const Whole& whole) {
  passes.read.push_back(std::move(pass));
  for (size_t i = 0; i < passes.now.size(); ++i) passes.now[i] = replay::combine(passes.read, whole.choices[i]);
}

Status record(const Options& options) {
  HONE_ASSIGN(recording, tuner::load_recording(options.declaration));
  HONE_ASSIGN(task, graph::task_from_spec(recording.op));
  HONE_ASSIGN(whole, enumerate(recording, task));
  std::fprintf(stderr, "%s: %zu kernels\n", recording.op.c_str(), whole.kernels.size());
  if (options.out.empty()) return ok_status();
  const std::string name = std::filesystem::path(options.out).stem();
  std::filesystem::create_directories(options.work);
  const auto db = [&](size_t pass) { return cat(options.work, "/", name, "_", pass + 1, ".db"); };
  Passes passes{.now = std::vector<replay::Combined>(whole.kernels.size())};
  const auto read = [&](size_t pass) -> Status {
    HONE_ASSIGN(of_it, read_pass(db(pass), task.id, recording));
    add(passes, std::move(of_it), whole);
    return ok_status();
  };
  while (std::filesystem::exists(db(passes.read.size()))) HONE_TRY(read(passes.read.size()));
  while (options.measures && passes.read.size() < kPassesMax) {
    std::vector<schedule::Trace> list;
    for (size_t place : replay::next_pass(passes.now)) list.push_back(whole.kernels[place]);
    if (list.empty()) break;
    std::fprintf(stderr, "pass %zu: %zu kernels\n", passes.read.size() + 1, list.size());
    HONE_TRY(measure(options, recording, list, db(passes.read.size())));
    HONE_TRY(read(passes.read.size()));
  }
  if (passes.read.empty())
    return Error{ErrorCode::kNotFound, cat(db(0), " is not there; without --combine it is measured")};
  recording.naive = replay::combine(passes.read, {replay::kNaive}).kernel();
  for (size_t i = 0; i < passes.now.size(); ++i) recording.add(whole.choices[i], passes.now[i].kernel());
  if (!(std::ofstream(options.out) << recording.to_json()))
    return Error{ErrorCode::kIoError, cat("cannot write ", options.out)};
  std::fprintf(stderr, "%s: the fastest of %zu kernels takes %.1f us, the yardstick %.1f us; %zu passes\n",
               options.out.c_str(), passes.now.size(), recording.best_us(), recording.naive.latency_us,
               passes.read.size());
  return ok_status();
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  hone::Options options;
  CLI::App app("Measures every kernel of a declared sub-space and writes the recording");
  app.add_option("declaration", options.declaration)->required();
  app.add_option("--browser", options.browser);
  app.add_option("--out", options.out);
  app.add_option("--work", options.work);
  app.add_option("--samples", options.samples);
  app.add_flag("!--combine", options.measures);
  CLI11_PARSE(app, argc, argv);
  hone::log_from(hone::LogLevel::kWarn);
  auto done = hone::record(options);
  if (!done.ok()) std::fprintf(stderr, "record_replay: %s\n", done.error().message.c_str());
  return done.ok() ? 0 : 1;
}
