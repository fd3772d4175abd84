#include "tuner/records/cross_checks.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/median.h"
#include "tuner/records/bias.h"
#include "tuner/records/claims.h"
#include "tuner/records/limits.h"

namespace hone::tuner {

namespace {

bool same_conditions(const Record& check, const Record& other) {
  return other.cache == check.cache && other.origin != Origin::kNaive && are_apart(witness_of(check), witness_of(other));
}

const Record* best_founded(const std::vector<Record>& trial, const Record& check) {
  const Record* best = nullptr;
  for (const Record& other : trial)
    if (same_conditions(check, other) && other.origin != Origin::kCheck && other.recorded_unix_ms <= check.recorded_unix_ms &&
        (!best || other.samples_us.size() >= best->samples_us.size()))
      best = &other;
  return best;
}

bool is_repeat_of(const Record& check, const Record& other) {
  return other.origin == Origin::kCheck && other.job_id == check.job_id && other.attempt < check.attempt && same_conditions(check, other);
}

Record without_lists(Record record) {
  record.samples_us.clear();
  record.features.clear();
  return record;
}

DeviceName name_of(const Record& record) { return {record.enrolment, record.device}; }

// Log-ratios of a device's times over another's.
struct Sequence {
  std::map<std::string, std::vector<double>> by_job;
  std::vector<std::string> jobs;  // in order
};

struct Opponent {
  Sequence of_checks, of_best;
  bool trusted = false;
};

struct Suspect {
  std::string agent;
  bool trusted = false;
  int64_t agreed_unix_ms = 0;
  std::map<DeviceName, Opponent> opponents;
};

using Suspects = std::map<DeviceName, Suspect>;

void note(Suspects& all, const Record& record, const Record& other, double ratio, const CrossCheck& one) {
  const Record& check = one.check;
  Suspect& suspect = all[name_of(record)];
  suspect.agent = record.agent;
  suspect.trusted |= record.trusted;
  if (std::abs(ratio) <= std::log(kAgreeWithin)) suspect.agreed_unix_ms = std::max(suspect.agreed_unix_ms, check.recorded_unix_ms);
  Opponent& opponent = suspect.opponents[name_of(other)];
  opponent.trusted |= other.trusted;
  Sequence& sequence = one.of_best ? opponent.of_best : opponent.of_checks;
  std::vector<double>& of_job = sequence.by_job[check.job_id];
  if (of_job.empty()) sequence.jobs.push_back(check.job_id);
  of_job.push_back(ratio);
}

Suspects suspects_of(const std::vector<CrossCheck>& checks) {
  Suspects all;
  for (const CrossCheck& one : checks) {
    if (one.first.doubted || one.check.doubted) continue;
    const double ratio = log_ratio(one);
    note(all, one.check, one.first, ratio, one);
    note(all, one.first, one.check, -ratio, one);
  }
  return all;
}

// Looked at after each job, as they came.
std::optional<BiasTest> shown_by(const Sequence& sequence, double allowed, double alpha) {
  BiasTest test;
  for (const std::string& job : sequence.jobs) {
    test.add(median(sequence.by_job.at(job)));
    if (test.is_biased(allowed, alpha)) return test;
  }
  return std::nullopt;
}

// Two tests of each opponent share what may be found falsely of a device.
std::optional<BiasTest> shown_against(const Opponent& opponent, size_t opponents) {
  const double alpha = kFalseFlagsMax / 2 / static_cast<double>(opponents);
  const auto test = shown_by(opponent.of_checks, kAllowed, alpha);
  return test ? test : shown_by(opponent.of_best, kAllowedOfBest, alpha);
}

struct Shown {
  int against = 0;  // so many opponents
  bool by_trusted = false;
  Bias most;
};

Shown shown_by(const DeviceName& name, const Suspect& suspect) {
  Shown shown{.most = {name.first, name.second, suspect.agent, 1, 0, suspect.agreed_unix_ms}};
  for (const auto& [other, opponent] : suspect.opponents) {
    const auto test = shown_against(opponent, suspect.opponents.size());
    if (!test) continue;
    ++shown.against;
    shown.by_trusted |= opponent.trusted;
    if (shown.most.checks != 0 && std::abs(test->mean()) <= std::abs(std::log(shown.most.ratio))) continue;
    shown.most.ratio = std::exp(test->mean());
    shown.most.checks = test->count();
  }
  return shown;
}

bool is_found(const Suspect& suspect, const Shown& shown) {
  const bool by_most = shown.against >= 2 && 2 * static_cast<size_t>(shown.against) > suspect.opponents.size();
  return !suspect.trusted && (shown.by_trusted || by_most);
}

// Whom most speak against.
std::optional<Bias> most_biased(const Suspects& all) {
  std::optional<Shown> most;
  for (const auto& [name, suspect] : all) {
    const Shown shown = shown_by(name, suspect);
    if (!is_found(suspect, shown)) continue;
    if (!most || std::pair(shown.by_trusted, shown.against) > std::pair(most->by_trusted, most->against)) most = shown;
  }
  return most ? std::optional(most->most) : std::nullopt;
}

}  // namespace

void CrossChecks::add(const Record& record) {
  if (!trial_.empty() && trial_.front().trial != record.trial) pair_up();
  if (gives_time(record.origin, record.outcome, record.latency_us_median)) trial_.push_back(record);
}

void CrossChecks::pair_up() {
  for (const Record& check : trial_) {
    if (check.origin != Origin::kCheck) continue;
    if (const Record* first = best_founded(trial_, check)) all_.push_back({without_lists(*first), without_lists(check), true});
    for (const Record& other : trial_)
      if (is_repeat_of(check, other)) all_.push_back({without_lists(other), without_lists(check), false});
  }
  trial_.clear();
}

std::vector<CrossCheck> CrossChecks::take() {
  pair_up();
  std::stable_sort(all_.begin(), all_.end(), [](const CrossCheck& a, const CrossCheck& b) {
    return a.check.recorded_unix_ms < b.check.recorded_unix_ms;
  });
  return std::move(all_);
}

double log_ratio(const CrossCheck& check) {
  const Record &a = check.check, &b = check.first;
  const bool both_know = a.reference_us > 0 && b.reference_us > 0 && a.compiler_version == b.compiler_version;
  const double slower = both_know ? a.reference_us / b.reference_us : 1;
  return std::log(a.latency_us_median / b.latency_us_median / slower);
}

std::vector<Bias> find_biased(const std::vector<CrossCheck>& checks) {
  Suspects all = suspects_of(checks);
  std::vector<Bias> found;
  while (const auto bias = most_biased(all)) {
    const DeviceName name(bias->enrolment, bias->device);
    all.erase(name);
    for (auto& [other, suspect] : all) suspect.opponents.erase(name);
    found.push_back(*bias);
  }
  return found;
}

}  // namespace hone::tuner
