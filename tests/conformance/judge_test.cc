#include "tests/conformance/judge.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::conformance {
namespace {

std::string found(std::vector<float> values, const Tolerance& tolerance) {
  const ir::TensorValue expected = ir::make_tensor({5}, {1, -0.f, INFINITY, -INFINITY, NAN});
  return difference(expected, reinterpret_cast<const unsigned char*>(values.data()), tolerance);
}

// Given expected numbers, zeros, infinities and a NaN, when others are found, then each is told; the same ones and those within the
// tolerance are not.
TEST(Judge, TellsWhatDiffers) {
  const Tolerance exact, near{.absolute = 0.1}, bits{.sign_of_zero = true};
  EXPECT_EQ(found({1, -0.f, INFINITY, -INFINITY, NAN}, bits), "");
  EXPECT_EQ(found({1, 0, INFINITY, -INFINITY, -NAN}, exact), "");
  EXPECT_EQ(found({1, 0, INFINITY, -INFINITY, NAN}, bits), "element 1 is 0, expected -0");
  EXPECT_EQ(found({1.05f, 0, INFINITY, -INFINITY, NAN}, near), "");
  EXPECT_NE(found({1.05f, 0, INFINITY, -INFINITY, NAN}, exact), "");
  EXPECT_NE(found({1.2f, 0, INFINITY, -INFINITY, NAN}, near), "");
  EXPECT_NE(found({NAN, 0, INFINITY, -INFINITY, NAN}, near), "");
  EXPECT_NE(found({1, INFINITY, INFINITY, -INFINITY, NAN}, near), "");
  EXPECT_NE(found({1, 0, 3e38f, -INFINITY, NAN}, near), "");
  EXPECT_NE(found({1, 0, INFINITY, INFINITY, NAN}, near), "");
  EXPECT_NE(found({1, 0, INFINITY, -INFINITY, 0}, near), "");
}

// Given whole numbers, when one differs, then no tolerance helps it.
TEST(Judge, WholeNumbersAreEqual) {
  ir::TensorValue expected = ir::make_tensor(ir::DType::kI32, {2});
  expected.whole = {-1, INT32_MIN};
  const int32_t same[] = {-1, INT32_MIN}, other[] = {-1, INT32_MIN + 1};
  EXPECT_EQ(difference(expected, reinterpret_cast<const unsigned char*>(same), {.absolute = 10}), "");
  EXPECT_NE(difference(expected, reinterpret_cast<const unsigned char*>(other), {.absolute = 10}), "");
}

}  // namespace
}  // namespace hone::conformance
