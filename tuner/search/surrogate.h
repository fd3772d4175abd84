// Surrogate: what a strategy expects of schedules that it has not tried: the cost model on the features of a population's members, refitted
// when results came. One thread; the task outlives it.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "codegen/target/target.h"
#include "tuner/cost_model/cost_model.h"
#include "tuner/search/experience.h"
#include "tuner/search/population.h"

namespace hone::tuner {

class Surrogate {
 public:
  // `experience`: of other tasks and devices, to which this search adds its own. While nothing is known there, nothing is expected before
  // kResultsMin schedules have a time.
  Surrogate(const te::Task& task, target::Target target, std::shared_ptr<Experience> experience);

  // Uses up its schedule. nullopt: it cannot be lowered.
  std::optional<Features> features(Child& child);
  // A member was added to the population at this place.
  void observe(const Population& population, size_t place, const schedule::Trace& trace);
  // Learns what was observed since the last call.
  void learn(const Population& population);
  bool trained() const { return model_.trained(); }
  std::vector<Prediction> predict(const std::vector<Features>& rows) const;
  // The time that a score stands for; 0 = unknown.
  double expected_us(const Population& population, const Prediction& prediction) const;

  static constexpr size_t kResultsMin = 12;

 private:
  std::optional<Features> known(Hash identity) const;
  std::optional<Features> keep(Hash identity, Result<Features> made);
  void ask_others();

  const te::Task& task_;
  const target::Target target_;
  std::shared_ptr<Experience> experience_;
  size_t others_rows_ = 0;  // that the model's prior has seen
  CostModel model_;
  std::vector<std::pair<size_t, Features>> rows_;        // places of members, in order of observation
  std::unordered_map<Hash, Features, HashHasher> read_;  // of schedules that are under consideration
  size_t learnt_ = 0;                                    // of rows_
};

}  // namespace hone::tuner
