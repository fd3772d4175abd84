#include "tuner/search/experience.h"

#include <algorithm>

namespace hone::tuner {

namespace {

constexpr size_t kGroupMin = 8;  // fewer rows have next to no pairs

// Every so manieth row, so that both fast and slow ones stay.
CostGroup thinned(const CostGroup& group, double share) {
  CostGroup kept;
  double due = 0;
  for (const CostRow& row : group) {
    due += share;
    if (due < 1) continue;
    due -= 1;
    kept.push_back(row);
  }
  return kept;
}

}  // namespace

void Experience::add(const Hash& task, const Features& features, double latency_us) {
  tasks_[task].push_back({features, latency_us});
}

void Experience::add_group(CostGroup group) { before_.push_back(std::move(group)); }

size_t Experience::rows_of_others(const Hash& task) const {
  size_t rows = 0;
  for (const CostGroup& group : before_) rows += group.size();
  for (const auto& [id, timed] : tasks_)
    if (id != task && timed.size() >= kGroupMin) rows += timed.size();
  return rows;
}

std::shared_ptr<const CostModel> Experience::model_of_others(const Hash& task) const {
  const size_t rows = rows_of_others(task);
  if (rows < kRowsMin) return nullptr;
  const double share = std::min(1.0, static_cast<double>(kRowsMax) / static_cast<double>(rows));
  std::vector<CostGroup> groups;
  for (const CostGroup& group : before_) groups.push_back(thinned(group, share));
  for (const auto& [id, timed] : tasks_) {
    if (id == task || timed.size() < kGroupMin) continue;
    double best_us = 0;
    for (const Timed& t : timed)
      if (t.latency_us > 0 && (best_us == 0 || t.latency_us < best_us)) best_us = t.latency_us;
    CostGroup group;
    for (const Timed& t : timed)
      group.push_back({t.features, t.latency_us > 0 ? static_cast<float>(best_us / t.latency_us) : 0});
    groups.push_back(thinned(group, share));
  }
  auto model = std::make_shared<CostModel>();
  Status learnt = model->fit(groups);
  CHECK(learnt.ok(), learnt.error().message);
  return model;
}

}  // namespace hone::tuner
