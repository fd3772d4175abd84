#include "tuner/search/planner.h"

#include "base/hash.h"
#include "codegen/compile.h"
#include "tuner/search/evolutionary_search.h"
#include "tuner/search/local_search.h"
#include "tuner/search/random_search.h"

namespace hone::tuner {

namespace {

std::unique_ptr<Strategy> make_strategy(StrategyKind kind, const te::Task& task, const target::Target& target,
                                        Space space, uint64_t seed, std::shared_ptr<CreationCost> cost) {
  switch (kind) {
    case StrategyKind::kEvolutionary:
      return std::make_unique<EvolutionarySearch>(task, target, std::move(space), seed, std::move(cost));
    case StrategyKind::kLocal:
      return std::make_unique<LocalSearch>(std::move(space), seed, std::move(cost));
    case StrategyKind::kRandom:
      break;
  }
  return std::make_unique<RandomSearch>(std::move(space), seed);
}

}  // namespace

Planner space_planner(target::Target target, uint64_t seed, StrategyKind kind) {
  return [target = std::move(target), seed, kind,
          cost = std::make_shared<CreationCost>()](const te::Task& task) -> Result<Plan> {
    HONE_ASSIGN(space, Space::derive(task, target));
    Plan plan;
    plan.baseline = baseline_trace(task, target);
    plan.seeds = space.seeds();
    if (plan.seeds.empty()) plan.seeds.push_back(plan.baseline);  // the one schedule that is always legal
    plan.strategy = make_strategy(kind, task, target, std::move(space), hash_mix(seed, task.id.lo), cost);
    return plan;
  };
}

Planner space_planner(target::Target target, uint64_t seed) {
  return space_planner(std::move(target), seed, StrategyKind::kEvolutionary);
}

Planner bare_planner(std::function<Result<Space>(const te::Task&)> space_of, target::Target target, uint64_t seed,
                     StrategyKind kind) {
  return [=, cost = std::make_shared<CreationCost>()](const te::Task& task) -> Result<Plan> {
    HONE_ASSIGN(space, space_of(task));
    Plan plan;
    plan.baseline = baseline_trace(task, target);
    plan.strategy = make_strategy(kind, task, target, std::move(space), hash_mix(seed, task.id.lo), cost);
    return plan;
  };
}

}  // namespace hone::tuner
