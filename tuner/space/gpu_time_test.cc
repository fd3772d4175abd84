#include "tuner/space/gpu_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "codegen/graph/import.h"
#include "tuner/space/space.h"

namespace hone::tuner {
namespace {

target::Target gpu(double gflops) {
  target::Target t = target::webgpu_default();
  t.subgroup_size = 32;
  t.arithmetic_gflops = gflops;
  return t;
}

double us_of(const std::string& spec, const target::Target& target, const Choices& choices) {
  const te::Task task = *graph::task_from_spec(spec);
  const Sketch sketch = make_sketch(task);
  const GroupWork work = work_of(task, sketch, sketch.groups[0]);
  return gpu_time_us({task, target, sketch.groups[0], work}, choices);
}

TEST(GpuTime, FullSubgroupsAreFaster) {
  // Given a product, when as many results are made by threads that fill a subgroup, and by a quarter as many a workgroup, then the latter takes longer.
  const Choices full{.row_threads = 4, .rows = 4, .lane_threads = 8, .vectors = 1, .lanes = 4}, part{.row_threads = 1, .rows = 4, .lane_threads = 8, .vectors = 1, .lanes = 4};
  EXPECT_LT(2 * us_of("matmul:1024x1024x1024", gpu(4000), full), us_of("matmul:1024x1024x1024", gpu(4000), part));
}

TEST(GpuTime, SpillingCostsMoreThanReuseGains) {
  // Given a product, when a thread keeps 64 sums, and 256, then the latter takes longer.
  const Choices some{.row_threads = 8, .rows = 8, .lane_threads = 8, .vectors = 2, .lanes = 4}, many{.row_threads = 8, .rows = 16, .lane_threads = 8, .vectors = 4, .lanes = 4};
  EXPECT_LT(us_of("matmul:1024x1024x1024", gpu(4000), some), us_of("matmul:1024x1024x1024", gpu(4000), many));
}

TEST(GpuTime, FewResultsOfLongSumsAreSharedOnLargeGpus) {
  // Given a product of few results, when its sums are cut among threads of a workgroup, then a GPU takes less; when they are cut into slices, then a launch more
  // has to be earned.
  const Choices whole{.row_threads = 4, .rows = 1, .lane_threads = 8, .vectors = 1, .lanes = 4};
  Choices shared = whole, sliced = whole;
  shared.k_threads = sliced.slices = 8;
  target::Target large = gpu(30000);
  large.launch_us = 0;
  EXPECT_LT(us_of("matmul:16x64x4096", large, shared), us_of("matmul:16x64x4096", large, whole));
  const double free_us = us_of("matmul:16x64x4096", large, sliced);
  large.launch_us = 50;
  EXPECT_DOUBLE_EQ(us_of("matmul:16x64x4096", large, sliced), free_us + 50);
}

TEST(GpuTime, WhatUnrolledTapsReadInCommonIsLoadedOnce) {
  // Given a window of each channel, when a thread's eight rows have their taps as straight-line code, and in a loop, then the former takes less; where a
  // workgroup's tile outgrows L1, each tap fetches it anew, which takes longer.
  const std::string spec = "conv:1x64x64x64,64x1x5x5,pad=2,groups=64";
  Choices looped{.row_threads = 8, .rows = 8, .lane_threads = 8, .lanes = 4, .k_first = 1}, unrolled = looped;
  unrolled.unrolled_windows = 1;
  EXPECT_LT(us_of(spec, gpu(1000), unrolled), us_of(spec, gpu(1000), looped));
  target::Target small = gpu(1000);
  small.l1_bytes = 1024;
  EXPECT_LT(us_of(spec, gpu(1000), looped), us_of(spec, small, looped));
}

TEST(DistinctShare, IsThatOfAllPairs) {
  // Given neighbours and taps that move one index by so much each, when all their places are listed, then so many of them are distinct.
  for (const Meeting& m : {Meeting{1, 1, 3}, Meeting{2, 1, 3}, Meeting{1, 2, 5}, Meeting{2, 3, 7}, Meeting{4, 2, 3}, Meeting{3, 3, 1}})
    for (int64_t neighbours : {1, 2, 5, 8}) {
      std::set<int64_t> places;
      for (int64_t a = 0; a < neighbours; ++a)
        for (int64_t b = 0; b < m.taps; ++b) places.insert(a * m.step + b * m.tap_step);
      const auto all = static_cast<double>(neighbours * m.taps);
      EXPECT_DOUBLE_EQ(distinct_share(m, static_cast<double>(neighbours)) * all, static_cast<double>(places.size())) << m.step << " " << m.tap_step << " " << m.taps << " " << neighbours;
    }
}

TEST(GpuTime, WhatComputesNothingHasATime) {
  // Given sums of no elements and a row of none, when their time is asked for, then it is a number.
  for (const char* spec : {"matmul:4x5x0", "matmul:1x1x1"})
    if (const auto task = graph::task_from_spec(spec); task.ok()) { EXPECT_TRUE(std::isfinite(us_of(spec, gpu(4000), {}))) << spec; }
  const auto device = gpu(4000);
  const te::Task task = *graph::task_from_spec("matmul:1x1x1");
  const auto space = Space::derive(task, device);
  ASSERT_TRUE(space.ok());
  EXPECT_TRUE(std::isfinite(space->time_us(space->assignment({}))));
  EXPECT_FALSE(space->seeds().empty());
}

TEST(GpuTime, TheFirstScheduleOfAWindowSavesALaunch) {
  // Given a window with padding and a GPU whose launches cost 50 us, when its first schedule is asked for, then the padding has no launch of its own.
  target::Target device = gpu(4000);
  device.launch_us = 50;
  const te::Task task = *graph::task_from_spec("conv:1x64x28x28,64x64x3x3,pad=1");
  const auto space = Space::derive(task, device);
  ASSERT_TRUE(space.ok());
  EXPECT_NE(space->seeds()[0].sketch.find("producer0.place=inline"), std::string::npos) << space->seeds()[0].sketch;
}

}  // namespace
}  // namespace hone::tuner
