// What strategies on a population have in common: PopulationStrategy learns by it alone, SurrogateStrategy also by the cost model.
#pragma once
#include "tuner/search/surrogate.h"

namespace hone::tuner {

class PopulationStrategy : public Strategy {
 public:
  // `cost` is what all searches on one device know together.
  PopulationStrategy(Space space, uint64_t seed, std::shared_ptr<CreationCost> cost = std::make_shared<CreationCost>())
      : population_(std::move(space), seed, std::move(cost)) {}
  void observe(const Observation& observation) override { population_.observe(observation); }
  std::map<std::string, int> dropped() const override { return population_.dropped(); }

 protected:
  Population population_;
};

class SurrogateStrategy : public PopulationStrategy {
 public:
  // The task outlives the strategy.
  SurrogateStrategy(const te::Task& task, target::Target target, Space space, uint64_t seed,
                    std::shared_ptr<CreationCost> cost = std::make_shared<CreationCost>(),
                    std::shared_ptr<Experience> experience = std::make_shared<Experience>())
      : PopulationStrategy(std::move(space), seed, std::move(cost)),
        surrogate_(task, std::move(target), std::move(experience)) {}
  void observe(const Observation& o) override {
    if (auto place = population_.observe(o)) surrogate_.observe(population_, *place, o.trace);
  }

 protected:
  Surrogate surrogate_;
};

}  // namespace hone::tuner
