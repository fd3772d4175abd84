#include "tuner/search/creation_cost.h"

#include <gtest/gtest.h>

#include "codegen/graph/import.h"

namespace hone::tuner {
namespace {

struct World {
  te::Task task = std::move(graph::task_from_spec("matmul:64x64x64")).value();
  Space space = std::move(Space::derive(task, target::webgpu_default())).value();
  size_t choice = 0;  // the position of a decision with two values at least
  World() {
    while (space.decisions()[choice].values.size() < 2) ++choice;
  }
  Assignment with(int value) const {
    Assignment a(space.decisions().size(), 0);
    a[choice] = value;
    return a;
  }
};

TEST(CreationCost, AChoiceThatGoesWithLongCreationIsCostly) {
  // Given kernels of which those with one value of a decision take ten times as long to create, when that value is proposed, then it is
  // costly and the other is not; where the fastest schedule has it, it is worth it.
  World w;
  CreationCost cost;
  for (int i = 0; i < 4; ++i) {
    cost.observe(w.space, w.with(0), 80 + i);
    cost.observe(w.space, w.with(1), 900 + i);
  }
  Assignment fast = w.with(0), slow = w.with(1);
  EXPECT_TRUE(cost.is_costly(w.space, slow, &fast));
  EXPECT_FALSE(cost.is_costly(w.space, fast, &slow));
  EXPECT_FALSE(cost.is_costly(w.space, slow, &slow));
}

TEST(CreationCost, NothingIsCostlyBeforeEnoughWasSeen) {
  // Given two slow creations of a value among quick ones, when it is proposed, then it is not costly yet; unknown times teach nothing.
  World w;
  CreationCost cost;
  for (int i = 0; i < 4; ++i) cost.observe(w.space, w.with(0), 80);
  for (int i = 0; i < 2; ++i) cost.observe(w.space, w.with(1), 900);
  for (int i = 0; i < 9; ++i) cost.observe(w.space, w.with(1), 0);
  EXPECT_FALSE(cost.is_costly(w.space, w.with(1), nullptr));
}

}  // namespace
}  // namespace hone::tuner
