#include "server/jobs/known_first.h"

#include <algorithm>

#include "base/cat.h"
#include "base/log.h"
#include "tuner/records/trial_judge.h"
#include "tuner/search/limits.h"
#include "tuner/search/measured_record.h"

namespace hone::server {

namespace {

tuner::MeasureResult result_of(const tuner::KnownTrial& known, const tuner::MeasureInput& input) {
  return {.trial_id = input.trial_id,
          .attempt = input.attempt,
          .recorded = true,
          .outcome = known.outcome,
          .message = known.message,
          .samples_us = std::vector<double>(static_cast<size_t>(known.sample_count), known.latency_us),
          .latency_us_median = known.latency_us,
          .cache = known.cache};
}

tuner::MeasureResult cancelled(const tuner::MeasureInput& input) {
  return {.trial_id = input.trial_id,
          .attempt = input.attempt,
          .outcome = ErrorCode::kCancelled,
          .message = "the job was cancelled"};
}

}  // namespace

UnderWay::Key KnownFirst::key_of(const tuner::MeasureInput& input) const {
  return {input.task->id, device_key(), input.source.hash};
}

void KnownFirst::submit(tuner::MeasureInput input, OnResult on_result) {
  if (!input.in_turns && wait_for_other(input, on_result)) return;
  if (auto known = recorded(input)) {
    end(key_of(input));
    return on_result(std::move(*known));
  }
  measure(std::move(input), std::move(on_result));
}

// From here on it is this job's, unless another has it. The store is asked afterwards: it then holds what the other one found.
bool KnownFirst::wait_for_other(const tuner::MeasureInput& input, const OnResult& on_result) {
  std::lock_guard lock(mutex_);
  const uint64_t number = next_++;
  const bool mine = under_way_.begin(key_of(input), [weak = weak_from_this(), executor = &executor_, number] {
    executor->post([weak, number] {
      if (auto self = weak.lock()) self->again(number);
    });
  });
  if (mine) held_.insert(key_of(input));
  else if (!cancelled_) waiting_.emplace(number, Waiting{input, on_result});
  if (mine || !cancelled_) return !mine;
  on_result(cancelled(input));
  return true;
}

void KnownFirst::again(uint64_t number) {
  std::optional<Waiting> waiting;
  {
    std::lock_guard lock(mutex_);
    if (auto node = waiting_.extract(number); !node.empty()) waiting = std::move(node.mapped());
  }
  if (waiting) submit(std::move(waiting->first), std::move(waiting->second));
}

// What the store holds of the trial, if that is settled; else the attempt's number is raised beyond what it holds.
std::optional<tuner::MeasureResult> KnownFirst::recorded(tuner::MeasureInput& input) {
  auto known = store_.known_trial(input.task->id, device_key(), input.source.hash);
  if (!known.ok())
    log_warn(cat("the records could not be read: ", known.error().message, "; the candidate is measured"));
  if (!known.ok() || !*known) return std::nullopt;
  const tuner::KnownTrial trial = tuner::in_state({std::move(**known)}, input.cache).front();
  const bool as_wanted = (input.yardstick ? trial.yardstick : trial.candidate) && !tuner::is_timed_elsewhere(trial);
  if (!input.in_turns && as_wanted && (trial.final || trial.attempts >= tuner::kAttemptsMax))
    return result_of(trial, input);
  input.attempt = std::max(input.attempt, trial.attempts);
  return std::nullopt;
}

void KnownFirst::measure(tuner::MeasureInput input, OnResult on_result) {
  const UnderWay::Key key = key_of(input);
  runner_->submit(std::move(input),
                  [self = shared_from_this(), key, on_result = std::move(on_result)](tuner::MeasureResult result) {
                    // Others wait for the record, if there will be one.
                    const bool ends = !tuner::is_outcome(result.outcome);
                    on_result(std::move(result));
                    if (ends) self->end(key);
                  });
}

void KnownFirst::cancel() {
  std::map<uint64_t, Waiting> waiting;
  {
    std::lock_guard lock(mutex_);
    cancelled_ = true;
    waiting.swap(waiting_);
  }
  for (auto& [number, one] : waiting) one.second(cancelled(one.first));
  runner_->cancel();
}

void KnownFirst::end(const UnderWay::Key& key) {
  {
    std::lock_guard lock(mutex_);
    if (held_.erase(key) == 0) return;
  }
  under_way_.end(key);
}

void KnownFirst::settled(const Hash& task, const Hash& source) { end({task, device_key(), source}); }

void KnownFirst::close() {
  std::set<UnderWay::Key> held;
  {
    std::lock_guard lock(mutex_);
    held.swap(held_);
  }
  for (const UnderWay::Key& key : held) under_way_.end(key);
}

}  // namespace hone::server
