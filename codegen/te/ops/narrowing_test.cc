// Conversions to types of 8 bits and less, against their formats' own arithmetic and ONNX's tables.
#include "codegen/te/ops/narrowing.h"

#include <gtest/gtest.h>

#include <limits>

#include "codegen/ir/numeric.h"
#include "codegen/te/narrow.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/ops_case.h"
#include "codegen/te/ops/quantize.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

// As an operator wrote it, and in the types of devices.
Values cast_values(DType to, const Values& x, const Narrowing& narrowing = {}, DType from = DType::kF32) {
  Case c(Shapes{{static_cast<int64_t>(x.size())}}, from);
  c.values[0] = x;
  const Values out = c.run(unary(c.b, "cast", c.inputs[0], [&](Sym v) { return converted(to, v, narrowing); }));
  const Program narrow = narrow_types(c.b.take());
  EXPECT_EQ(narrow.outputs[0]->dtype, narrow_type(to));
  const Values stored = evaluate(narrow, {x})[0];
  for (size_t i = 0; i < out.size(); i++) EXPECT_TRUE(out[i] == stored[i] || (std::isnan(out[i]) && std::isnan(stored[i]))) << x[i];
  return out;
}

void expect_same(const Values& got, const Values& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); i++) {
    EXPECT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))) << "element " << i << " is " << got[i] << ", expected " << expected[i];
    EXPECT_TRUE(got[i] != 0 || std::signbit(got[i]) == std::signbit(expected[i])) << "element " << i;
  }
}

// Numbers of every exponent of f32 and of both signs, with the middles between neighbours of few bits.
Values numbers_of_every_size() {
  Values out;
  for (int exponent = -149; exponent < 128; exponent++)
    for (int part = 0; part < 32; part++) {
      const double magnitude = std::ldexp(1 + part / 32.0 + (part % 3 == 1 ? 0x1p-20 : 0), exponent);
      out.push_back(ir::round_to(DType::kF32, part % 2 ? -magnitude : magnitude));
    }
  return out;
}

// Given numbers of every size, when cast to a float of 8 bits or less, then each is the number that the format itself rounds it to.
TEST(Narrowing, RoundsAsTheFormatDoes) {
  const Values x = numbers_of_every_size();
  for (DType dtype : {DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ, DType::kF8E8M0, DType::kF4E2M1}) {
    Values expected;
    for (double v : x) expected.push_back(ir::round_to(dtype, v));
    expect_same(cast_values(dtype, x, {true, Narrowing::kNearest}), expected);
  }
}

// Given what ONNX's tables of Cast name, when cast with and without saturation, then the results are the tables'.
TEST(Narrowing, SpecialNumbersAreOnnxTables) {
  const Values x = {0, -0.0, kNan, kInfinity, -kInfinity, 1e6, -1e6, 464, 465};
  expect_same(cast_values(DType::kF8E4M3FN, x), {0, -0.0, kNan, 448, -448, 448, -448, 448, 448});
  expect_same(cast_values(DType::kF8E4M3FNUZ, x), {0, 0, kNan, 240, -240, 240, -240, 240, 240});
  expect_same(cast_values(DType::kF8E5M2, x), {0, -0.0, kNan, 57344, -57344, 57344, -57344, 448, 448});
  expect_same(cast_values(DType::kF8E5M2FNUZ, x), {0, 0, kNan, 57344, -57344, 57344, -57344, 448, 448});
  const Narrowing open{false};
  expect_same(cast_values(DType::kF8E4M3FN, x, open), {0, -0.0, kNan, kNan, kNan, kNan, kNan, 448, kNan});
  expect_same(cast_values(DType::kF8E4M3FNUZ, x, open), {0, 0, kNan, kNan, kNan, kNan, kNan, kNan, kNan});
  expect_same(cast_values(DType::kF8E5M2, x, open), {0, -0.0, kNan, kInfinity, -kInfinity, kInfinity, -kInfinity, 448, 448});
  expect_same(cast_values(DType::kF8E5M2FNUZ, x, open), {0, 0, kNan, kNan, kNan, kNan, kNan, 448, 448});
  expect_same(cast_values(DType::kF4E2M1, x, open), {0, -0.0, 0, 6, -6, 6, -6, 6, 6});
}

// Given numbers between powers of 2, and beyond them, when cast to f8e8m0 in each rounding, then the results are ONNX's.
TEST(Narrowing, PowersOfTwoRoundAsAsked) {
  const double low = 0x1p-127;
  const Values x = {0, 1, 1.25, 1.5, 3, low / 2, low * 1.25, 0x1.8p127, kInfinity, kNan, -2};
  expect_same(cast_values(DType::kF8E8M0, x), {low, 1, 2, 2, 4, low, 2 * low, 0x1p127, 0x1p127, kNan, 2});
  expect_same(cast_values(DType::kF8E8M0, x, {true, Narrowing::kDown}), {low, 1, 1, 1, 2, low, low, 0x1p127, 0x1p127, kNan, 2});
  expect_same(cast_values(DType::kF8E8M0, x, {false, Narrowing::kNearest}), {kNan, 1, 1, 2, 4, kNan, low, kNan, kNan, kNan, 2});
}

// Given floats and whole numbers, when cast to whole numbers of 4 and 2 bits, then floats are cut and the low bits remain, as in ONNX's tests.
TEST(Narrowing, WholeNumbersKeepTheirLowBits) {
  expect_same(cast_values(DType::kI4, {-9, -8, 7.9, 8, 15, kNan}), {7, -8, 7, -8, -1, 0});
  expect_same(cast_values(DType::kU4, {-1, 0, 15.5, 16}), {15, 0, 15, 0});
  expect_same(cast_values(DType::kI2, {-3, -2, 1, 2}, {}, DType::kI32), {1, -2, 1, -2});
  expect_same(cast_values(DType::kU2, {3, 4, 255}, {}, DType::kU8), {3, 0, 3});
  expect_same(cast_values(DType::kF8E4M3FN, {-8, 7}, {}, DType::kI4), {-8, 7});
  expect_same(cast_values(DType::kI4, {-1.5, 6}, {}, DType::kF4E2M1), {-1, 6});
}

// Given a scale for each two positions along an axis whose last block is short, when quantized to 4 bits and back, then each block has its own
// scale; scales of another shape are refused.
TEST(Narrowing, BlocksHaveTheirOwnScales) {
  Case c(Shapes{{2, 3}, {2, 2}});
  c.values = {{1, 100, 3, -1, -100, 3}, {1, 0.5, 2, 1}};
  const Scaling blocks{Operand::of(c.inputs[1]), Operand::of(DType::kI4, 0), 1, 2};
  expect_same(c.run(quantize(c.b, c.inputs[0], blocks)), {1, 7, 6, 0, -8, 3});
  Case back(Shapes{{2, 3}, {2, 2}});
  const Tensor q = back.b.input("Q", DType::kI4, {2, 3});
  back.values = {{0, 0, 0, 0, 0, 0}, {1, 0.5, 2, 1}, {1, 7, 6, 0, -8, 3}};
  expect_same(back.run(dequantize(back.b, q, {Operand::of(back.inputs[1]), Operand::of(DType::kI4, 0), 1, 2})), {1, 7, 3, 0, -16, 3});
  Case wrong(Shapes{{2, 3}, {2, 3}});
  EXPECT_EQ(quantize(wrong.b, wrong.inputs[0], {Operand::of(wrong.inputs[1]), Operand::of(DType::kI4, 0), 1, 2}).error().code, ErrorCode::kBadModel);
}

}  // namespace
}  // namespace hone::te
