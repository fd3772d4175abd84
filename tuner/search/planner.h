// The plan of a task's search: yardstick, seeds and a strategy by name.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "codegen/target/target.h"
#include "tuner/search/experience.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

namespace hone::tuner {

enum class StrategyKind : uint8_t { kEvolutionary, kAnnealing, kGenetic, kLocal, kRandom };
std::string_view strategy_name(StrategyKind kind);  // "evolutionary", …
std::optional<StrategyKind> parse_strategy(std::string_view name);
std::vector<std::string> strategy_names();  // of all, the default first

// What makes the planner of one job.
using PlannerMaker = std::function<Planner(const target::Target&, uint64_t seed, StrategyKind kind)>;

// Plans for targets whose space there is; the task outlives its plan. `seed` and the task's id fix the sequence of proposals.
Planner space_planner(target::Target target, uint64_t seed, StrategyKind kind);
Planner space_planner(target::Target target, uint64_t seed);  // with the strategy that serves best
// Within a given space, without the seeds of an estimate: every proposal comes from the strategy, or from what is recalled (benchmarks, recordings).
Planner bare_planner(std::function<Result<Space>(const te::Task&)> space, target::Target target, uint64_t seed,
                     StrategyKind kind);

}  // namespace hone::tuner
