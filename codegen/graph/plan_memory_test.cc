#include "codegen/graph/plan_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace hone::graph {
namespace {

std::vector<Tenant> random_tenants(Rng& rng, int count) {
  std::vector<Tenant> out;
  for (int i = 0; i < count; i++) {
    const int first = static_cast<int>(rng.below(40));
    out.push_back({static_cast<int64_t>(16 * (1 + rng.below(1000))), first, first + static_cast<int>(rng.below(8))});
  }
  return out;
}

TEST(PlanMemory, NoTwoTensorsThatLiveAtOnceShareASlotAndThePeakIsBounded) {
  // Given random lifetimes, when memory is planned, then tensors of one slot follow each other, each fits its slot, and the sum of the slots
  // lies between the most bytes that live at once and the sum of all tensors.
  Rng rng(7);
  for (int round = 0; round < 200; round++) {
    const std::vector<Tenant> tenants = random_tenants(rng, static_cast<int>(rng.below(60)));
    const MemoryPlan plan = plan_memory(tenants);
    ASSERT_EQ(plan.slot_of.size(), tenants.size());
    int64_t all = 0, live_max = 0;
    for (size_t a = 0; a < tenants.size(); a++) {
      all += tenants[a].bytes;
      EXPECT_LE(tenants[a].bytes, plan.slot_bytes[static_cast<size_t>(plan.slot_of[a])]);
      int64_t live = 0;  // at the step where a begins
      for (size_t b = 0; b < tenants.size(); b++) {
        const bool at_once = tenants[b].first <= tenants[a].last && tenants[a].first <= tenants[b].last;
        if (a != b && at_once) { EXPECT_NE(plan.slot_of[a], plan.slot_of[b]); }
        if (tenants[b].first <= tenants[a].first && tenants[a].first <= tenants[b].last) live += tenants[b].bytes;
      }
      live_max = std::max(live_max, live);
    }
    EXPECT_EQ(plan.bytes_min, live_max);
    EXPECT_GE(plan.bytes, plan.bytes_min);
    EXPECT_LE(plan.bytes, all);
  }
}

TEST(PlanMemory, AChainNeedsItsTwoLargestNeighbours) {
  // Given a chain in which each tensor is read by the next step only, when memory is planned, then two slots serve all of them, and equal
  // sizes reach the lower bound.
  std::vector<Tenant> chain;
  for (int i = 0; i < 10; i++) chain.push_back({1024, i, i + 1});
  const MemoryPlan plan = plan_memory(chain);
  EXPECT_EQ(plan.slot_bytes.size(), 2u);
  EXPECT_EQ(plan.bytes, plan.bytes_min);
  EXPECT_EQ(plan.bytes, 2048);
}

TEST(PlanMemory, TensorsOfOtherKindsShareNothing) {
  // Given tensors of two kinds that follow each other, when memory is planned, then each kind has a slot of its own.
  const MemoryPlan plan = plan_memory({{16, 0, 1, 0}, {16, 2, 3, 1}, {16, 4, 5, 0}, {16, 6, 7, 1}});
  EXPECT_EQ(plan.slot_of, (std::vector<int>{0, 1, 0, 1}));
}

TEST(PlanMemory, ManyThatLiveAtOnceAndManyThatDoNot) {
  // Given 50,000 tensors that all live at one step, and 50,000 behind them in a row, when memory is planned, then it ends, those that live at
  // once have slots of their own, and those in a row share.
  std::vector<Tenant> tenants;
  constexpr int kCount = 50000;
  for (int i = 0; i < kCount; i++) tenants.push_back({1024, i, kCount});
  for (int i = 0; i < kCount; i++) tenants.push_back({1024, kCount + 1 + i, kCount + 2 + i});
  const MemoryPlan plan = plan_memory(tenants);
  EXPECT_EQ(plan.slot_bytes.size(), static_cast<size_t>(kCount));
  EXPECT_EQ(plan.bytes, plan.bytes_min);
}

TEST(PlanMemory, NothingNeedsNothing) {
  // Given no tensor, when memory is planned, then there is no slot.
  const MemoryPlan plan = plan_memory({});
  EXPECT_EQ(plan.bytes, 0);
  EXPECT_EQ(plan.bytes_min, 0);
}

}  // namespace
}  // namespace hone::graph
