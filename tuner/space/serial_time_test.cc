#include "tuner/space/serial_time.h"

#include <gtest/gtest.h>

#include "codegen/graph/import.h"
#include "codegen/te/builder.h"

namespace hone::tuner {
namespace {

class SerialTime : public ::testing::Test {
 protected:
  double us(const std::string& spec, const target::Target& target, const Choices& choices) {
    const te::Task task = *graph::task_from_spec(spec);
    const Sketch sketch = make_sketch(task, !target::on_textures(target.kind));
    const GroupWork work = work_of(task, sketch, sketch.groups[0]);
    return serial_time_us({task, target, sketch.groups[0], work}, choices, serial_machine(target), std::vector<bool>(sketch.producers.size(), launched));
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

TEST_F(SerialTime, RowsOfWholePagesShareSetsOfTheCache) {
  // Given products of 256 steps whose rows are 4 KiB and a line more, when panels are packed, then those whose rows shared few sets gain more.
  const Choices as_it_is{.rows = 4, .vectors = 2, .lanes = 4, .lanes_outer = 1};
  Choices packed = as_it_is;
  packed.packed = 1;
  const auto gain = [&](const std::string& spec) { return us(spec, target::wasm_default(), as_it_is) / us(spec, target::wasm_default(), packed); };
  const double of_pages = gain("matmul:256x1024x256"), beside = gain("matmul:256x1040x256");
  EXPECT_GT(of_pages, 1);
  EXPECT_GT(of_pages, beside);
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

TEST(Machine, IsHardwareByItsSubgroups) {
  // Given GPUs with subgroups of 4 and 32, and without any, whatever their rate, then the wide ones run threads side by side, and of the last neither is sure.
  target::Target device = target::webgpu_default();
  for (const double gflops : {0., 20., 2000.})
    for (const auto& [subgroup, hardware, unknown] : {std::tuple{4, false, false}, {32, true, false}, {0, false, true}}) {
      device.subgroup_size = subgroup;
      device.arithmetic_gflops = gflops;
      EXPECT_EQ(runs_side_by_side(device), hardware) << subgroup << " " << gflops;
      EXPECT_EQ(is_unknown(device), unknown) << subgroup << " " << gflops;
    }
  EXPECT_FALSE(runs_side_by_side(target::wasm_default()) || is_unknown(target::wasm_default()));
}

TEST(Accesses, SayWhichDirectionsEachOperandLiesAlong) {
  // Given a product, when its accesses are asked for, then the first lies along k, the second along the lanes, and each is read by the
  // one direction alone.
  const te::Task task = *graph::task_from_spec(kProduct);
  const Sketch sketch = make_sketch(task);
  const std::vector<Access> accesses = work_of(task, sketch, sketch.groups[0]).accesses;
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_TRUE(accesses[0].by_rows && !accesses[0].by_lanes && accesses[0].runs_along_k && !accesses[0].runs_along_lanes);
  EXPECT_TRUE(!accesses[1].by_rows && accesses[1].by_lanes && !accesses[1].runs_along_k && accesses[1].runs_along_lanes);
}

TEST(Accesses, AnIndexThatSharesItsPartsIsWalkedOnce) {
  // Given an index of 200 doublings, each of which uses the one before twice, when its accesses are asked for, then that ends.
  te::Builder b;
  const te::Tensor x = b.input("x", ir::DType::kF32, {64});
  const te::Axis i = b.axis("i", 64);
  te::Sym index = b.sym(i);
  for (int n = 0; n < 200; ++n) index = (index * index + 1.0) % 64.0;
  b.output(b.map("y", {i}, b.at(x, {index})));
  te::Task task;
  task.program = b.take();
  task.args.resize(2);
  const Sketch sketch = make_sketch(task);
  EXPECT_TRUE(work_of(task, sketch, sketch.groups[0]).accesses.at(0).by_lanes);
}

TEST(Accesses, WhatIsDividedIsTheSameForNeighbours) {
  // Given a Map that reads one tensor at a quarter of its axis and one at half, when its accesses are asked for, then a vector of four has one element of the former
  // and two of the latter.
  te::Builder b;
  const te::Tensor quarter = b.input("q", ir::DType::kF32, {16}), half = b.input("h", ir::DType::kF32, {32});
  const te::Axis i = b.axis("i", 64);
  b.output(b.map("y", {i}, b.at(quarter, {b.sym(i) / 4.0}) + b.at(half, {b.sym(i) / 2.0})));
  te::Task task;
  task.program = b.take();
  task.args.resize(3);
  te::finish_task(task);
  const Sketch sketch = make_sketch(task);
  const GroupWork work = work_of(task, sketch, sketch.groups[0]);
  ASSERT_EQ(work.accesses.size(), 2u);
  EXPECT_FALSE(work.accesses[0].by_lanes);
  EXPECT_TRUE(work.accesses[1].by_lanes);
}

}  // namespace
}  // namespace hone::tuner
