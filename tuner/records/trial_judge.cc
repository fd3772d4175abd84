#include "tuner/records/trial_judge.h"

#include <algorithm>

#include "tuner/records/claims.h"
#include "tuner/records/limits.h"

namespace hone::tuner {

namespace {

void note_refuted(KnownTrial& trial, double us) {
  if (trial.refuted_us == 0 || us < trial.refuted_us) trial.refuted_us = us;
}

// What was measured here is better founded than any number of samples that a file claims.
bool is_better_founded(const Record& record, int samples, const StateTime& than) {
  if (than.latency_us == 0 || than.sample_count == 0) return true;
  return is_import(record.agent) == than.imported ? samples >= than.sample_count : than.imported;
}

// A second median counts where nothing better is known.
void note_times(KnownTrial& trial, const Record& record) {
  const auto time_of = [&record](double latency_us, int samples) {
    return StateTime{latency_us, samples, record.browser_major, record.reference_us, record.device, record.compiler_version, record.standing, is_import(record.agent)};
  };
  const int samples = static_cast<int>(record.samples_us.size());
  StateTime& own = trial.by_cache[static_cast<size_t>(record.cache)];
  if (is_better_founded(record, samples, own)) own = time_of(record.latency_us_median, samples);
  StateTime& other = trial.by_cache[static_cast<size_t>(other_state(record.cache))];
  if (record.other_us > 0 && other.sample_count == 0) other = time_of(record.other_us, 0);
}

}  // namespace

bool has_time(const KnownTrial& trial) {
  return trial.candidate && trial.outcome == ErrorCode::kOk && trial.latency_us > 0;
}

std::vector<KnownTrial> in_state(std::vector<KnownTrial> trials, CacheState state) {
  for (KnownTrial& trial : trials) {
    const StateTime& time = trial.by_cache[static_cast<size_t>(state)];
    trial.cache = state;
    trial.latency_us = time.latency_us;
    trial.sample_count = time.sample_count;
    trial.browser_major = time.browser_major;
    trial.reference_us = time.reference_us;
    trial.device = time.device;
    trial.compiler_version = time.compiler_version;
    trial.standing = time.standing;
  }
  return trials;
}

bool is_timed_elsewhere(const KnownTrial& trial) {
  const auto has_any = [](const StateTime& time) { return time.latency_us > 0; };
  return trial.latency_us == 0 && std::any_of(trial.by_cache.begin(), trial.by_cache.end(), has_any);
}

double choice_us(const KnownTrial& trial, double us) {
  return us * (trial.standing == Standing::kConfirmed ? 1 : kAgreeWithin);
}

std::optional<KnownTrial> best_of(const std::vector<KnownTrial>& trials) {
  const KnownTrial* best = nullptr;
  for (const KnownTrial& trial : trials)
    if (has_time(trial) && (!best || choice_us(trial, trial.latency_us) < choice_us(*best, best->latency_us))) best = &trial;
  return best ? std::optional(*best) : std::nullopt;
}

std::optional<KnownTrial> yardstick_of(const std::vector<KnownTrial>& trials) {
  const KnownTrial* naive = nullptr;
  for (const KnownTrial& trial : trials)
    if (trial.yardstick) naive = &trial;
  return naive ? std::optional(*naive) : std::nullopt;
}

void TrialJudge::add(const Record& record) {
  auto [entry, is_new] = position_.try_emplace(record.source_hash, trials_.size());
  if (is_new)
    trials_.push_back({.source_hash = record.source_hash, .trace_json = record.trace_json, .origin = record.origin});
  KnownTrial& trial = trials_[entry->second];
  trial.attempts = std::max(trial.attempts, record.attempt + 1);
  trial.yardstick |= record.origin == Origin::kNaive;
  trial.candidate |= record.origin != Origin::kNaive;
  trial.message = record.message;
  if (trial.predicted_us == 0) trial.predicted_us = record.predicted_us;
  if (!record.features.empty()) {
    trial.features = record.features;
    trial.feature_version = record.feature_version;
  }
  // What is not believed is as good as measured on a device that was unstable: it may be tried again, and does not count.
  const bool refuted = record.standing == Standing::kRefuted;
  const ErrorCode outcome = refuted ? ErrorCode::kUnstable : record.outcome;
  trial.final |= is_final(outcome, ++seen_[{record.source_hash, outcome}]);
  if (trial.outcome != ErrorCode::kOk) trial.outcome = outcome;
  if (refuted) return note_refuted(trial, record.latency_us_median);
  if (trial.outcome != ErrorCode::kOk || !gives_time(record.origin, record.outcome, record.latency_us_median)) return;
  note_times(trial, record);
}

std::vector<KnownTrial> TrialJudge::take() {
  for (CacheState state : {CacheState::kModel, CacheState::kCold}) {
    trials_ = in_state(std::move(trials_), state);
    const auto is_measured = [](const KnownTrial& trial) { return has_time(trial) && trial.sample_count > 0; };
    if (std::any_of(trials_.begin(), trials_.end(), is_measured)) return std::move(trials_);
  }
  return in_state(std::move(trials_), CacheState::kHot);
}

}  // namespace hone::tuner
