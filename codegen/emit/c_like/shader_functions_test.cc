#include "codegen/emit/c_like/shader_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "codegen/ir/interpreter.h"

namespace hone::emit {
namespace {

using ir::Intrinsic;

// y[i] = function(x[i]) by the interpreter.
std::vector<double> computed(Intrinsic intrinsic, const std::vector<float>& x) {
  const auto count = static_cast<int64_t>(x.size());
  ir::Kernel kernel;
  kernel.arena = std::make_shared<ir::Arena>();
  ir::Arena& a = *kernel.arena;
  kernel.args = {a.buffer("x", ir::DType::kF32, {count}), a.buffer("y", ir::DType::kF32, {count})};
  kernel.input_count = 1;
  const ir::Var i = a.var("i", ir::kIndexType, count);
  const ir::Expr body = shader_function(a, a.call(intrinsic, {a.load(kernel.args[0], {i})}));
  EXPECT_NE(body, nullptr);
  ir::Launch launch;
  launch.body = a.loop(i, count, ir::Place::kSerial, a.store(kernel.args[1], {i}, body));
  kernel.launches.push_back(launch);
  std::vector<ir::TensorValue> args{ir::make_tensor({count}, x), ir::make_tensor(ir::DType::kF32, {count})};
  const Status status = ir::interpret(kernel, args);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return args[1].real;
}

double worst_error(Intrinsic intrinsic, double range, const std::function<double(double)>& exact) {
  std::vector<float> x;
  for (int i = -20000; i <= 20000; ++i) x.push_back(static_cast<float>(range * i / 20000));
  const std::vector<double> y = computed(intrinsic, x);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::fabs(y[i] - exact(x[i])));
  return worst;
}

// Given arguments near zero and of many turns, when sine and cosine are composed, then they err by two units in the last place of 1.
TEST(ShaderFunctions, SineAndCosine) {
  for (double range : {0.01, 4.0, 100.0, 8192.0}) {
    EXPECT_LE(worst_error(Intrinsic::kSin, range, [](double x) { return std::sin(x); }), 2e-7) << range;
    EXPECT_LE(worst_error(Intrinsic::kCos, range, [](double x) { return std::cos(x); }), 2e-7) << range;
  }
}

// Given arguments around zero, when the error function is composed, then it is as exact as its header says.
TEST(ShaderFunctions, ErrorFunction) {
  EXPECT_LE(worst_error(Intrinsic::kErf, 6, [](double x) { return std::erf(x); }), 5e-7);
}

// Given infinities, a NaN and zero, when functions are composed, then they have the limits that the definition has.
TEST(ShaderFunctions, Limits) {
  const float inf = INFINITY, nan = NAN;
  for (const Intrinsic f : {Intrinsic::kTanh, Intrinsic::kErf})
    EXPECT_EQ(computed(f, {inf, -inf, 200, -200}), (std::vector<double>{1, -1, 1, -1}));
  EXPECT_EQ(computed(Intrinsic::kLog, {0, -0.f, 1, inf}), (std::vector<double>{-INFINITY, -INFINITY, 0, INFINITY}));
  for (const Intrinsic f : {Intrinsic::kTanh, Intrinsic::kErf, Intrinsic::kLog, Intrinsic::kSin, Intrinsic::kCos})
    EXPECT_TRUE(std::isnan(computed(f, {nan})[0]));
  for (const Intrinsic f : {Intrinsic::kSin, Intrinsic::kCos}) EXPECT_TRUE(std::isnan(computed(f, {inf})[0]));
}

// Given functions that shader languages have as exactly as needed, when they are looked for, then they stay.
TEST(ShaderFunctions, OthersStay) {
  ir::Arena a;
  const ir::Expr x = a.var("x", {ir::DType::kF32, 1});
  for (const Intrinsic f : {Intrinsic::kAbs, Intrinsic::kSqrt, Intrinsic::kFloor})
    EXPECT_EQ(shader_function(a, a.call(f, {x})), nullptr);
}

}  // namespace
}  // namespace hone::emit
