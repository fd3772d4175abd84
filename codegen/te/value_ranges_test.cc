#include "codegen/te/value_ranges.h"

#include <gtest/gtest.h>

#include "codegen/te/builder.h"
#include "codegen/te/narrow.h"

namespace hone::te {
namespace {

using ir::DType;
constexpr ValueRange kUsual{}, kPositive{0.25, 2.25};

// The ranges of a program of one Map over 8 elements; `value` makes it of the inputs, each of `dtypes`.
template <class F>
std::vector<ValueRange> ranges_of(const std::vector<DType>& dtypes, const F& value) {
  Builder b;
  const std::vector<Axis> axes = b.axes({"i"}, {8});
  std::vector<Sym> inputs;
  for (size_t i = 0; i < dtypes.size(); i++) inputs.push_back(b.at(b.input(std::string(1, static_cast<char>('a' + i)), dtypes[i], {8}), b.syms(axes)));
  b.output(b.map("y", axes, value(b, inputs, b.sym(axes[0]))));
  return input_ranges(narrow_types(b.take()));
}

TEST(InputRanges, FollowTheDomainOfWhatReadsThem) {
  using In = const std::vector<Sym>&;
  const auto of = [](const auto& f) { return ranges_of({DType::kF32, DType::kF32}, [&](Builder&, In in, Sym) { return f(in[0], in[1]); }); };
  EXPECT_EQ(of([](Sym a, Sym b) { return a + b; }), std::vector({kUsual, kUsual}));
  EXPECT_EQ(of([](Sym a, Sym b) { return call(ir::Intrinsic::kLog, a) + b; }), std::vector({kPositive, kUsual}));
  EXPECT_EQ(of([](Sym a, Sym b) { return a / b; }), std::vector({kUsual, kPositive}));
  EXPECT_EQ(of([](Sym a, Sym b) { return a * call(ir::Intrinsic::kRsqrt, b + 1e-5); }), std::vector({kUsual, kPositive}));
  // A function's own domain hides what stands around it.
  EXPECT_EQ(of([](Sym a, Sym b) { return b / (1.0 + call(ir::Intrinsic::kExp, a)); }), std::vector({kUsual, kUsual}));
  // Of several uses the narrowest holds.
  EXPECT_EQ(of([](Sym a, Sym b) { return a * call(ir::Intrinsic::kSqrt, a) - b; }), std::vector({kPositive, kUsual}));
}

TEST(InputRanges, WholeNumbersTakeAllOfTheirType) {
  const auto ranges = ranges_of({DType::kI8, DType::kU8, DType::kI32, DType::kU32, DType::kI64}, [](Builder&, const std::vector<Sym>& in, Sym) {
    Sym sum = cast(DType::kI32, in[0]);
    for (size_t i = 1; i < in.size(); i++) sum = sum + cast(DType::kI32, in[i]);
    return sum;
  });
  EXPECT_EQ(ranges, std::vector<ValueRange>({{-128, 127}, {0, 255}, {-0x1p31, 0x1p31 - 1}, {0, 0x1p32 - 1}, {-0x1p31, 0x1p31 - 1}}));
}

TEST(InputRanges, TruthIsNoughtOrOne) {
  const auto ranges = ranges_of({DType::kBool, DType::kF32}, [](Builder& b, const std::vector<Sym>& in, Sym) {
    return select(in[0], in[1], b.constant(DType::kF32, 0));
  });
  EXPECT_EQ(ranges, std::vector<ValueRange>({{0, 1}, {}}));
}

// Given an index that may be negative and is clamped, when the table has 5 rows, then it lies where one of them is meant.
TEST(InputRanges, AnIndexLiesWithinItsTensor) {
  Builder b;
  const Tensor table = b.input("table", DType::kF32, {5, 8}), at = b.input("at", DType::kI32, {3});
  const std::vector<Axis> axes = b.axes({"i", "j"}, {3, 8});
  const Sym given = cast(DType::kIndex, b.at(at, {b.sym(axes[0])}));
  const Sym row = max(min(select(given < 0.0, given + 5.0, given), 4.0), 0.0);
  b.output(b.map("y", axes, b.at(table, {row, b.sym(axes[1])})));
  EXPECT_EQ(input_ranges(narrow_types(b.take())), std::vector<ValueRange>({{}, {-5, 4}}));
}

// Given a number that is compared with positions alone, when a tensor is marked where they are equal, then some are, and some lie beyond.
TEST(InputRanges, WhatIsComparedWithPositionsIsNearThem) {
  const auto ranges = ranges_of({DType::kI32}, [](Builder& b, const std::vector<Sym>& in, Sym i) {
    return select(in[0] == cast(DType::kI32, i), b.constant(DType::kF32, 1), b.constant(DType::kF32, 0));
  });
  EXPECT_EQ(ranges, std::vector<ValueRange>({{-1, 8}}));
}

TEST(Saturation, IsThatOfTheStoredType) {
  for (const DType dtype : {DType::kU8, DType::kI8, DType::kI32}) {
    Builder b;
    const Tensor x = b.input("x", DType::kF32, {8});
    const std::vector<Axis> axes = b.axes({"i"}, {8});
    b.output(b.map("y", axes, cast(dtype, b.at(x, b.syms(axes)))));
    const Program program = narrow_types(b.take());
    const auto ends = saturation_of(program, program.outputs[0]);
    if (dtype == DType::kI32) { EXPECT_FALSE(ends.has_value()); }
    else { EXPECT_EQ(ends, dtype == DType::kU8 ? ValueRange({0, 255}) : ValueRange({-128, 127})); }
  }
}

}  // namespace
}  // namespace hone::te
