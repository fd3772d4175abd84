// Of Space: where a search begins, by the estimate of time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "tuner/space/repair.h"
#include "tuner/space/space.h"

namespace hone::tuner {

namespace {

// Of a task's own program: a round of a search.
constexpr size_t kSeedsMax = 8;
// Draws of which the best are climbed from: of so many the best of three lies in the best tenth of a space all but always (1 − 0.9⁶⁴ = 0.999).
constexpr int kDraws = 64, kClimbs = 3;
// A step that gains less is not taken: the estimate does not tell such times apart. Neither is one away from what is usual, which costs code, memory or a
// launch, for less than pairs of recordings are apart that count as different.
constexpr double kWorthwhile = 0.01, kWorthTheUnusual = 0.05;
// Where threads do not run side by side, drivers compile in software, for as long as there is code, and that is most of a trial: one of more than twice the
// first one's code costs two trials, and the first is said to be faster.
constexpr int64_t kMuchCode = 2;
// There, code that takes as long to compile as a trial takes, a tenth of a second (prune.cc): of more it is asked what it is good for.
constexpr double kLongCode = 2000;
// A schedule of twice the code has to take a tenth less time: so much faster the estimate has called vectors of merges than their scalars, which cores run
// as fast.
constexpr double kWorthTheCode = 0.1;

template <typename Timed>
void sort_by_time(std::vector<Timed>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Timed& x, const Timed& y) { return x.us < y.us; });
}

// Decisions without effect make the same steps.
bool is_among(const std::vector<schedule::Trace>& traces, const schedule::Trace& trace) {
  return std::any_of(traces.begin(), traces.end(), [&](const schedule::Trace& one) { return one.steps == trace.steps; });
}

}  // namespace

// Legal draws of what is usual, the fastest first, and the space's first assignment where all values are the smallest.
std::vector<Space::Timed> Space::beginnings() const {
  Rng rng(1);
  std::vector<Timed> drawn{{0, Assignment(decisions_.size(), 0)}};
  for (int i = 0; i < kDraws; ++i) drawn.push_back({0, sample_own(rng)});
  for (Timed& one : drawn) {
    for (size_t i = 0; i < own_; ++i)
      if (decisions_[i].first_is_usual) one.assignment[i] = 0;  // the task's own program among it
    repair(one.assignment);
    one.us = time_us(one.assignment);
  }
  sort_by_time(drawn);
  std::vector<Timed> legal;
  for (Timed& one : drawn)
    if (legal.size() < kClimbs && trace(one.assignment).ok()) legal.push_back(std::move(one));
  return legal;
}

std::optional<Space::Timed> Space::changed(const Assignment& from, size_t decision, size_t value) const {
  if (decisions_[decision].handle.choice == &Choices::algorithm) return std::nullopt;
  Assignment other = from;
  other[decision] = static_cast<int>(value);
  repair(other);
  if (other == from) return std::nullopt;
  const double us = time_us(other);
  return Timed{us, std::move(other)};
}

// One decision after the other takes each value that should take less time, until none should.
Space::Timed Space::climbed(Timed at) const {
  for (bool climbs = true; climbs;) {
    climbs = false;
    for (size_t i = 0; i < own_; ++i)
      for (size_t value = 0; value < decisions_[i].values.size(); ++value) {
        std::optional<Timed> other = changed(at.assignment, i, value);
        if (!other || other->us >= at.us * (1 - (decisions_[i].first_is_usual && value > 0 ? kWorthTheUnusual : kWorthwhile)) || !trace(other->assignment).ok()) continue;
        at = std::move(*other);
        climbs = true;
      }
  }
  return at;
}

// Long code has to be worth it: sizes are changed as long as less code makes up for more time.
Space::Timed Space::shortened(Timed at) const {
  const auto price = [this](const Timed& timed) {
    const auto made = apply(timed.assignment);
    const double code = made.ok() ? of(made->operations) : std::numeric_limits<double>::infinity();
    return std::pair(timed.us * std::pow(1 + code / kLongCode, std::log2(1 + kWorthTheCode)), code);
  };
  auto [least, code] = price(at);
  for (bool shortens = code > kLongCode; shortens;) {
    shortens = false;
    for (size_t i = 0; i < own_; ++i)
      for (size_t value = 0; value < decisions_[i].values.size(); ++value) {
        std::optional<Timed> other = decisions_[i].is_size() ? changed(at.assignment, i, value) : std::nullopt;
        if (!other || other->us > at.us * (1 + kWorthTheCode)) continue;
        const auto [found, shorter] = price(*other);
        if (found >= least * (1 - kWorthwhile / 2) || shorter >= code) continue;
        at = std::move(*other), least = found, code = shorter;
        shortens = code > kLongCode;
      }
  }
  return at;
}

// Of each decision the best other value. First what makes a launch more or fewer, then what has a name, as where an operand is kept: devices differ in these
// by more than the estimate knows; then sizes. The fastest first.
std::vector<Space::Timed> Space::alternatives(const Assignment& best) const {
  std::vector<std::pair<int, Timed>> all;
  for (size_t i = 0; i < own_; ++i) {
    std::vector<Timed> others;
    for (size_t value = 0; value < decisions_[i].values.size(); ++value)
      if (std::optional<Timed> other = changed(best, i, value)) others.push_back(std::move(*other));
    sort_by_time(others);
    const int place = subject_of(decisions_[i].handle.choice) == Subject::kProducer ? 0 : decisions_[i].is_size() ? 2 : 1;
    if (!others.empty()) all.push_back({place, std::move(others.front())});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return std::tuple(x.first, x.second.us) < std::tuple(y.first, y.second.us); });
  std::vector<Timed> out;
  for (auto& [place, timed] : all) out.push_back(std::move(timed));
  return out;
}

// Where nothing is known of a GPU, the first two as if it were hardware come second: it may be.
std::vector<schedule::Trace> Space::seeds() const {
  std::vector<schedule::Trace> seeds = estimated_best(kSeedsMax);
  if (is_unknown(target_) && !seeds.empty()) {
    Space hardware = *this;
    hardware.side_by_side_ = true;
    for (schedule::Trace& other : hardware.estimated_best(2))
      if (!is_among(seeds, other)) seeds.insert(seeds.begin() + 1, std::move(other));
    seeds.resize(std::min(seeds.size(), kSeedsMax));
  }
  add_seeds_of_others(seeds);
  return seeds;
}

std::vector<schedule::Trace> Space::estimated_best(size_t count) const {
  std::vector<Timed> wanted;
  for (Timed& from : beginnings()) wanted.push_back(climbed(std::move(from)));
  sort_by_time(wanted);
  if (!wanted.empty() && !side_by_side_) wanted.front() = shortened(std::move(wanted.front()));
  if (!wanted.empty())
    for (Timed& other : alternatives(wanted.front().assignment)) wanted.push_back(std::move(other));
  std::vector<schedule::Trace> out;
  int64_t operations_max = std::numeric_limits<int64_t>::max();
  for (const Timed& one : wanted) {
    if (out.size() >= count) break;
    auto made = apply(one.assignment);
    if (!made.ok() || made->operations > operations_max || is_among(out, made->trace)) continue;
    if (out.empty() && !side_by_side_) operations_max = kMuchCode * made->operations;
    out.push_back(std::move(made->trace));
  }
  return out;
}

}  // namespace hone::tuner
