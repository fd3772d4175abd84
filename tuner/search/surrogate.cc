#include "tuner/search/surrogate.h"

namespace hone::tuner {

namespace {
constexpr size_t kReadMax = 20000;  // features that are remembered, 240 bytes each
}

Surrogate::Surrogate(const te::Task& task, target::Target target, std::shared_ptr<const CostModel> prior)
    : task_(task), target_(std::move(target)), model_(std::move(prior)) {}

std::optional<Features> Surrogate::features(Hash identity, const schedule::Trace& trace) {
  if (auto found = read_.find(identity); found != read_.end()) return found->second;
  auto made = features_of(task_, trace, target_);
  if (!made.ok()) return std::nullopt;
  if (read_.size() >= kReadMax) read_.clear();
  return read_[identity] = *made;
}

void Surrogate::observe(const Population& population, size_t place, const schedule::Trace& trace) {
  if (auto row = features(population.members()[place].identity, trace)) rows_.emplace_back(place, *row);
}

void Surrogate::learn(const Population& population) {
  if (learnt_ == rows_.size() || population.fastest().size() < kResultsMin) return;
  learnt_ = rows_.size();
  const double best_us = population.best().latency_us;
  CostGroup group;
  for (const auto& [place, row] : rows_) {
    const double us = population.members()[place].latency_us;
    group.push_back({row, us > 0 ? static_cast<float>(best_us / us) : 0.0f});
  }
  Status learnt = model_.update(group);
  CHECK(learnt.ok(), learnt.error().message);
}

std::vector<Prediction> Surrogate::predict(const std::vector<Features>& rows) const {
  auto predictions = model_.predict(rows);
  CHECK(predictions.ok(), predictions.error().message);
  return std::move(*predictions);
}

double Surrogate::expected_us(const Population& population, const Prediction& prediction) const {
  const double speed = model_.speed_of(prediction.score);
  return speed > 0 && !population.fastest().empty() ? population.best().latency_us / speed : 0;
}

}  // namespace hone::tuner
