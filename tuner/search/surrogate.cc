#include "tuner/search/surrogate.h"

namespace hone::tuner {

namespace {
constexpr size_t kReadMax = 20000;  // features that are remembered, 256 bytes each
// With so many of its own a search no longer asks what others have learnt meanwhile.
constexpr size_t kOwnRowsEnough = 64;
constexpr size_t kOthersGrowth = 2;
}  // namespace

Surrogate::Surrogate(const te::Task& task, target::Target target, std::shared_ptr<Experience> experience)
    : task_(task), target_(std::move(target)), experience_(std::move(experience)) {}

std::optional<Features> Surrogate::known(Hash identity) const {
  const auto found = read_.find(identity);
  return found == read_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Features> Surrogate::keep(Hash identity, Result<Features> made) {
  if (!made.ok()) return std::nullopt;
  if (read_.size() >= kReadMax) read_.clear();
  return read_[identity] = *made;
}

std::optional<Features> Surrogate::features(Child& child) {
  auto row = known(child.identity);
  if (!row) row = keep(child.identity, features_of(*child.result));
  child.result.reset();
  return row;
}

void Surrogate::observe(const Population& population, size_t place, const schedule::Trace& trace) {
  const Population::Member& member = population.members()[place];
  auto row = known(member.identity);
  if (!row) row = keep(member.identity, features_of(task_, trace, target_));
  if (!row) return;
  rows_.emplace_back(place, *row);
  experience_->add(task_.id, *row, member.latency_us);
}

// Anew whenever the others know twice as much as they did.
void Surrogate::ask_others() {
  const size_t rows = experience_->rows_of_others(task_.id);
  if (rows < Experience::kRowsMin || rows < kOthersGrowth * others_rows_ || rows_.size() >= kOwnRowsEnough) return;
  others_rows_ = rows;
  model_ = CostModel(experience_->model_of_others(task_.id));
  learnt_ = 0;
}

void Surrogate::learn(const Population& population) {
  ask_others();
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
