#include <gtest/gtest.h>

#include "base/rng.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/ops/scatter.h"
#include "codegen/tuple_tasks.h"
#include "tuner/space/space.h"

namespace hone::tuner {
namespace {

// Given a scatter whose terms are taken in order, when its samples are repaired, then what only the other form asks for is at its first value, and every schedule keeps the result.
TEST(OrderedRule, SamplesKeepTheResult) {
  for (const target::Target& target : {target::wasm_default(), target::webgpu_default()}) {
    te::Builder b;
    const te::Tensor x = b.input("X", ir::DType::kF32, {9, 10}), index = b.input("I", ir::DType::kI32, {20, 10}), updates = b.input("U", ir::DType::kF32, {20, 10});
    const auto y = te::scatter_elements(b, x, index, updates, 0, te::ScatterJoin::kAdd);
    ASSERT_TRUE(y.ok());
    const te::Task task = finished_task(b, *y);
    const Oracle oracle(task);
    const auto space = Space::derive(task, target);
    ASSERT_TRUE(space.ok());
    Rng rng(1);
    int in_order = 0;
    for (int i = 0; i < 60; ++i) {
      const Assignment sample = space->sample(rng);
      if (space->value(sample, "terms", 0) == 0) continue;
      ++in_order;
      EXPECT_EQ(space->value(sample, "rows.threads", 1), 1);
      EXPECT_EQ(space->value(sample, "window.unroll", 0), 0);
      const auto trace = space->trace(sample);
      ASSERT_TRUE(trace.ok()) << trace.error().message;
      const auto kernel = lower::lower_kernel(task, *trace, target, {});
      ASSERT_TRUE(kernel.ok()) << trace->sketch << ": " << kernel.error().message;
      EXPECT_EQ(difference(task, oracle, *kernel), "") << trace->sketch;
    }
    EXPECT_GT(in_order, 5);
  }
}

}  // namespace
}  // namespace hone::tuner
