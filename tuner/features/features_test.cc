#include "tuner/features/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "codegen/graph/import.h"
#include "tuner/space/space.h"

namespace hone::tuner {
namespace {

constexpr const char* kSpec = "matmul:128x128x128";

class Extracted {
 public:
  explicit Extracted(const std::map<std::string, int64_t>& choice, const char* spec = kSpec,
                     const target::Target& device = target::webgpu_default()) {
    auto task = graph::task_from_spec(spec);
    auto space = Space::derive(*task, target::webgpu_default());
    auto trace = space->trace(space->assignment(choice));
    EXPECT_TRUE(trace.ok());
    auto features = features_of(*task, *trace, device);
    EXPECT_TRUE(features.ok());
    features_ = *features;
  }
  // The count behind a feature, not its logarithm.
  double operator[](const std::string& name) const { return std::exp2(raw(name)) - 1; }
  double raw(const std::string& name) const {
    auto names = feature_names();
    auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return features_[static_cast<size_t>(at - names.begin())];
  }

 private:
  Features features_{};
};

const std::map<std::string, int64_t> kTile{{"rows.threads", 8},  {"rows", 8},  {"lanes.width", 4},
                                           {"lanes.threads", 8}, {"lanes", 2}, {"k.lanes", 4}};

TEST(Features, CountWhatOneThreadDoes) {
  // Given a tile of 8 rows × 2 vectors of 4 under 8×8 threads, when features are read, then they are the numbers one counts by hand.
  Extracted f(kTile);
  EXPECT_NEAR(f["block_threads"], 64, 0.1);
  EXPECT_NEAR(f["blocks"], 4, 0.01);                    // 128 / 64 in each direction
  EXPECT_NEAR(f["flops_thread"], 2 * 8 * 8 * 128, 20);  // two per multiply-add
  EXPECT_NEAR(f["excess_flops"], 1, 0.05);
  EXPECT_NEAR(f["serial_trips"], 32, 0.1);  // k in steps of 4
  EXPECT_NEAR(f["store.elements"], 64, 0.1);
  EXPECT_NEAR(f["store.lanes"], 4, 0.01);
  EXPECT_NEAR(f["barriers"], 0, 0.01);
}

TEST(Features, SeeStagingAndWidth) {
  // Given one choice changed at a time, when features are read, then those that speak of it change in the right direction.
  Extracted usual(kTile);
  auto staged = kTile, narrow = kTile;
  staged["operand0"] = 2;
  narrow["lanes.width"] = 1;
  EXPECT_GT(Extracted(staged)["barriers"], 0);
  EXPECT_GT(Extracted(staged)["workgroup_bytes"], 0);
  EXPECT_EQ(usual["workgroup_bytes"], 0);
  EXPECT_LT(Extracted(narrow)["lanes"], usual["lanes"]);
  EXPECT_LT(Extracted(narrow)["flops_per_global"], usual["flops_per_global"]);
}

TEST(Features, SeeHowStepsFollowOneAnother) {
  // Given a product with an operand in 8 tiles of workgroup memory, when these are loaded ahead, then barriers halve, the memory doubles and the
  // code grows; when their rows are padded, the memory grows by a sixteenth; when steps are unrolled, there are fewer iterations of more
  // statements, and the arithmetic stays.
  auto staged = kTile;
  staged["operand0"] = 2;
  staged["k.lanes"] = 1;
  staged["k.tile"] = 16;
  staged["rows"] = 4;
  auto ahead = staged, padded = staged, unrolled = staged;
  ahead["k.buffers"] = 2;
  padded["k.pad"] = 1;
  unrolled["k.unroll"] = 4;
  Extracted usual(staged), two(ahead), longer(padded), fewer(unrolled);
  EXPECT_NEAR(usual["barriers"], 16, 0.1);
  EXPECT_NEAR(two["barriers"], 8, 0.1);
  EXPECT_NEAR(two["workgroup_bytes"] / usual["workgroup_bytes"], 2, 0.01);
  EXPECT_GT(two["statements"], 1.3 * usual["statements"]);
  EXPECT_NEAR(longer["workgroup_bytes"] / usual["workgroup_bytes"], 17.0 / 16, 0.01);
  EXPECT_NEAR(fewer["serial_trips"], usual["serial_trips"] / 4, 0.5);
  EXPECT_GT(fewer["statements"], 2 * usual["statements"]);
  for (Extracted* one : {&two, &longer, &fewer}) EXPECT_NEAR((*one)["flops_thread"], usual["flops_thread"], 20);
}

TEST(Features, SeeWhatADeviceHolds) {
  // Given a tile in workgroup memory, when the device has room for half of the threads with it, or of their registers, or subgroups of 128 for
  // 64 threads, then the features say so, and what else is said of the schedule stays.
  auto staged = kTile;
  staged["operand0"] = 2;
  target::Target small = target::webgpu_default(), wide = small;
  const double bytes = Extracted(staged)["workgroup_bytes"], registers = Extracted(staged)["register_elements"];
  small.limits.invocations_max = 64;
  small.limits.workgroup_bytes_max = static_cast<int64_t>(bytes / 2);
  wide.limits.live_vectors_max = static_cast<int64_t>(registers / 4 / 4);
  wide.subgroup_size = 128;
  Extracted usual(staged), in_small(staged, kSpec, small), in_wide(staged, kSpec, wide);
  EXPECT_NEAR(in_small.raw("occupancy"), 0.5, 0.01);
  EXPECT_NEAR(in_wide.raw("occupancy"), 0.25, 0.05);
  EXPECT_NEAR(in_wide.raw("subgroup_fill"), 0.5, 0.01);
  EXPECT_EQ(usual.raw("subgroup_fill"), 1);
  EXPECT_NEAR(in_small["device.threads_max"], 64, 0.1);
  EXPECT_NEAR(in_wide["device.subgroup"], 128, 0.2);
  EXPECT_EQ(in_small["flops_thread"], usual["flops_thread"]);
}

TEST(Features, SeePartsOfAReduction) {
  // Given a product of few outputs, when k is cut into slices or over threads, then launches, threads, barriers and workgroup memory say so,
  // and one thread does less.
  constexpr const char* kLong = "matmul:1x64x2048";
  std::map<std::string, int64_t> tile{{"lanes.width", 4}, {"lanes.threads", 16}}, sliced = tile, shared = tile;
  sliced["k.slices"] = 4;
  shared["k.threads"] = 4;
  Extracted whole(tile, kLong), slices(sliced, kLong), threads(shared, kLong);
  EXPECT_NEAR(whole["launches"], 1, 0.01);
  EXPECT_NEAR(slices["launches"], 2, 0.01);
  EXPECT_NEAR(slices["blocks"], 4 * whole["blocks"], 0.1);
  EXPECT_NEAR(threads["launches"], 1, 0.01);
  EXPECT_NEAR(threads["block_threads"], 4 * whole["block_threads"], 0.5);
  EXPECT_NEAR(threads["barriers"], 3, 0.01);  // the parts, then two halvings
  EXPECT_NEAR(threads["workgroup_bytes"], 4.0 * 16 * 4 * 4, 1);
  EXPECT_EQ(whole["workgroup_bytes"], 0);
  for (const Extracted* parts : {&slices, &threads})
    EXPECT_NEAR((*parts)["flops_thread"], whole["flops_thread"] / 4, whole["flops_thread"] / 40);
}

TEST(Features, AreFiniteAndTellSchedulesApart) {
  // Given random schedules of several tasks, when features are read, then all are finite and few rows are equal.
  for (const char* spec : {kSpec, "conv:1x8x14x14,8x8x3x3,pad=1", "conv:1x3x32x32,16x3x7x7,pad=3,stride=2"}) {
    auto task = graph::task_from_spec(spec);
    auto space = Space::derive(*task, target::webgpu_default());
    std::set<Features> rows;
    size_t n = 0;
    for (Rng rng(1); n < 40;) {
      auto trace = space->trace(space->sample(rng));
      if (!trace.ok()) continue;
      auto f = features_of(*task, *trace, target::webgpu_default());
      if (!f.ok()) continue;
      ++n;
      for (float x : *f) EXPECT_TRUE(std::isfinite(x));
      rows.insert(*f);
    }
    EXPECT_GT(rows.size(), n / 2) << spec;
  }
  EXPECT_EQ(feature_names().size(), static_cast<size_t>(kFeatureCount));
}

}  // namespace
}  // namespace hone::tuner
