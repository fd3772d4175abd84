#include "server/jobs/winner_check.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "base/cat.h"
#include "base/number_text.h"
#include "tuner/records/trial_judge.h"
#include "tuner/search/limits.h"
#include "tuner/search/measured_record.h"

namespace hone::server {

namespace {

// What came of the checks; shared with the runner's callbacks, which may come when nobody waits any more.
struct Answer {
  size_t winner = 0, checker = 0;
  tuner::MeasureResult result;
};

class Answers {
 public:
  void put(Answer answer) {
    {
      std::lock_guard lock(mutex_);
      came_.push_back(std::move(answer));
    }
    wake_.notify_one();
  }
  // What has come, once something has or kWakeMs are over.
  std::vector<Answer> take() {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, std::chrono::milliseconds(tuner::kWakeMs), [this] { return !came_.empty(); });
    return std::exchange(came_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Answer> came_;
};

tuner::MeasureInput input_of(const Winner& winner, size_t checker, emit::KernelSource source, const tuner::TuneOptions& options) {
  return {.trial_id = tuner::trial_id_of(winner.task->id, winner.trial.source_hash),
          .attempt = winner.trial.attempts + static_cast<int>(checker),
          .task = winner.task,
          .source = std::move(source),
          .predicted_us = winner.trial.latency_us,
          .samples_wanted = options.samples,
          .cache = options.cache,
          .model_bytes = options.model_bytes};
}

tuner::Record record_of(const Winner& winner, const tuner::MeasureResult& result, const std::string& device_key,
                        const tuner::TuneOptions& options) {
  tuner::Record r;
  r.task_id = winner.task->id;
  r.device_key = device_key;
  r.source_hash = winner.trial.source_hash;
  r.trace_json = winner.trial.trace_json;
  r.job_id = options.job_id;
  r.origin = tuner::Origin::kCheck;
  r.compiler_version = options.compiler_version;
  r.features = winner.trial.features;
  r.feature_version = winner.trial.feature_version;
  tuner::take_measurement(r, result);
  return r;
}

}  // namespace

Result<std::vector<Winner>> unconfirmed_winners(tuner::RecordStore& store, const std::string& device_key,
                                                const std::vector<tuner::WeightedTask>& tasks, const tuner::TuneReport& report,
                                                tuner::CacheState cache) {
  std::vector<Winner> winners;
  for (const tuner::WeightedTask& one : tasks) {
    const auto of_task = std::find_if(report.tasks.begin(), report.tasks.end(), [&one](const auto& t) { return t.id == one.task->id; });
    if (of_task == report.tasks.end() || of_task->best_source.empty()) continue;
    HONE_ASSIGN(known, store.known_trial(one.task->id, device_key, of_task->best_source));
    if (!known) continue;
    tuner::KnownTrial trial = tuner::in_state({std::move(*known)}, cache).front();
    if (trial.latency_us > 0 && trial.standing == tuner::Standing::kUnconfirmed) winners.push_back({one.task, std::move(trial)});
  }
  return winners;
}

Status check_winners(const std::vector<Winner>& winners, tuner::Builder& builder, const std::vector<Checker>& checkers,
                     const tuner::TuneOptions& options, double wait_s, const CancelToken& cancel) {
  const auto answers = std::make_shared<Answers>();
  size_t left = 0;
  for (size_t i = 0; i < winners.size(); ++i) {
    HONE_ASSIGN(trace, schedule::trace_from_json(winners[i].trial.trace_json));
    auto source = builder.build(*winners[i].task, trace);
    if (!source.ok() || source->hash != winners[i].trial.source_hash) continue;
    for (size_t c = 0; c < checkers.size(); ++c, ++left)
      checkers[c].runner.submit(input_of(winners[i], c, *source, options),
                                [answers, i, c](tuner::MeasureResult result) { answers->put({i, c, std::move(result)}); });
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(wait_s);
  while (left > 0 && !cancel.cancelled() && std::chrono::steady_clock::now() < until)
    for (const auto& [winner, checker, result] : answers->take()) {
      --left;
      if (!tuner::is_outcome(result.outcome) || result.ends_search) continue;
      const auto& [runner, store] = checkers[checker];
      store.insert(record_of(winners[winner], result, runner.device_key(), options), nullptr);
    }
  for (const Checker& one : checkers) HONE_TRY(one.store.flush());
  return ok_status();
}

Result<std::vector<tuner::Bias>> doubt_biased(tuner::RecordStore& store, const std::string& device_key) {
  HONE_ASSIGN(checks, store.cross_checks(device_key));
  std::vector<tuner::Bias> biased = tuner::find_biased(checks);
  for (const tuner::Bias& one : biased)
    HONE_TRY(store.doubt({one.enrolment, one.device, one.agreed_unix_ms}));
  return biased;
}

std::string text_of(const tuner::Bias& bias) {
  return cat("its times are ", number_text(bias.ratio), " × those of other devices of its class, by the checks of ", bias.checks, " jobs");
}

}  // namespace hone::server
