// Which convolutions offer minimal filtering, and its matrices.
#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/filter_matrices.h"

namespace hone::te {
namespace {

// Given the matrices of F(2, 3) and F(4, 3), when they compute a correlation of three taps with basis vectors, then each output is the product by
// hand.
TEST(MinimalFiltering, MatricesComputeTheCorrelation) {
  for (int64_t outputs : {2, 4}) {
    const FilterMatrices& m = filter_matrices(outputs);
    for (size_t i = 0; i < m.b_t.size(); i++)
      for (size_t tap = 0; tap < kFilterTaps; tap++)
        for (size_t y = 0; y < m.a_t.size(); y++) {
          double sum = 0;
          for (size_t a = 0; a < m.b_t.size(); a++) sum += m.a_t[y][a] * m.g[a][tap] * m.b_t[a][i];
          EXPECT_NEAR(sum, i == y + tap ? 1 : 0, 1e-15) << "F(" << outputs << ",3)";
        }
  }
}

struct Given {
  Shape x{1, 4, 8, 8}, w{4, 4, 3, 3};
  ConvParams params;
  DType dtype = DType::kF32;
  bool constant = true;
};

// The names of the forms that a convolution offers.
std::string offered(const Given& given) {
  Builder b;
  const Tensor x = b.input("X", given.dtype, given.x), w = b.input("W", given.dtype, given.w, given.constant);
  b.output(*conv(b, x, w, given.params));
  std::string names;
  for (const Alternative& a : b.alternatives()) names += cat(a.name, " ");
  return names;
}

// Given windows of 3×3, in two of three dimensions, with groups, and of narrow floats, when they are defined, then both forms are offered.
TEST(MinimalFiltering, IsOfferedForWindowsOfThreeByThree) {
  const std::string both = "winograd2 winograd4 ";
  EXPECT_EQ(offered({}), both);
  EXPECT_EQ(offered({.w = {6, 2, 3, 3}, .params = {.groups = 2}}), both);
  EXPECT_EQ(offered({.w = {4, 4, 3, 3}, .dtype = DType::kF16}), both);
  EXPECT_EQ(offered({.x = {1, 4, 8, 8, 8}, .w = {4, 4, 5, 3, 3}}), both);
  EXPECT_EQ(offered({.x = {1, 4, 8, 8, 8}, .w = {4, 4, 3, 3, 3}, .params = {.window = {.stride = {2, 1, 1}}}}), both);
}

// Given windows of other extents, strides and dilations, in one and three dimensions, and one that adds up over its taps alone, when they are defined,
// then none is offered.
TEST(MinimalFiltering, IsNotOfferedForOtherWindows) {
  EXPECT_EQ(offered({.w = {4, 4, 5, 5}}), "");
  EXPECT_EQ(offered({.w = {4, 4, 1, 3}}), "");
  EXPECT_EQ(offered({.params = {.window = {.stride = {1, 2}}}}), "");
  EXPECT_EQ(offered({.params = {.window = {.dilation = {2, 1}}}}), "");
  EXPECT_EQ(offered({.x = {1, 4, 8}, .w = {4, 4, 3}}), "");
  EXPECT_EQ(offered({.x = {1, 4, 8, 8, 8}, .w = {4, 4, 3, 3, 3}}), "");
  EXPECT_EQ(offered({.w = {4, 1, 3, 3}, .params = {.groups = 4}}), "");
}

// Given weights that arrive with each call, and ones of whole numbers, when they are convolved, then none is offered.
TEST(MinimalFiltering, IsNotOfferedForOtherOperands) {
  EXPECT_EQ(offered({.constant = false}), "");
  EXPECT_EQ(offered({.dtype = DType::kI32}), "");
}

// Given a convolution with a bias, when a form takes its place, then the program reads and writes the same tensors, and the bias is as it was.
TEST(MinimalFiltering, LeavesTheRestOfTheProgram) {
  Builder b;
  const Tensor x = b.input("X", DType::kF32, {1, 4, 8, 8}), w = b.input("W", DType::kF32, {4, 4, 3, 3}, true);
  const Tensor bias = b.input("B", DType::kF32, {4}, true);
  b.output(*add_channel_bias(b, *conv(b, x, w, {.window = {.pad_begin = {1, 1}, .pad_end = {1, 1}}}), bias));
  const std::vector<Alternative> others = b.alternatives();
  const Program own = b.take();
  ASSERT_EQ(others.size(), 2u);
  for (const Alternative& a : others) {
    EXPECT_EQ(a.stage, "Y");
    EXPECT_EQ(a.program.inputs, own.inputs);
    EXPECT_EQ(a.program.outputs, own.outputs);
    std::string names;
    for (const Compute& c : a.program.computes) names += cat(c.name, " ");
    EXPECT_EQ(names, "X.pad Y.d Y.bd Y.v Y.g Y.u Y.m Y.am Y bias ");
    EXPECT_EQ(a.program.computes.back().value, own.computes.back().value);
  }
}

}  // namespace
}  // namespace hone::te
