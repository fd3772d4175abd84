#include "tuner/search/planner.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/hash.h"
#include "codegen/compile.h"
#include "tuner/features/features.h"
#include "tuner/search/annealing_search.h"
#include "tuner/search/evolutionary_search.h"
#include "tuner/search/genetic_search.h"
#include "tuner/search/local_search.h"
#include "tuner/search/random_search.h"

namespace hone::tuner {

namespace {

constexpr std::pair<StrategyKind, std::string_view> kNames[] = {{StrategyKind::kEvolutionary, "evolutionary"},
                                                                {StrategyKind::kAnnealing, "annealing"},
                                                                {StrategyKind::kGenetic, "genetic"},
                                                                {StrategyKind::kLocal, "local"},
                                                                {StrategyKind::kRandom, "random"}};

// What a strategy begins with.
struct Start {
  Space space;
  uint64_t seed = 0;
  std::shared_ptr<CreationCost> cost;
  std::shared_ptr<Experience> experience;
};

std::unique_ptr<Strategy> make_strategy(StrategyKind kind, const te::Task& task, const target::Target& target,
                                        Start start) {
  switch (kind) {
    case StrategyKind::kEvolutionary:
      return std::make_unique<EvolutionarySearch>(task, target, std::move(start.space), start.seed, start.cost,
                                                  start.experience);
    case StrategyKind::kAnnealing:
      return std::make_unique<AnnealingSearch>(task, target, std::move(start.space), start.seed, start.cost,
                                               start.experience);
    case StrategyKind::kGenetic:
      return std::make_unique<GeneticSearch>(std::move(start.space), start.seed, start.cost);
    case StrategyKind::kLocal:
      return std::make_unique<LocalSearch>(std::move(start.space), start.seed, start.cost);
    case StrategyKind::kRandom:
      break;
  }
  return std::make_unique<RandomSearch>(std::move(start.space), start.seed);
}

// No numbers for a schedule that cannot be lowered.
std::vector<float> describe(const te::Task& task, const schedule::Trace& trace, const target::Target& target) {
  auto features = features_of(task, trace, target);
  return features.ok() ? std::vector<float>(features->begin(), features->end()) : std::vector<float>();
}

// The words of a sketch that are decisions of this space.
std::optional<schedule::Trace> adapted(const Space& space, const schedule::Trace& trace) {
  std::map<std::string, int64_t> wanted;
  std::istringstream words(trace.sketch);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    for (const Decision& d : space.decisions()) {
      if (d.key != key) continue;
      const auto label = std::find(d.labels.begin(), d.labels.end(), value);
      if (label != d.labels.end()) wanted[key] = label - d.labels.begin();
      else if (d.is_size()) wanted[key] = std::strtoll(value.c_str(), nullptr, 10);
    }
  }
  if (wanted.empty()) return std::nullopt;
  Assignment a = space.assignment(wanted);
  space.repair(a);
  auto made = space.trace(a);
  return made.ok() ? std::optional(std::move(*made)) : std::nullopt;
}

}  // namespace

std::string_view strategy_name(StrategyKind kind) {
  for (const auto& [known, name] : kNames)
    if (known == kind) return name;
  return "";
}

std::optional<StrategyKind> parse_strategy(std::string_view wanted) {
  for (const auto& [kind, name] : kNames)
    if (name == wanted) return kind;
  return std::nullopt;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const auto& [kind, name] : kNames) names.emplace_back(name);
  return names;
}

Planner space_planner(target::Target target, uint64_t seed, StrategyKind kind) {
  return [target = std::move(target), seed, kind, cost = std::make_shared<CreationCost>(),
          experience = std::make_shared<Experience>()](const te::Task& task) -> Result<Plan> {
    HONE_ASSIGN(space, Space::derive(task, target));
    HONE_ASSIGN(baseline, baseline_trace(task, target));
    Plan plan;
    plan.baseline = baseline;
    plan.kind = space.sketch().rules;
    plan.experience = experience;
    plan.adapt = [space](const schedule::Trace& trace) { return adapted(space, trace); };
    plan.seeds = space.seeds();
    if (plan.seeds.empty()) plan.seeds.push_back(plan.baseline);  // the one schedule that is always legal
    plan.describe = [&task, target](const schedule::Trace& trace) { return describe(task, trace, target); };
    plan.strategy = make_strategy(kind, task, target, {std::move(space), hash_mix(seed, task.id.lo), cost, experience});
    return plan;
  };
}

Planner space_planner(target::Target target, uint64_t seed) {
  return space_planner(std::move(target), seed, StrategyKind::kEvolutionary);
}

Planner bare_planner(std::function<Result<Space>(const te::Task&)> space_of, target::Target target, uint64_t seed,
                     StrategyKind kind) {
  return [=, cost = std::make_shared<CreationCost>(),
          experience = std::make_shared<Experience>()](const te::Task& task) -> Result<Plan> {
    HONE_ASSIGN(space, space_of(task));
    HONE_ASSIGN(baseline, baseline_trace(task, target));
    Plan plan;
    plan.baseline = baseline;
    plan.kind = space.sketch().rules;
    plan.experience = experience;
    plan.adapt = [space](const schedule::Trace& trace) { return adapted(space, trace); };
    plan.strategy = make_strategy(kind, task, target, {std::move(space), hash_mix(seed, task.id.lo), cost, experience});
    return plan;
  };
}

}  // namespace hone::tuner
