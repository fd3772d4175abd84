#include <gtest/gtest.h>

#include "codegen/graph/import.h"

namespace hone::graph {
namespace {

// Given a matmul SPEC, when it becomes a task, then its program is the product in index notation, row-major.
TEST(Spec, Matmul) {
  const auto task = task_from_spec("matmul:5x7x3");
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(te::print_te(task->program),
            "input A: f32[5, 3]\n"
            "input B: f32[3, 7]\n"
            "C[m, n] = sum[k] A[m, k] * B[k, n]  for m < 5, n < 7; k < 3\n"
            "output C: f32[5, 7]\n");
  EXPECT_EQ(task->name, "matmul 5x7x3");
  EXPECT_EQ(task->flops, 2.0 * 5 * 7 * 3);
  EXPECT_EQ(task->accuracy.reduction_length, 3);
  EXPECT_TRUE(task->args[2].layout.row_major());
  EXPECT_EQ(task->args[2].role, te::Role::kOutput);
}

// Given a conv SPEC with padding, when it becomes a task, then the padded input is a Map, and layouts are channels last.
TEST(Spec, Conv) {
  const auto task = task_from_spec("conv:1x4x6x5,8x4x3x3,pad=1,stride=2");
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(te::print_te(task->program),
            "input X: f32[1, 4, 6, 5]\n"
            "input W: f32[8, 4, 3, 3]\n"
            "X.pad[n, c, h, w] = select((((1 <= h) and (h < 7)) and (1 <= w)) and (w < 6), X[n, c, h - 1, w - 1], 0)"
            "  for n < 1, c < 4, h < 8, w < 7\n"
            "Y[n, o, oh, ow] = sum[r, s, c] X.pad[n, c, (oh * 2) + r, (ow * 2) + s] * W[o, c, r, s]"
            "  for n < 1, o < 8, oh < 3, ow < 3; r < 3, s < 3, c < 4\n"
            "output Y: f32[1, 8, 3, 3]\n");
  EXPECT_EQ(task->name, "conv 1x4x6x5,8x4x3x3 s2 p1");
  EXPECT_EQ(task->flops, 2.0 * 8 * 9 * 36);
  EXPECT_EQ(ir::physical_shape(task->program.inputs[0]->shape, task->args[0].layout), (ir::Shape{1, 6, 5, 4}));
  EXPECT_EQ(ir::physical_shape(task->program.inputs[1]->shape, task->args[1].layout), (ir::Shape{3, 3, 4, 8}));
  EXPECT_EQ(task->args[1].role, te::Role::kConstant);
}

// Given SPECs that are wrong in one place, when they are read, then the error names that place.
TEST(Spec, Rejects) {
  const auto message = [](std::string_view spec) {
    const auto task = task_from_spec(spec);
    return task.ok() ? std::string("accepted") : task.error().message;
  };
  EXPECT_NE(message("matmul:5x7").find("matmul:MxNxK"), std::string::npos);
  EXPECT_NE(message("matmul:5x7xk").find("whole numbers"), std::string::npos);
  EXPECT_NE(message("conv:1x4x6x6").find("conv:NxCxHxW"), std::string::npos);
  EXPECT_NE(message("conv:1x4x6x6,8x4x3x3,padding=1").find("pad="), std::string::npos);
  EXPECT_NE(message("conv:1x4x6x6,8x5x3x3").find("does not fit weights"), std::string::npos);
  EXPECT_NE(message("conv:1x4x2x2,8x4x3x3").find("does not fit into"), std::string::npos);
  EXPECT_NE(message("relu:3").find("matmul:MxNxK"), std::string::npos);
  EXPECT_NE(message("matmul:1073741824x1x1073741824").find("A has more than 2147483647 elements"), std::string::npos);
  EXPECT_NE(message("conv:1x1x9,1073741824x4x1").find("W has more than 2147483647 elements"), std::string::npos);
  EXPECT_EQ(message("conv:1x4x6x6,8x4x3x3"), "accepted");
}

}  // namespace
}  // namespace hone::graph
