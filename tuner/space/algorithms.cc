// Of Space: other programs for the same task. Each has a space of its own, whose decisions stand behind the task's.
#include <algorithm>
#include <limits>

#include "base/cat.h"
#include "codegen/schedule/variant.h"
#include "tuner/space/space.h"

namespace hone::tuner {

void Space::add_algorithms() {
  for (const te::Alternative& alternative : task_->alternatives) add_algorithm(alternative);
  if (target::on_textures(target_.kind)) add_rows_in_fragments();
  if (others_.empty()) return;
  std::vector<Algorithm> all = std::move(others_);
  others_.clear();
  const Handle handle{&Choices::algorithm};
  Decision algorithm{handle, word_of(handle), {0}, {"direct"}, true};
  for (const Algorithm& a : all) {
    algorithm.values.push_back(static_cast<int64_t>(algorithm.values.size()));
    algorithm.labels.push_back(a.name);
  }
  decisions_.push_back(std::move(algorithm));
  own_ = decisions_.size();
  for (Algorithm& a : all) append(std::move(a));
}

// One of each name: its decisions' keys begin with it.
void Space::add_algorithm(const te::Alternative& alternative) {
  const bool known = std::any_of(others_.begin(), others_.end(), [&](const Algorithm& a) { return a.name == alternative.name; });
  auto varied = schedule::variant_of(*task_, alternative.stage, alternative.name, device_);
  if (known || !varied.ok()) return;
  const auto task = std::make_shared<te::Task>(std::move(*varied));
  Space space(*task, device_, !target::on_textures(target_.kind));
  space.given_ = task_;
  space.opening_ = {schedule::variant(alternative.stage, alternative.name)};
  space.name_ = alternative.name;
  space.add_decisions();
  others_.push_back({alternative.name, task, std::make_shared<const Space>(std::move(space))});
}

// Fragments share nothing: each reduces its rows anew, which saves launches and costs reads.
void Space::add_rows_in_fragments() {
  Space space(*task_, device_, true);
  if (sketch_.groups.size() == 1 || !space.sketch_.groups[0].row) return;
  space.name_ = "rows";
  space.add_decisions();
  const std::shared_ptr<const te::Task> same(std::shared_ptr<const te::Task>(), task_);  // not owned
  others_.push_back({space.name_, same, std::make_shared<const Space>(std::move(space))});
}

void Space::append(Algorithm algorithm) {
  algorithm.first = decisions_.size();
  for (Decision d : algorithm.space->decisions_) {
    d.key = cat(algorithm.name, ".", d.key);
    decisions_.push_back(std::move(d));
  }
  others_.push_back(std::move(algorithm));
}

const Space::Algorithm* Space::other(const Assignment& a) const {
  if (others_.empty()) return nullptr;
  const int64_t chosen = decisions_[own_ - 1].values[static_cast<size_t>(a[own_ - 1])];
  return chosen == 0 ? nullptr : &others_[static_cast<size_t>(chosen - 1)];
}

size_t Space::algorithm(const Assignment& a) const {
  const Algorithm* chosen = other(a);
  return chosen ? static_cast<size_t>(chosen - others_.data()) + 1 : 0;
}

bool Space::permits(const Algorithm& algorithm) const {
  const std::vector<int64_t>& values = decisions_[own_ - 1].values;
  return std::find(values.begin(), values.end(), &algorithm - others_.data() + 1) != values.end();
}

Assignment Space::part(const Assignment& a, const Algorithm& algorithm) const {
  const auto first = a.begin() + static_cast<std::ptrdiff_t>(algorithm.first);
  return {first, first + static_cast<std::ptrdiff_t>(algorithm.space->decisions_.size())};
}

Assignment Space::whole(const Algorithm& algorithm, const Assignment& part) const {
  Assignment a(decisions_.size(), 0);
  const std::vector<int64_t>& values = decisions_[own_ - 1].values;
  const auto chosen = std::find(values.begin(), values.end(), &algorithm - others_.data() + 1);
  a[own_ - 1] = static_cast<int>(chosen - values.begin());
  std::copy(part.begin(), part.end(), a.begin() + static_cast<std::ptrdiff_t>(algorithm.first));
  return a;
}

// What is not chosen is at its first value, so that equal schedules are equal assignments.
void Space::clear_others(Assignment& a) const {
  const Algorithm* chosen = other(a);
  if (chosen) std::fill(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(own_ - 1), 0);
  for (const Algorithm& algorithm : others_)
    if (&algorithm != chosen)
      std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(algorithm.first), algorithm.space->decisions_.size(), 0);
}

Assignment Space::sample_own(Rng& rng) const {
  Assignment a(decisions_.size(), 0);
  for (size_t i = 0; i < own_; ++i) {
    const Decision& d = decisions_[i];
    const bool usual = d.first_is_usual && rng.below(4) > 0;
    a[i] = usual ? 0 : static_cast<int>(rng.below(d.values.size()));
  }
  return a;
}

Assignment Space::sample(Rng& rng) const {
  Assignment a = sample_own(rng);
  if (const Algorithm* chosen = other(a)) return whole(*chosen, chosen->space->sample(rng));
  repair(a);
  return a;
}

// One change in eight is another algorithm, drawn anew.
Assignment Space::mutate(const Assignment& from, Rng& rng) const {
  if (!others_.empty() && decisions_[own_ - 1].values.size() > 1 && rng.below(8) == 0) {
    Assignment a = sample(rng);
    while (a[own_ - 1] == from[own_ - 1]) a = sample(rng);
    return a;
  }
  if (const Algorithm* chosen = other(from)) return whole(*chosen, chosen->space->mutate(part(from, *chosen), rng));
  return mutate_own(from, rng);
}

// The best two of each other algorithm that should take less time than the task's own program.
void Space::add_seeds_of_others(std::vector<schedule::Trace>& seeds) const {
  const auto estimated_us = [this](const schedule::Trace& trace) {
    const std::optional<Assignment> a = parse(trace);
    return a ? time_us(*a) : std::numeric_limits<double>::infinity();
  };
  double own_us = std::numeric_limits<double>::infinity();
  for (const schedule::Trace& trace : seeds) own_us = std::min(own_us, estimated_us(trace));
  for (const Algorithm& algorithm : others_) {
    if (!permits(algorithm)) continue;
    const std::vector<schedule::Trace> of_it = algorithm.space->estimated_best(2);
    if (of_it.empty() || estimated_us(of_it[0]) >= own_us) continue;
    seeds.insert(seeds.end(), of_it.begin(), of_it.end());
  }
}

}  // namespace hone::tuner
