// record_replay DECLARATION OUT DB…: measures every kernel of a declared sub-space in a headless Chromium, through the whole service, once
// per database, and writes the recording. What a database holds already is not measured again: an interrupted run goes on. A time
// counts relative to that of the agent's reference kernel beside it; of several passes the median counts.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <thread>

#include "base/cat.h"
#include "cli/interrupt.h"
#include "cli/job_session.h"
#include "cli/service.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "server/agent_files.h"
#include "tuner/measure/recording.h"
#include "tuner/records/sqlite_store.h"
#include "tuner/space/space.h"

namespace hone {
namespace {

// Proposes a list, in an order that is not that of the choices: drift must not look like an effect of one of them.
class ListStrategy final : public tuner::Strategy {
 public:
  explicit ListStrategy(std::vector<schedule::Trace> list) : list_(std::move(list)) {
    Rng rng(1);
    for (size_t i = list_.size(); i > 1; --i) std::swap(list_[i - 1], list_[rng.below(i)]);
  }
  std::vector<schedule::Trace> propose(int n) override {
    std::vector<schedule::Trace> next;
    for (; n > 0 && !list_.empty(); --n) {
      next.push_back(std::move(list_.back()));
      list_.pop_back();
    }
    return next;
  }
  void observe(const tuner::Observation&) override {}

 private:
  std::vector<schedule::Trace> list_;
};

struct Whole {
  std::vector<schedule::Trace> kernels;  // one trace per source
  std::vector<Hash> sources;
  std::map<std::string, size_t> candidates;
};

Whole enumerate(const tuner::Recording& declared, const te::Task& task, const target::Target& target) {
  Whole whole;
  auto space = tuner::Space::derive(task, target);
  CHECK(space.ok(), space.error().message);
  auto part = space->restricted(declared.space);
  CHECK(part.ok(), part.error().message);
  std::map<Hash, size_t> place_of;
  for (const tuner::Assignment& a : part->enumerate()) {
    auto trace = part->trace(a);
    auto source = compile_kernel(task, *trace, target);
    if (!source.ok()) continue;
    auto [found, is_new] = place_of.try_emplace(source->hash, whole.kernels.size());
    if (is_new) {
      whole.kernels.push_back(*trace);
      whole.sources.push_back(source->hash);
    }
    whole.candidates[declared.words_of(trace->sketch)] = found->second;
  }
  return whole;
}

Result<nlohmann::json> measure(const tuner::Recording& declared, const std::string& db) {
  net::EventLoop loop;
  cli::Service::Config config{.db = db, .agent_files = server::find_agent_files()};
  config.planner = [&](const target::Target& target, uint64_t) -> tuner::Planner {
    return [&declared, target](const te::Task& task) -> Result<tuner::Plan> {
      Whole whole = enumerate(declared, task, target);
      return tuner::Plan{.baseline = baseline_trace(task, target),
                         .strategy = std::make_unique<ListStrategy>(whole.kernels),
                         .races = false};
    };
  };
  auto service = cli::Service::start(loop, std::move(config));
  if (!service.ok()) return service.error();
  protocol::JobRequest job{.kind = protocol::JobKind::kTune, .target = "webgpu"};
  job.source.op = declared.op;
  job.trials = 100000;
  job.device_wait_s = 60;
  const std::string agent_url = (*service)->agent_url();
  auto url = cli::parse_service_url(agent_url);
  if (!url.ok()) return url.error();
  Result<nlohmann::json> result = Error{ErrorCode::kCancelled, "interrupted"};
  {
    cli::JobSession session(loop, {.url = agent_url, .browser = "chromium"}, *url);
    session.submit(std::move(job), "", [&](Result<cli::JobResult> r) {
      if (r.ok()) result = std::move(r->result);
      else result = r.error();
      loop.stop();
    });
    cli::Interrupt interrupt(loop, [&] { session.cancel(); });
    loop.run();
  }
  (*service)->stop();
  loop.run_until([&] { return (*service)->idle(); }, std::chrono::seconds(10));
  return result;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

using Pass = std::map<Hash, tuner::RecordedKernel>;

// One pass: each kernel's latest attempt that is ok, as if the reference kernel had always taken its usual time: what else the machine
// does slows both.
Result<Pass> read_pass(const std::string& db, const Hash& task, tuner::Recording& recording) {
  HONE_ASSIGN(store, tuner::open_sqlite_store({.path = db}));
  Pass pass;
  HONE_TRY(store->list({.task_id = task}, [&](const tuner::Record& r) {
    tuner::RecordedKernel& k = pass[r.source_hash];
    bool ok = r.outcome == ErrorCode::kOk;
    if (k.source.empty() || ok)
      k = {r.source_hash,  r.outcome,  ok ? r.latency_us_median : 0, static_cast<int>(r.samples_us.size()),
           r.reference_us, r.create_ms};
    if (r.origin == tuner::Origin::kNaive) recording.naive.source = r.source_hash;
    recording.device_json = r.fingerprint_json;
    return ok_status();
  }));
  std::vector<double> latencies, ratios;
  for (const auto& [source, k] : pass)
    if (k.latency_us > 0 && k.reference_us > 0) {
      latencies.push_back(k.latency_us);
      ratios.push_back(k.latency_us / k.reference_us);
    }
  double usual_us = ratios.empty() ? 0 : median(latencies) / median(ratios);
  for (auto& [source, k] : pass)
    if (k.reference_us > 0) k.latency_us *= usual_us / k.reference_us;
  return pass;
}

// The median over the passes in which the kernel has a time.
Result<tuner::RecordedKernel> combine(const std::vector<Pass>& passes, const Hash& source) {
  tuner::RecordedKernel kernel;
  std::vector<double> times;
  for (const Pass& pass : passes) {
    auto found = pass.find(source);
    if (found == pass.end())
      return Error{ErrorCode::kNotFound, "a kernel has no measurement yet; run the command again"};
    if (kernel.source.empty() || kernel.outcome != ErrorCode::kOk) kernel = found->second;
    if (found->second.latency_us > 0) times.push_back(found->second.latency_us);
  }
  kernel.latency_us = median(times);
  return kernel;
}

Status record(const std::string& declaration, const std::string& out, const std::vector<std::string>& dbs) {
  HONE_ASSIGN(recording, tuner::load_recording(declaration));
  HONE_ASSIGN(task, graph::task_from_spec(recording.op));
  Whole whole = enumerate(recording, task, target::webgpu_default());
  std::fprintf(stderr, "%s: %zu candidates, %zu kernels\n", recording.op.c_str(), whole.candidates.size(),
               whole.sources.size());
  if (dbs.empty()) return ok_status();
  std::vector<Pass> passes;
  for (const std::string& db : dbs) {
    HONE_TRY(measure(recording, db));
    HONE_ASSIGN(pass, read_pass(db, task.id, recording));
    passes.push_back(std::move(pass));
  }
  for (const Hash& source : whole.sources) {
    HONE_ASSIGN(kernel, combine(passes, source));
    recording.kernels.push_back(kernel);
  }
  HONE_ASSIGN(naive, combine(passes, recording.naive.source));
  recording.naive = naive;
  recording.candidates = std::move(whole.candidates);
  if (!(std::ofstream(out) << recording.to_json())) return Error{ErrorCode::kIoError, cat("cannot write ", out)};
  std::fprintf(stderr, "%s: the fastest takes %.1f us\n", out.c_str(), recording.best_us());
  return ok_status();
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: record_replay DECLARATION OUT DB...   (without a DB it only counts)\n");
    return 2;
  }
  spdlog::set_level(spdlog::level::warn);
  auto done = hone::record(argv[1], argv[2], {argv + 3, argv + argc});
  if (!done.ok()) std::fprintf(stderr, "record_replay: %s\n", done.error().message.c_str());
  return done.ok() ? 0 : 1;
}
