#include "codegen/te/exact_inputs.h"

#include <gtest/gtest.h>

#include "codegen/te/builder.h"

namespace hone::te {
namespace {

// Of a program of one Map over 8 elements of two inputs.
template <class F>
int64_t max_of(const F& value) {
  Builder b;
  const std::vector<Axis> axes = b.axes({"i"}, {8});
  const Sym x = b.at(b.input("a", ir::DType::kF32, {8}), b.syms(axes)), y = b.at(b.input("b", ir::DType::kF32, {8}), b.syms(axes));
  b.output(b.map("y", axes, value(x, y)));
  return exact_inputs_max(b.take());
}

// Given what a program does with its inputs, when asked on which it has no rounding, then sizes are those within which f16 is exact.
TEST(ExactInputs, FollowTheSizeOfValues) {
  EXPECT_EQ(max_of([](Sym a, Sym b) { return max(a, b); }), 1024);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return a + b; }), 1024);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return a * b; }), 45);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return a * b * a; }), 12);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return max(a * 100.0, b); }), 20);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return max(min(a, 3e38), -3e38) + b; }), 1024);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return select(a < b, a, b * 4.0); }), 512);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return a + b * 4096.0; }), 0);
}

TEST(ExactInputs, WhatRoundsHasNone) {
  EXPECT_EQ(max_of([](Sym a, Sym b) { return a * 0.5 + b; }), 0);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return a / b; }), 0);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return call(ir::Intrinsic::kExp, a) + b; }), 0);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return select(call(ir::Intrinsic::kExp, a) < 1.0, a, b); }), 0);
  EXPECT_EQ(max_of([](Sym a, Sym b) { return call(ir::Intrinsic::kFloor, a) + b; }), 1024);
}

// Sums of k products: short ones by their worst case, long ones by what random signs reach.
int64_t max_of_sum(int64_t k, bool relu) {
  Builder b;
  const std::vector<Axis> axes = b.axes({"i"}, {8}), reduce = b.axes({"k"}, {k});
  const Sym x = b.at(b.input("a", ir::DType::kF32, {8, k}), {b.sym(axes[0]), b.sym(reduce[0])});
  const Sym y = b.at(b.input("b", ir::DType::kF32, {k}), {b.sym(reduce[0])});
  Tensor sum = b.reduce("s", axes, reduce, Fold::kSum, x * y);
  b.output(relu ? b.map("r", axes, max(b.at(sum, b.syms(axes)), 0.0)) : sum);
  return exact_inputs_max(b.take());
}

TEST(ExactInputs, FollowTheLengthOfSums) {
  EXPECT_EQ(max_of_sum(2, false), 32);
  EXPECT_EQ(max_of_sum(8, false), 16);
  EXPECT_EQ(max_of_sum(576, true), 3);   // 3² · 7 · 24 = 1512
  EXPECT_EQ(max_of_sum(65536, false), 1);
  EXPECT_EQ(max_of_sum(1 << 20, false), 0);
}

}  // namespace
}  // namespace hone::te
