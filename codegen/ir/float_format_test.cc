#include "codegen/ir/float_format.h"

#include <gtest/gtest.h>

#include <cmath>

#include "codegen/ir/numeric.h"

namespace hone::ir {
namespace {

double value(DType dtype, uint32_t code) { return value_of(*float_format(dtype), code); }
uint32_t code(DType dtype, double value) { return code_of(*float_format(dtype), value); }

// Given the codes that the formats' publications name, when decoded, then they are the numbers written there.
TEST(FloatFormat, CodesAreThePublishedNumbers) {
  EXPECT_EQ(value(DType::kF8E4M3FN, 0x7e), 448);
  EXPECT_EQ(value(DType::kF8E4M3FN, 0x08), 0x1p-6);
  EXPECT_EQ(value(DType::kF8E4M3FN, 0x81), -0x1p-9);
  EXPECT_TRUE(std::isnan(value(DType::kF8E4M3FN, 0x7f)));
  EXPECT_TRUE(std::isnan(value(DType::kF8E4M3FN, 0xff)));
  EXPECT_EQ(value(DType::kF8E4M3FNUZ, 0x7f), 240);
  EXPECT_EQ(value(DType::kF8E4M3FNUZ, 0x01), 0x1p-10);
  EXPECT_TRUE(std::isnan(value(DType::kF8E4M3FNUZ, 0x80)));
  EXPECT_EQ(value(DType::kF8E5M2, 0x7b), 57344);
  EXPECT_EQ(value(DType::kF8E5M2, 0xfc), -INFINITY);
  EXPECT_TRUE(std::isnan(value(DType::kF8E5M2, 0x7d)));
  EXPECT_EQ(value(DType::kF8E5M2FNUZ, 0xff), -57344);
  EXPECT_EQ(value(DType::kF8E5M2FNUZ, 0x01), 0x1p-17);
  EXPECT_EQ(value(DType::kF8E8M0, 0x00), 0x1p-127);
  EXPECT_EQ(value(DType::kF8E8M0, 0xfe), 0x1p127);
  EXPECT_TRUE(std::isnan(value(DType::kF8E8M0, 0xff)));
  EXPECT_EQ(value(DType::kF4E2M1, 0x1), 0.5);
  EXPECT_EQ(value(DType::kF4E2M1, 0xf), -6);
  EXPECT_EQ(value(DType::kF16, 0x3555), 0.333251953125);
  EXPECT_EQ(value(DType::kBF16, 0x0001), 0x1p-133);
}

// Given every code of a format, when its number is encoded, then it is that code again; all of NaN share one.
TEST(FloatFormat, EveryCodeComesBack) {
  for (DType dtype : {DType::kF16, DType::kBF16, DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ, DType::kF8E8M0, DType::kF4E2M1})
    for (uint32_t c = 0; c < 1u << size_bits(dtype); ++c)
      if (const double v = value(dtype, c); !std::isnan(v)) EXPECT_EQ(code(dtype, v), c) << dtype_name(dtype);
      else EXPECT_TRUE(std::isnan(value(dtype, code(dtype, v)))) << dtype_name(dtype);
}

// Given numbers between, below and beyond those of a format, when rounded, then they go to the nearest, ties to even, and stay within it.
TEST(FloatFormat, RoundsToTheNearestAndStaysWithin) {
  EXPECT_EQ(round_to(DType::kF8E4M3FN, 17), 16);
  EXPECT_EQ(round_to(DType::kF8E4M3FN, 19), 20);
  EXPECT_EQ(round_to(DType::kF8E4M3FN, 1e6), 448);
  EXPECT_EQ(round_to(DType::kF8E4M3FN, -INFINITY), -448);
  EXPECT_EQ(round_to(DType::kF8E5M2, 1e6), 57344);
  EXPECT_EQ(round_to(DType::kF8E5M2, INFINITY), INFINITY);
  EXPECT_EQ(round_to(DType::kF16, 70000), INFINITY);
  EXPECT_EQ(round_to(DType::kF4E2M1, 2.5), 2);
  EXPECT_EQ(round_to(DType::kF4E2M1, 0.25), 0);
  EXPECT_EQ(round_to(DType::kF4E2M1, std::nan("")), 0);
  EXPECT_EQ(round_to(DType::kF8E8M0, 3), 4);
  EXPECT_EQ(round_to(DType::kF8E8M0, 0), 0x1p-127);
  EXPECT_FALSE(std::signbit(round_to(DType::kF8E5M2FNUZ, -1e-9)));
  EXPECT_TRUE(std::signbit(round_to(DType::kF8E5M2, -1e-9)));
}

// Given whole numbers of 4 and 2 bits, when wrapped, cut out of floats and read from bits, then they have the type's width and sign.
TEST(Numeric, SmallWholeNumbersHaveTheirWidth) {
  EXPECT_EQ(wrap_to(DType::kI4, 9), -7);
  EXPECT_EQ(wrap_to(DType::kU4, -1), 15);
  EXPECT_EQ(wrap_to(DType::kI2, 2), -2);
  EXPECT_EQ(saturate_to(DType::kI4, 100), 7);
  EXPECT_EQ(saturate_to(DType::kU2, 2.9), 2);
  EXPECT_EQ(bits_of(DType::kI4, {.whole = -1}), 0xfu);
  EXPECT_EQ(cell_of_bits(DType::kI2, 0x3).whole, -1);
}

}  // namespace
}  // namespace hone::ir
