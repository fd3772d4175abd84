// Normalisations and functions of one element against loops written out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/normalization.h"
#include "codegen/te/ops/ops_case.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

// Given rows with scale and bias, when standardised, then each row has the mean and deviation taken from it.
TEST(Standardize, Rows) {
  Case c(Shapes{{3, 5}, {5}, {5}});
  Values expected;
  for (int i = 0; i < 3; i++) {
    double mean = 0, variance = 0;
    for (int j = 0; j < 5; j++) mean += c.values[0][i * 5 + j] / 5;
    for (int j = 0; j < 5; j++) variance += (c.values[0][i * 5 + j] - mean) * (c.values[0][i * 5 + j] - mean) / 5;
    for (int j = 0; j < 5; j++) expected.push_back((c.values[0][i * 5 + j] - mean) / std::sqrt(variance + 0.5) * c.values[1][j] + c.values[2][j]);
  }
  const auto out = standardize(c.b, c.inputs[0], {{1}, 0.5, c.inputs[1], c.inputs[2]});
  ASSERT_TRUE(out.ok());
  expect_near(c.run(out->y), expected);
}

// Given rows that are not centred, when they are divided by their root mean square, then no mean is taken, and none is returned.
TEST(Standardize, RootMeanSquare) {
  Case c(Shapes{{2, 3}, {3}});
  c.values = {{1, 2, 2, 0, -3, 3}, {1, 10, -1}};
  Standardization s{.axes = {1}, .epsilon = 0, .scale = c.inputs[1], .centered = false};
  const auto out = standardize(c.b, c.inputs[0], s);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->mean, nullptr);
  const double first = std::sqrt(3.0), second = std::sqrt(6.0);
  expect_near(c.run(out->y), {1 / first, 20 / first, -2 / first, 0, -30 / second, -3 / second});
}

// Given four channels in two groups, when normalised, then each group has its own statistics; parameters are the channels' or the groups'.
TEST(GroupNormalization, ParametersOfChannelsAndOfGroups) {
  for (const bool per_group : {false, true}) {
    const int64_t parameters = per_group ? 2 : 4;
    Case c(Shapes{{1, 4, 1}, {parameters}, {parameters}});
    c.values = {{1, 3, 10, 30}, Values(static_cast<size_t>(parameters), 0), Values(static_cast<size_t>(parameters), 0.5)};
    for (size_t i = 0; i < c.values[1].size(); i++) c.values[1][i] = static_cast<double>(i + 1);
    const GroupStatistics groups{2, 0, c.inputs[1], c.inputs[2], per_group};
    const Values scale = per_group ? Values{1, 1, 2, 2} : Values{1, 2, 3, 4};
    expect_near(c.run(group_normalization(c.b, c.inputs[0], groups)), {0.5 - scale[0], 0.5 + scale[1], 0.5 - scale[2], 0.5 + scale[3]});
  }
}

// Given three channels, when two groups are wanted, or parameters of another length, then that is refused; three groups are not.
TEST(GroupNormalization, RefusesWhatDoesNotDivide) {
  Case c(Shapes{{1, 3, 2}, {3}, {2}});
  const auto grouped = [&](int64_t count, Tensor parameters) { return group_normalization(c.b, c.inputs[0], {count, 1e-5, parameters, parameters, false}).ok(); };
  EXPECT_FALSE(grouped(2, c.inputs[1]));
  EXPECT_FALSE(grouped(0, c.inputs[1]));
  Case none(Shapes{{1, 0, 2}, {0}});
  EXPECT_FALSE(group_normalization(none.b, none.inputs[0], {int64_t{1} << 40, 1e-5, none.inputs[1], none.inputs[1], false}).ok());
  EXPECT_FALSE(grouped(3, c.inputs[2]));
  EXPECT_TRUE(grouped(3, c.inputs[1]));
}

// Given angles and ratios, when the inverse functions are taken, then they agree with the C library's.
TEST(ScalarFunctions, InverseTrigonometry) {
  struct Row { Sym (*f)(Sym); double (*reference)(double); Values values; };
  for (const Row& r : {Row{arc_tangent, std::atan, {-50, -1, -0.3, 0, 1e-4, 0.9, 1.1, 1e6}}, Row{arc_sine, std::asin, {-1, -0.7, 0, 0.2, 1}},
                       Row{arc_cosine, std::acos, {-1, -0.7, 0, 0.2, 1}}, Row{arc_hyperbolic_sine, std::asinh, {-30, -1, 0, 0.4, 9}}}) {
    Case c(Shapes{{static_cast<int64_t>(r.values.size())}});
    c.values[0] = r.values;
    Values expected;
    for (double v : r.values) expected.push_back(r.reference(v));
    const Values got = c.run(unary(c.b, "Y", c.inputs[0], r.f));
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); i++) EXPECT_NEAR(got[i], expected[i], 1e-7 * (1 + std::fabs(expected[i]))) << "element " << i;
  }
}

// Given numbers, infinities and what is no number, when asked what each is, then only the right ones say so.
TEST(ScalarFunctions, InfinitiesAndWhatIsNoNumber) {
  const double infinity = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  const auto of = [&](const std::function<Sym(Sym)>& f) {
    Case c(Shapes{{5}});
    c.values = {{-infinity, -0.0, 3e38, infinity, none}};
    return c.run(unary(c.b, "Y", c.inputs[0], f));
  };
  EXPECT_EQ(of(is_not_a_number), (Values{0, 0, 0, 0, 1}));
  EXPECT_EQ(of([](Sym x) { return is_infinite(x, true, true); }), (Values{1, 0, 0, 1, 0}));
  EXPECT_EQ(of([](Sym x) { return is_infinite(x, false, true); }), (Values{1, 0, 0, 0, 0}));
  EXPECT_EQ(of([](Sym x) { return is_infinite(x, true, false); }), (Values{0, 0, 0, 1, 0}));
  EXPECT_EQ(of([](Sym x) { return is_infinite(x, false, false); }), (Values{0, 0, 0, 0, 0}));
}

// Given numbers of 8 bits, when they are shifted by counts that they have and by others, then bits fall off, signs are copied, and beyond all bits the sign is
// what is left.
TEST(ScalarFunctions, Shifts) {
  struct Row { DType dtype; Sym (*f)(Sym, Sym); Values x, count, expected; };
  for (const Row& r : {Row{DType::kU8, shifted_left, {129, 1, 1, 255}, {1, 7, 8, 0}, {2, 128, 0, 255}}, Row{DType::kU8, shifted_right, {129, 128, 255, 3}, {1, 7, 8, 0}, {64, 1, 0, 3}},
                       Row{DType::kI8, shifted_right, {-128, -1, -5, 5}, {2, 9, -1, 9}, {-32, -1, -1, 0}}, Row{DType::kI8, shifted_left, {64, -1, 3, 3}, {1, 7, -1, 1}, {-128, -128, 0, 6}}}) {
    Case c(Shapes{{4}, {4}}, r.dtype);
    c.values = {r.x, r.count};
    const auto shifted = [&](const std::vector<Sym>& v) { return r.f(v[0], v[1]); };
    expect_near(c.run(elementwise(c.b, "Y", {Operand::of(c.inputs[0]), Operand::of(c.inputs[1])}, shifted)), r.expected);
  }
}

}  // namespace
}  // namespace hone::te
