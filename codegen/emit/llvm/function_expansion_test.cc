#include "codegen/emit/llvm/function_expansion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "codegen/ir/interpreter.h"

namespace hone::emit {
namespace {

using ir::Intrinsic;

constexpr double kLargest = std::numeric_limits<float>::max();

// y[i] = function(x[i]) in vectors of four, by the interpreter.
std::vector<double> expanded(Intrinsic intrinsic, std::vector<float> x) {
  while (x.size() % 4) x.push_back(0);
  const int64_t count = static_cast<int64_t>(x.size());
  ir::Kernel kernel;
  kernel.arena = std::make_shared<ir::Arena>();
  ir::Arena& a = *kernel.arena;
  kernel.args = {a.buffer("x", ir::DType::kF32, {count}), a.buffer("y", ir::DType::kF32, {count})};
  kernel.input_count = 1;
  const ir::Var i = a.var("i", ir::kIndexType, count / 4);
  const ir::Expr at = a.ramp(a.mul(i, a.index(4)), a.index(1), 4);
  const ir::Expr body = expand_function(a, a.call(intrinsic, {a.load(kernel.args[0], {at})}));
  EXPECT_NE(body, nullptr);
  ir::Launch launch;
  launch.body = a.loop(i, count / 4, ir::Place::kSerial, a.store(kernel.args[1], {at}, body));
  kernel.launches.push_back(launch);
  std::vector<ir::TensorValue> args{ir::make_tensor({count}, x), ir::make_tensor(ir::DType::kF32, {count})};
  const Status status = ir::interpret(kernel, args);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return args[1].real;
}

double ulps(double found, double exact) {
  const float rounded = static_cast<float>(exact);
  if (found == rounded || (std::isnan(found) && std::isnan(rounded))) return 0;
  if (!std::isfinite(found) || !std::isfinite(rounded)) return kLargest;
  const float magnitude = std::max(std::fabs(rounded), std::numeric_limits<float>::min());
  return std::fabs(found - exact) / (std::nextafter(magnitude, static_cast<float>(INFINITY)) - magnitude);
}

// Every `step`th of all floats in order of their bits, both signs; ends with the special values.
std::vector<float> dense(uint32_t step) {
  std::vector<float> out;
  for (uint64_t bits = 1; bits < 0x7f800000; bits += step)
    for (uint32_t sign : {0u, 0x80000000u}) {
      const uint32_t pattern = static_cast<uint32_t>(bits) | sign;
      float value;
      std::memcpy(&value, &pattern, 4);
      out.push_back(value);
    }
  for (float special :
       {0.f, -0.f, INFINITY, -INFINITY, static_cast<float>(NAN), 1.f, -1.f, 88.7228f, 88.73f, -87.4f, -103.9f, -104.1f})
    out.push_back(special);
  return out;
}

void expect_within(Intrinsic intrinsic, const std::function<double(double)>& exact, double ulps_max) {
  std::vector<float> x = dense(20011);
  for (int i = -60000; i <= 60000; ++i) x.push_back(static_cast<float>(i) * 0.0015f);
  const std::vector<double> y = expanded(intrinsic, x);
  double worst = 0;
  float at = 0;
  for (size_t i = 0; i < x.size(); ++i)
    if (const double error = ulps(y[i], exact(x[i])); error > worst) worst = error, at = x[i];
  EXPECT_LE(worst, ulps_max) << "at " << at;
  testing::Test::RecordProperty("ulps", std::to_string(worst));
}

// Given floats of every magnitude and a fine grid around zero, when a function is expanded, then it is as exact as its header says.
TEST(FunctionExpansion, Exponential) {
  expect_within(
      Intrinsic::kExp, [](double x) { return x < static_cast<double>(-86.98f) ? 0 : std::exp(x); }, 2);
}
TEST(FunctionExpansion, Logarithm) {
  expect_within(
      Intrinsic::kLog, [](double x) { return std::log(x); }, 2);
}
TEST(FunctionExpansion, HyperbolicTangent) {
  expect_within(
      Intrinsic::kTanh, [](double x) { return std::tanh(x); }, 5);
}
TEST(FunctionExpansion, ErrorFunction) {
  expect_within(
      Intrinsic::kErf, [](double x) { return std::erf(x); }, 6);
}

// Given numbers beyond where a function saturates, when it is expanded, then it is 1 exactly: what is multiplied by the rest vanishes.
TEST(FunctionExpansion, SaturatesExactly) {
  for (const Intrinsic f : {Intrinsic::kTanh, Intrinsic::kErf})
    EXPECT_EQ(expanded(f, {8.1f, 1e30f, INFINITY, -INFINITY}), (std::vector<double>{1, 1, 1, -1}));
}

// Given powers, when the exponent is a small whole literal, then they are products; other functions are left alone.
TEST(FunctionExpansion, Powers) {
  ir::Arena a;
  const ir::Type f{ir::DType::kF32, 4};
  const ir::Expr x = a.var("x", f);
  EXPECT_EQ(expand_function(a, a.call(Intrinsic::kPow, {x, a.constant(f, 2)})), a.mul(x, x));
  EXPECT_EQ(expand_function(a, a.call(Intrinsic::kPow, {x, a.constant(f, 2.5)})), nullptr);
  EXPECT_EQ(expand_function(a, a.call(Intrinsic::kPow, {x, x})), nullptr);
  EXPECT_EQ(expand_function(a, a.call(Intrinsic::kSqrt, {x})), nullptr);
}

}  // namespace
}  // namespace hone::emit
