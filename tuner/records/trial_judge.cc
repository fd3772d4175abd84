#include "tuner/records/trial_judge.h"

#include <algorithm>

namespace hone::tuner {

namespace {

void note_unconfirmed(KnownTrial& trial, double us) {
  if (trial.unconfirmed_us == 0 || us < trial.unconfirmed_us) trial.unconfirmed_us = us;
}

}  // namespace

bool has_time(const KnownTrial& trial) {
  return trial.candidate && trial.outcome == ErrorCode::kOk && trial.latency_us > 0;
}

std::optional<KnownTrial> best_of(const std::vector<KnownTrial>& trials) {
  const KnownTrial* best = nullptr;
  for (const KnownTrial& trial : trials)
    if (trial.candidate && trial.outcome == ErrorCode::kOk && (!best || trial.latency_us < best->latency_us))
      best = &trial;
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
  const ErrorCode outcome = record.unconfirmed ? ErrorCode::kUnstable : record.outcome;
  trial.final |= is_final(outcome, ++seen_[{record.source_hash, outcome}]);
  if (trial.outcome != ErrorCode::kOk) trial.outcome = outcome;
  if (record.unconfirmed) return note_unconfirmed(trial, record.latency_us_median);
  if (trial.outcome != ErrorCode::kOk || !gives_time(record.origin, record.outcome, record.latency_us_median)) return;
  int samples = static_cast<int>(record.samples_us.size());
  if (trial.latency_us > 0 && samples < trial.sample_count) return;
  trial.latency_us = record.latency_us_median;
  trial.sample_count = samples;
  trial.browser_major = record.browser_major;
  trial.reference_us = record.reference_us;
  trial.device = record.device;
  trial.compiler_version = record.compiler_version;
}

}  // namespace hone::tuner
