#include "tuner/space/serial_time.h"

#include <gtest/gtest.h>

#include "codegen/graph/import.h"

namespace hone::tuner {
namespace {

class SerialTime : public ::testing::Test {
 protected:
  double us(const std::string& spec, const target::Target& target, const Choices& choices) {
    const te::Task task = *graph::task_from_spec(spec);
    const Sketch sketch = make_sketch(task, !target::on_textures(target.kind));
    const std::vector<Access> accesses = accesses_of(task, sketch, sketch.groups[0]);
    return serial_time_us({task, target, sketch.groups[0], accesses}, choices, serial_machine(target), std::vector<bool>(sketch.producers.size(), launched));
  }
  bool launched = true;
};

constexpr Choices kTile{.row_threads = 2, .rows = 8, .lane_threads = 4, .vectors = 2, .lanes = 4};
const std::string kProduct = "matmul:256x256x256";

TEST_F(SerialTime, LoadsThatServeMoreSumsTakeLess) {
  // Given a product on software, when a thread keeps eight rows of sums and one, then the former loads less for each.
  Choices one = kTile;
  one.rows = 1;
  EXPECT_LT(2 * us(kProduct, target::webgpu_default(), kTile), us(kProduct, target::webgpu_default(), one));
}

TEST_F(SerialTime, BarriersAndCopiesCostWhatCachesGiveForNothing) {
  // Given a product on software, whose workgroup memory is memory, when its operands are staged, then it takes longer.
  Choices staged = kTile;
  staged.operand0 = staged.operand1 = static_cast<int64_t>(Staging::kWorkgroup);
  staged.k_tile = 8;
  EXPECT_LT(us(kProduct, target::webgpu_default(), kTile), us(kProduct, target::webgpu_default(), staged));
}

TEST_F(SerialTime, RegistersOfACoreAreFew) {
  // Given a core with 16 vector registers, when a tile needs 11 and 41, then the latter takes longer though it loads less.
  const Choices fits{.rows = 4, .vectors = 2, .lanes = 4}, spills{.rows = 8, .vectors = 4, .lanes = 4};
  EXPECT_LT(us(kProduct, target::wasm_default(), fits), us(kProduct, target::wasm_default(), spills));
  EXPECT_GT(us(kProduct, target::native_target(4, 64), fits), us(kProduct, target::native_target(4, 64), spills));
}

TEST_F(SerialTime, AThreadOfASubgroupAloneTakesAsLongAsAll) {
  // Given software with subgroups of 8, when workgroups have 8 threads and 2, then the latter leave most of a register idle.
  target::Target device = target::webgpu_default();
  device.subgroup_size = 8;
  Choices few = kTile;
  few.row_threads = 1, few.lane_threads = 2;
  EXPECT_LT(2 * us(kProduct, device, kTile), us(kProduct, device, few));
}

TEST_F(SerialTime, WhatIsComputedWhereItIsReadIsReadElementByElement) {
  // Given a window over a padded image, when the padding is a launch of its own and when it is computed at each read, then the window alone takes less.
  const std::string window = "conv:1x32x28x28,32x32x3x3,pad=1";
  const double after_a_launch = us(window, target::webgpu_default(), kTile);
  launched = false;
  EXPECT_LT(after_a_launch, us(window, target::webgpu_default(), kTile));
}

TEST_F(SerialTime, FragmentsWithSeveralTargetsReadLess) {
  // Given a product on textures, when a fragment has four rows and one, then the former reads a texel for more sums.
  const Choices one{.rows = 1, .vectors = 1, .lanes = 4, .k_lanes = 4}, four{.rows = 4, .vectors = 1, .lanes = 4, .k_lanes = 4};
  EXPECT_LT(us(kProduct, target::webgl_default(), four), us(kProduct, target::webgl_default(), one));
}

TEST(Machine, IsHardwareBySubgroupsOrByItsRate) {
  // Given GPUs with subgroups of 4 and 32, and without any at 20 and 2000 GFLOP/s, then the wide and the fast run threads side by side, and of one of which
  // nothing is known neither is sure.
  target::Target device = target::webgpu_default();
  EXPECT_TRUE(is_unknown(device));
  for (const auto& [subgroup, gflops, hardware] : {std::tuple{4, 0., false}, {32, 0., true}, {0, 20., false}, {0, 2000., true}, {4, 2000., false}}) {
    device.subgroup_size = subgroup;
    device.arithmetic_gflops = gflops;
    EXPECT_EQ(runs_side_by_side(device), hardware) << subgroup << " " << gflops;
    EXPECT_FALSE(is_unknown(device)) << subgroup << " " << gflops;
  }
  EXPECT_FALSE(runs_side_by_side(target::wasm_default()));
}

TEST(Accesses, SayWhichDirectionsEachOperandLiesAlong) {
  // Given a product, when its accesses are asked for, then the first lies along k, the second along the lanes, and each is read by the
  // one direction alone.
  const te::Task task = *graph::task_from_spec(kProduct);
  const Sketch sketch = make_sketch(task);
  const std::vector<Access> accesses = accesses_of(task, sketch, sketch.groups[0]);
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_TRUE(accesses[0].by_rows && !accesses[0].by_lanes && accesses[0].runs_along_k && !accesses[0].runs_along_lanes);
  EXPECT_TRUE(!accesses[1].by_rows && accesses[1].by_lanes && !accesses[1].runs_along_k && accesses[1].runs_along_lanes);
}

}  // namespace
}  // namespace hone::tuner
