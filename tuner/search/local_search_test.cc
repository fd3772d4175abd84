#include "tuner/search/local_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <set>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "tuner/search/planner.h"

namespace hone::tuner {
namespace {

te::Task task_of(const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  EXPECT_TRUE(task.ok()) << task.error().message;
  return std::move(*task);
}

// A device whose time depends on the tile alone: best at 8 rows × 2 vectors of 4, steps of 4, 8×8 threads.
double time_of(const Space& space, const schedule::Trace& trace) {
  auto a = space.parse(trace);
  if (!a) return 1e6;
  auto off = [&](const char* key, double best) {
    return std::abs(std::log2(static_cast<double>(space.value(*a, key, 1)) / best));
  };
  return 100 * (1 + off("rows", 8) + off("lanes", 2) + off("lanes.width", 4) + off("k.lanes", 4) +
                off("rows.threads", 8) + off("lanes.threads", 8));
}

std::vector<schedule::Trace> search(const te::Task& task, uint64_t seed, int rounds, double* best) {
  auto space = Space::derive(task, target::webgpu_default());
  EXPECT_TRUE(space.ok());
  LocalSearch strategy(*space, seed);
  std::vector<schedule::Trace> all;
  *best = 1e9;
  for (int i = 0; i < rounds; ++i)
    for (auto& [trace, predicted_us] : strategy.propose(8)) {
      double us = time_of(*space, trace);
      *best = std::min(*best, us);
      strategy.observe({trace, ErrorCode::kOk, us});
      all.push_back(std::move(trace));
    }
  return all;
}

TEST(LocalSearch, SameSeedSameProposals) {
  // Given one seed and the same observations, when proposing twice, then the traces are the same; with another seed they differ.
  te::Task task = task_of("matmul:128x128x128");
  double best = 0;
  auto first = search(task, 1, 6, &best), second = search(task, 1, 6, &best), other = search(task, 2, 6, &best);
  EXPECT_EQ(first, second);
  EXPECT_NE(first, other);
}

TEST(LocalSearch, NeverProposesTheSameTwiceAndEnds) {
  // Given a task with few schedules, when proposing until nothing comes, then no trace came twice and the end is reached.
  te::Task task = task_of("matmul:1x8x4");
  auto space = Space::derive(task, target::webgpu_default());
  ASSERT_TRUE(space.ok());
  LocalSearch strategy(*space, 5);
  std::set<std::string> seen;
  int rounds = 0;
  for (; rounds < 1000; ++rounds) {
    auto proposals = strategy.propose(8);
    if (proposals.empty()) break;
    for (auto& [trace, predicted_us] : proposals) {
      trace.sketch.clear();
      EXPECT_TRUE(seen.insert(trace_to_json(trace)).second);
    }
  }
  EXPECT_LT(rounds, 1000);
  EXPECT_GE(seen.size(), 10u);
}

TEST(LocalSearch, ClimbsFasterThanChance) {
  // Given a device with one best tile, when 64 candidates are tried with and without learning, then learning is closer over 16 seeds.
  te::Task task = task_of("matmul:512x512x512");
  auto space = Space::derive(task, target::webgpu_default());
  ASSERT_TRUE(space.ok());
  double learned_sum = 0, random_sum = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    double learned = 0, random = 1e9;
    search(task, seed, 8, &learned);
    Rng rng(seed);
    for (int i = 0; i < 64; ++i)
      if (auto trace = space->trace(space->sample(rng)); trace.ok()) random = std::min(random, time_of(*space, *trace));
    learned_sum += learned;
    random_sum += random;
  }
  std::cout << "mean best of 64: " << learned_sum / 16 << " us with learning, " << random_sum / 16 << " us by chance\n";
  EXPECT_LT(learned_sum, 0.8 * random_sum);
}

TEST(LocalSearch, PlansAreComplete) {
  // Given a planner, when it plans a task, then there are the yardstick, seeds and a strategy that proposes something else.
  te::Task task = task_of("conv:1x8x14x14,8x8x3x3,pad=1");
  auto plan = space_planner(target::webgpu_default(), 0)(task);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->baseline.sketch, "naive-v1");
  ASSERT_FALSE(plan->seeds.empty());
  EXPECT_EQ(plan->strategy->propose(4).size(), 4u);
}

}  // namespace
}  // namespace hone::tuner
