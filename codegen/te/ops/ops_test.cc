// Each operator against loops written out by hand, on odd, unit and empty shapes.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/matrix.h"
#include "codegen/te/ops/movement.h"
#include "codegen/te/ops/normalization.h"
#include "codegen/te/ops/ops_case.h"
#include "codegen/te/ops/pool.h"
#include "codegen/te/ops/quantize.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/resample.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

// ---- products of matrices

// Given shapes from empty to odd and both transpositions, when multiplied, then the result is that of three loops.
TEST(Matmul, TwoDimensions) {
  for (const Shape& mnk : {Shape{5, 7, 3}, Shape{1, 1, 1}, Shape{1, 9, 4}, Shape{3, 2, 0}, Shape{0, 2, 3}})
    for (int form = 0; form < 4; form++) {
      const int64_t m = mnk[0], n = mnk[1], k = mnk[2];
      const bool ta = form & 1, tb = form & 2;
      Case c(Shapes{ta ? Shape{k, m} : Shape{m, k}, tb ? Shape{n, k} : Shape{k, n}});
      Values expected;
      for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
          double sum = 0;
          for (int64_t x = 0; x < k; x++) sum += c.values[0][ta ? x * m + i : i * k + x] * c.values[1][tb ? j * k + x : x * n + j];
          expected.push_back(sum);
        }
      expect_near(c.run(matmul(c.b, c.inputs[0], c.inputs[1], {ta, tb})), expected);
    }
}

// Given batches of which one broadcasts, when multiplied, then each pair of matrices meets.
TEST(Matmul, BatchesBroadcast) {
  Case c(Shapes{{2, 1, 2, 3}, {4, 3, 2}});
  Values expected;
  for (int p = 0; p < 2; p++)
    for (int q = 0; q < 4; q++)
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
          double sum = 0;
          for (int x = 0; x < 3; x++) sum += c.values[0][p * 6 + i * 3 + x] * c.values[1][q * 6 + x * 2 + j];
          expected.push_back(sum);
        }
  expect_near(c.run(matmul(c.b, c.inputs[0], c.inputs[1])), expected);
}

// Given vectors, when multiplied, then their dimension is left out of the result.
TEST(Matmul, Vectors) {
  Case dot(Shapes{{3}, {3}});
  expect_near(dot.run(matmul(dot.b, dot.inputs[0], dot.inputs[1])),
              {dot.values[0][0] * dot.values[1][0] + dot.values[0][1] * dot.values[1][1] + dot.values[0][2] * dot.values[1][2]});
  Case row(Shapes{{2}, {2, 2}});
  const Values &a = row.values[0], &b = row.values[1];
  expect_near(row.run(matmul(row.b, row.inputs[0], row.inputs[1])), {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3]});
}

// Given shapes that do not fit, when multiplied, then the error names both; fitting ones are accepted.
TEST(Matmul, Rejects) {
  Case c(Shapes{{2, 3}, {4, 2}, {3, 2}, {}});
  const auto bad = matmul(c.b, c.inputs[0], c.inputs[1]);
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().message.find("2x3 and 4x2"), std::string::npos);
  EXPECT_FALSE(matmul(c.b, c.inputs[0], c.inputs[3]).ok());
  EXPECT_TRUE(matmul(c.b, c.inputs[0], c.inputs[2]).ok());
}

// ---- sliding windows

struct WindowCase {
  Shape x;           // n c h w
  int64_t outputs, groups;
  int64_t r, s, stride, dilation, pad_top, pad_left, pad_bottom, pad_right;
};

int64_t positions(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation, int64_t pads) {
  return (extent + pads - (kernel - 1) * dilation - 1) / stride + 1;
}

// The element at (n, c, h, w), or `outside` beyond the edges.
double element(const Values& x, const Shape& s, int64_t n, int64_t c, int64_t h, int64_t w, double outside) {
  if (h < 0 || h >= s[2] || w < 0 || w >= s[3]) return outside;
  return x[static_cast<size_t>(((n * s[1] + c) * s[2] + h) * s[3] + w)];
}

// Given strides, dilations, uneven pads, groups and depthwise form, when convolved, then the result is that of seven loops.
TEST(Conv, TwoDimensions) {
  const WindowCase cases[] = {
      {{1, 3, 5, 7}, 2, 1, 3, 3, 1, 1, 0, 0, 0, 0}, {{2, 2, 6, 5}, 3, 1, 3, 2, 2, 1, 1, 0, 1, 1}, {{1, 4, 7, 7}, 6, 2, 3, 3, 1, 2, 2, 2, 2, 2},
      {{1, 5, 4, 4}, 5, 5, 3, 3, 1, 1, 1, 1, 1, 1}, {{1, 3, 4, 4}, 6, 3, 2, 2, 2, 1, 0, 0, 0, 0}, {{1, 1, 1, 1}, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0},
      {{1, 2, 3, 3}, 2, 1, 1, 1, 2, 1, 0, 0, 0, 0}, {{0, 2, 3, 3}, 2, 1, 1, 1, 1, 1, 0, 0, 0, 0},
  };
  for (const WindowCase& k : cases) {
    const int64_t per_group = k.x[1] / k.groups, outputs_per_group = k.outputs / k.groups;
    Case c(Shapes{k.x, {k.outputs, per_group, k.r, k.s}});
    const int64_t oh = positions(k.x[2], k.r, k.stride, k.dilation, k.pad_top + k.pad_bottom);
    const int64_t ow = positions(k.x[3], k.s, k.stride, k.dilation, k.pad_left + k.pad_right);
    Values expected;
    for (int64_t n = 0; n < k.x[0]; n++)
      for (int64_t o = 0; o < k.outputs; o++)
        for (int64_t i = 0; i < oh; i++)
          for (int64_t j = 0; j < ow; j++) {
            double sum = 0;
            for (int64_t ch = 0; ch < per_group; ch++)
              for (int64_t r = 0; r < k.r; r++)
                for (int64_t s = 0; s < k.s; s++)
                  sum += element(c.values[0], k.x, n, o / outputs_per_group * per_group + ch, i * k.stride + r * k.dilation - k.pad_top,
                                 j * k.stride + s * k.dilation - k.pad_left, 0) *
                         c.values[1][static_cast<size_t>(((o * per_group + ch) * k.r + r) * k.s + s)];
            expected.push_back(sum);
          }
    ConvParams params;
    params.window.stride = {k.stride, k.stride};
    params.window.dilation = {k.dilation, k.dilation};
    params.window.pad_begin = {k.pad_top, k.pad_left};
    params.window.pad_end = {k.pad_bottom, k.pad_right};
    params.groups = k.groups;
    expect_near(c.run(conv(c.b, c.inputs[0], c.inputs[1], params)), expected);
  }
}

// Given one and three spatial dimensions, when convolved with ones, then each result counts the elements under the window.
TEST(Conv, OneAndThreeDimensions) {
  Case line(Shapes{{1, 1, 4}, {1, 1, 3}});
  line.values = {{1, 2, 3, 4}, {1, 1, 1}};
  ConvParams params;
  params.window.pad_begin = params.window.pad_end = {1};
  expect_near(line.run(conv(line.b, line.inputs[0], line.inputs[1], params)), {3, 6, 9, 7});
  Case volume(Shapes{{1, 1, 2, 2, 2}, {1, 1, 2, 2, 2}});
  volume.values = {Values(8, 1), Values(8, 1)};
  params.window.pad_begin = {1, 0, 0};
  params.window.pad_end = {0, 0, 0};
  expect_near(volume.run(conv(volume.b, volume.inputs[0], volume.inputs[1], params)), {4, 8});
}

// Given no padding, when convolved, then no Map for a padded input is made; with padding there is one, named after it.
TEST(Conv, PadIsASeparateMap) {
  Case plain(Shapes{{1, 1, 4, 4}, {1, 1, 3, 3}}), padded(Shapes{{1, 1, 4, 4}, {1, 1, 3, 3}});
  ASSERT_TRUE(conv(plain.b, plain.inputs[0], plain.inputs[1], {}).ok());
  EXPECT_EQ(plain.b.program().computes.size(), 1u);
  ConvParams params;
  params.window.pad_begin = {1, 1};
  ASSERT_TRUE(conv(padded.b, padded.inputs[0], padded.inputs[1], params).ok());
  EXPECT_EQ(padded.b.program().computes[0].name, "T.pad");
}

// Given channels, groups or windows that do not fit, when convolved, then it is refused; the fitting control is accepted.
TEST(Conv, Rejects) {
  const auto accepted = [](const Shape& x, const Shape& w, const ConvParams& params) {
    Case c(Shapes{x, w});
    return conv(c.b, c.inputs[0], c.inputs[1], params).ok();
  };
  const Shape x = {1, 4, 5, 5};
  EXPECT_TRUE(accepted(x, {4, 2, 3, 3}, {{}, 2}));
  EXPECT_FALSE(accepted(x, {4, 3, 3, 3}, {{}, 1}));
  EXPECT_FALSE(accepted(x, {3, 2, 3, 3}, {{}, 2}));
  EXPECT_FALSE(accepted(x, {4, 4, 7, 7}, {}));
  EXPECT_FALSE(accepted(x, {4, 4, 3}, {}));
  EXPECT_FALSE(accepted(x, {4, 4, 3, 3}, {{{}, {0, 1}}, 1}));
  EXPECT_FALSE(accepted(x, {4, 4, 3, 3}, {{{}, {1, 1}, {}, {-1, 0}}, 1}));
  EXPECT_FALSE(accepted(x, {4, 4, 3, 3}, {{{}, {1}}, 1}));
}

// Given pads and strides, when pooled, then padding never is a maximum, and the average counts as asked.
TEST(Pool, MaximumAndAverage) {
  const Shape x = {1, 2, 5, 4};
  for (const bool include_pad : {false, true}) {
    PoolParams params{{{3, 2}, {2, 1}, {}, {1, 1}, {1, 0}}, false, include_pad};
    Case largest(Shapes{x}), mean(Shapes{x});
    for (double& v : largest.values[0]) v -= 3;  // all negative: a padding of 0 would win
    Values maxima, means;
    for (int64_t c = 0; c < 2; c++)
      for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 4; j++) {
          double top = -1e9, sum = 0, count = 0;
          for (int64_t r = 0; r < 3; r++)
            for (int64_t s = 0; s < 2; s++) {
              top = std::max(top, element(largest.values[0], x, 0, c, i * 2 + r - 1, j + s - 1, -1e9));
              const double v = element(mean.values[0], x, 0, c, i * 2 + r - 1, j + s - 1, NAN);
              sum += std::isnan(v) ? 0 : v;
              count += std::isnan(v) ? include_pad : 1;
            }
          maxima.push_back(top);
          means.push_back(sum / count);
        }
    expect_near(largest.run(max_pool(largest.b, largest.inputs[0], params)), maxima);
    expect_near(mean.run(average_pool(mean.b, mean.inputs[0], params)), means);
  }
}

// Given a window that hangs over the edge, when pooled with ceil_mode, then it makes one more result from what is there.
TEST(Pool, CeilMode) {
  Case c(Shapes{{1, 1, 5}}), floor(Shapes{{1, 1, 5}});
  c.values = floor.values = {{1, 2, 3, 4, 5}};
  PoolParams params{{{2}, {2}}, true, false};
  expect_near(c.run(average_pool(c.b, c.inputs[0], params)), {1.5, 3.5, 5});
  params.ceil_mode = false;
  expect_near(floor.run(average_pool(floor.b, floor.inputs[0], params)), {1.5, 3.5});
}

// Given a dilated window with pads, when averaged, then taps on the pads count only where they shall.
TEST(Pool, DilatedAverages) {
  Case inner(Shapes{{1, 1, 5}}), padded(Shapes{{1, 1, 5}});
  inner.values = padded.values = {{1, 2, 3, 4, 5}};
  PoolParams params{{{3}, {1}, {2}, {1}, {2}}, false, false};  // taps at o − 1, o + 1, o + 3
  expect_near(inner.run(average_pool(inner.b, inner.inputs[0], params)), {3, 3, 3, 4});
  params.count_include_pad = true;
  expect_near(padded.run(average_pool(padded.b, padded.inputs[0], params)), {2, 3, 2, 8.0 / 3});
}

// Given a window over everything, when averaged, then one value per channel is left, with all dimensions kept.
TEST(Pool, Global) {
  Case c(Shapes{{1, 2, 3, 3}});
  c.values[0] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  const auto window = global_window(c.inputs[0]);
  const auto y = average_pool(c.b, c.inputs[0], {*window});
  EXPECT_EQ((*y)->shape, (Shape{1, 2, 1, 1}));
  expect_near(c.run(y), {5, 9});
}

// Given a window that hangs over a pad, when lengths of orders 1 to 3 are taken, then each is the root of its elements' powers, pads being 0.
TEST(Pool, Lengths) {
  const auto length = [](const Values& v, int order) {
    double sum = 0;
    for (double x : v) sum += std::pow(std::fabs(x), order);
    return std::pow(sum, 1.0 / order);
  };
  for (int order : {1, 2, 3}) {
    Case c(Shapes{{1, 1, 3}});
    c.values[0] = {3, -4, 1};
    const PoolParams params{{{2}, {1}, {1}, {1}, {0}}, false, false};
    expect_near(c.run(length_pool(c.b, c.inputs[0], params, order)), {length({3}, order), length({3, -4}, order), length({-4, 1}, order)});
  }
  Case c(Shapes{{1, 1, 3}});
  EXPECT_FALSE(length_pool(c.b, c.inputs[0], {{{2}}}, 0).ok());
}

// ---- element by element

// Given operands of different ranks, when added, then NumPy's rules place them.
TEST(Elementwise, Broadcasts) {
  Case c(Shapes{{2, 3}, {3}, {2, 1}});
  c.values = {{1, 2, 3, 4, 5, 6}, {10, 20, 30}, {100, 200}};
  const auto y = elementwise(c.b, "add", {Operand::of(c.inputs[0]), Operand::of(c.inputs[1]), Operand::of(c.inputs[2])},
                             [](const std::vector<Sym>& v) { return v[0] + v[1] + v[2]; });
  expect_near(c.run(y), {111, 122, 133, 214, 225, 236});
  Case empty(Shapes{{0, 3}, {1}});
  EXPECT_TRUE(empty.run(elementwise(empty.b, "add", {Operand::of(empty.inputs[0]), Operand::of(empty.inputs[1])},
                                    [](const std::vector<Sym>& v) { return v[0] + v[1]; })).empty());
  Case misfit(Shapes{{2, 3}, {2}});
  EXPECT_FALSE(elementwise(misfit.b, "add", {Operand::of(misfit.inputs[0]), Operand::of(misfit.inputs[1])},
                           [](const std::vector<Sym>& v) { return v[0] + v[1]; }).ok());
}

// Given a number in place of a tensor, when added, then it is part of the definition and no input.
TEST(Elementwise, Numbers) {
  Case c(Shapes{{3}});
  c.values = {{1, 2, 3}};
  const auto y = elementwise(c.b, "add", {Operand::of(c.inputs[0]), Operand::of(DType::kF32, 0.5, {1, 1})},
                             [](const std::vector<Sym>& v) { return v[0] + v[1]; });
  EXPECT_EQ((*y)->shape, (Shape{1, 3}));
  expect_near(c.run(y), {1.5, 2.5, 3.5});
}

// Given each function of one element, when applied, then it agrees with its formula in C++.
TEST(Elementwise, ScalarFunctions) {
  struct {
    const char* name;
    std::function<Sym(Sym)> f;
    std::function<double(double)> expected;
  } const cases[] = {
      {"relu", relu, [](double x) { return std::max(x, 0.0); }},
      {"leaky_relu", [](Sym x) { return leaky_relu(x, 0.25); }, [](double x) { return x < 0 ? x / 4 : x; }},
      {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"tanh", tangent_hyperbolic, [](double x) { return std::tanh(x); }},
      {"exp", exponential, [](double x) { return std::exp(x); }},
      {"log", [](Sym x) { return logarithm(absolute(x)); }, [](double x) { return std::log(std::fabs(x)); }},
      {"sqrt", [](Sym x) { return square_root(absolute(x)); }, [](double x) { return std::sqrt(std::fabs(x)); }},
      {"neg", negation, [](double x) { return -x; }},
      {"erf", error_function, [](double x) { return std::erf(x); }},
      {"hard_sigmoid", [](Sym x) { return hard_sigmoid(x, 0.5, 0.25); }, [](double x) { return std::clamp(x / 2 + 0.25, 0.0, 1.0); }},
      {"hard_swish", hard_swish, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"elu", [](Sym x) { return elu(x, 2); }, [](double x) { return x < 0 ? 2 * std::expm1(x) : x; }},
      {"celu", [](Sym x) { return celu(x, 2); }, [](double x) { return x < 0 ? 2 * std::expm1(x / 2) : x; }},
      {"selu", [](Sym x) { return selu(x, 2, 3); }, [](double x) { return 3 * (x < 0 ? 2 * std::expm1(x) : x); }},
      {"softplus", softplus, [](double x) { return std::log1p(std::exp(x)); }},
      {"softsign", softsign, [](double x) { return x / (1 + std::fabs(x)); }},
      {"sign", sign, [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }},
      {"reciprocal", reciprocal, [](double x) { return 1 / x; }},
      {"thresholded_relu", [](Sym x) { return thresholded_relu(x, 0.5); }, [](double x) { return x > 0.5 ? x : 0; }},
      {"cube", [](Sym x) { return power(x, x.number(3)); }, [](double x) { return x * x * x; }},
  };
  for (const auto& k : cases) {
    Case c(Shapes{{4}});
    c.values = {{-3, -0.5, 0.75, 40}};
    Values expected;
    for (double x : c.values[0]) expected.push_back(k.expected(x));
    SCOPED_TRACE(k.name);
    expect_near(c.run(unary(c.b, k.name, c.inputs[0], k.f)), expected);
  }
}

// Given negative bases, when raised to whole powers, then the sign is right, and a broken power of them is NaN.
TEST(Elementwise, Power) {
  Case c(Shapes{{6}, {6}});
  c.values = {{-2, -2, 2, -1.5, 0, 4}, {2, 3, -1, -1, 0, 0.5}};
  const auto y = elementwise(c.b, "pow", {Operand::of(c.inputs[0]), Operand::of(c.inputs[1])},
                             [](const std::vector<Sym>& v) { return power(v[0], v[1]); });
  expect_near(c.run(y), {4, -8, 0.5, -1 / 1.5, 1, 2});
  Case root(Shapes{{1}, {1}});
  root.values = {{-2}, {0.5}};
  const auto z = elementwise(root.b, "pow", {Operand::of(root.inputs[0]), Operand::of(root.inputs[1])},
                             [](const std::vector<Sym>& v) { return power(v[0], v[1]); });
  EXPECT_TRUE(std::isnan(root.run(z)[0]));
}

// ---- the rest

// Given statistics per channel, when normalised, then each channel gets its own factor and offset.
TEST(Normalization, PerChannel) {
  Case c(Shapes{{1, 2, 2}, {2}, {2}, {2}, {2}});
  c.values = {{1, 2, 3, 4}, {2, 4}, {0.5, 1}, {1, 3}, {3, 0}};
  expect_near(c.run(batch_normalization(c.b, c.inputs[0], {c.inputs[1], c.inputs[2], c.inputs[3], c.inputs[4], 1})), {0.5, 1.5, 1, 5});
}

// Given shapes whose dimensions merge, split or only gain ones, when reshaped, then the row-major order stays, and ones need no division.
TEST(Reshape, KeepsRowMajorOrder) {
  for (const auto& [from, to] : std::vector<std::pair<Shape, Shape>>{{{2, 3, 4}, {6, 4}}, {{2, 3, 4}, {4, 6}}, {{24}, {2, 1, 3, 4}}, {{1, 5}, {5}},
                                                                     {{}, {1, 1}}, {{3, 0, 2}, {0, 7}}, {{2, 6, 5}, {2, 2, 15}}}) {
    Case c(Shapes{from});
    const Values expected = c.values[0];
    const auto y = reshape(c.b, c.inputs[0], to);
    EXPECT_EQ((*y)->shape, to);
    EXPECT_EQ(c.run(y), expected);
  }
  Case ones(Shapes{{1, 512, 1, 1}});
  ASSERT_TRUE(reshape(ones.b, ones.inputs[0], {1, 512}).ok());
  EXPECT_NE(print_te(ones.b.program()).find("= T[0, n, 0, 0]"), std::string::npos) << print_te(ones.b.program());
  EXPECT_FALSE(reshape(ones.b, ones.inputs[0], {511}).ok());
}

// ---- movement and reductions (ONNX's own tests cover them widely; here their edges)

// Given parts of which one is empty, when joined, then the others stand one behind the other.
TEST(Movement, ConcatWithEmptyPart) {
  Case c(Shapes{{2, 2}, {2, 0}, {2, 1}});
  c.values = {{1, 2, 3, 4}, {}, {5, 6}};
  expect_near(c.run(concat(c.b, c.inputs, 1)), {1, 2, 5, 3, 4, 6});
  Case misfit(Shapes{{2, 2}, {3, 2}});
  EXPECT_FALSE(concat(misfit.b, misfit.inputs, 1).ok());
}

// Given a negative step and a shape of nothing, when sliced, then elements come backwards, or none do.
TEST(Movement, Slice) {
  Case c(Shapes{{5}}), none(Shapes{{5}});
  c.values = {{1, 2, 3, 4, 5}};
  expect_near(c.run(slice(c.b, c.inputs[0], {{4}, {-2}, {3}})), {5, 3, 1});
  EXPECT_TRUE(none.run(slice(none.b, none.inputs[0], {{0}, {1}, {0}})).empty());
}

// Given indices that count from the end or lie outside, when gathered, then they wrap once and stay inside.
TEST(Movement, Gather) {
  Builder b;
  const Tensor x = b.input("X", DType::kF32, {3}), i = b.input("I", DType::kI64, {4});
  b.output(*gather(b, x, i, 0));
  ASSERT_TRUE(verify_te(b.program()).ok());
  EXPECT_EQ(evaluate(b.program(), {{10, 20, 30}, {-1, 0, 2, 99}})[0], (Values{30, 10, 30, 30}));
}

// Given rows with large values, when the softmax is taken, then nothing overflows and each row sums to one.
TEST(Reductions, Softmax) {
  Case c(Shapes{{2, 3}});
  c.values = {{1000, 1000, 1000, 0, std::log(2.0), std::log(5.0)}};
  expect_near(c.run(softmax(c.b, c.inputs[0], {1}, false)), {1 / 3.0, 1 / 3.0, 1 / 3.0, 1 / 8.0, 2 / 8.0, 5 / 8.0});
}

// Given rows whose exponentials overflow, vanish, or are of one element that is infinite, when the logarithm of their sum is asked for, then it is as large as the largest of them.
TEST(Reductions, LogSumExp) {
  const double infinity = std::numeric_limits<double>::infinity();
  Case c(Shapes{{4, 2}});
  c.values = {{1000, 1000, -1000, -1000, 3, -infinity, -infinity, -infinity}};
  const Values y = c.run(log_sum_exp(c.b, c.inputs[0], {{1}, false}));
  expect_near({y[0], y[1], y[2]}, {1000 + std::log(2.0), -1000 + std::log(2.0), 3});
  EXPECT_EQ(y[3], -infinity);
}

// The example of docs/adding_an_op.md, word for word.
Result<Tensor> unit_rows(Builder& b, Tensor x) {
  if (x->shape.size() != 2) return Error{ErrorCode::kBadModel, cat("expected a matrix, found ", shape_text(x->shape))};
  const Axis i = b.axis("m", x->shape[0]), k = b.axis("k", x->shape[1]);
  const Sym part = b.at(x, {b.sym(i), b.sym(k)});
  const Tensor length = b.reduce("length", {i}, {k}, Fold::kSum, part * part, square_root);
  const Axis m = b.axis("m", x->shape[0]), n = b.axis("n", x->shape[1]);
  const Sym value = b.at(x, {b.sym(m), b.sym(n)}), divisor = b.at(length, {b.sym(m)});
  return b.map("Y", {m, n}, value / divisor);
}

// Given the operator that the documentation adds, when evaluated, then each row has length one.
TEST(Documentation, ExampleOperator) {
  Case c(Shapes{{2, 2}});
  c.values = {{3, 4, 0, 2}};
  expect_near(c.run(unit_rows(c.b, c.inputs[0])), {0.6, 0.8, 0, 1});
}

// ---- transposed convolution

// Given strides, dilations, pads, groups and kernels that the stride does not divide, when transposed, then each input is scattered.
TEST(ConvTransposed, Scatters) {
  struct Row { int64_t c, o, groups, h, k, stride, dilation, begin, end, more; };
  for (const Row& r : {Row{2, 3, 1, 4, 3, 2, 1, 1, 1, 1}, Row{4, 2, 2, 3, 2, 2, 1, 0, 0, 0}, Row{3, 1, 3, 5, 4, 3, 1, 0, 2, 0}, Row{1, 2, 1, 4, 3, 1, 2, 1, 0, 0},
                       Row{2, 1, 1, 3, 3, 2, 3, 2, 1, 1}, Row{1, 1, 1, 1, 1, 1, 1, 0, 0, 0}, Row{1, 1, 1, 3, 2, 4, 1, 0, 0, 3}}) {
    SCOPED_TRACE(cat("kernel ", r.k, " stride ", r.stride, " dilation ", r.dilation));
    Case c(Shapes{{1, r.c, r.h}, {r.c, r.o, r.k}});
    const int64_t out = r.stride * (r.h - 1) + (r.k - 1) * r.dilation + 1 + r.more - r.begin - r.end, per_group = r.c / r.groups;
    Values expected(static_cast<size_t>(r.o * r.groups * out));
    for (int64_t i = 0; i < r.c; i++)
      for (int64_t h = 0; h < r.h; h++)
        for (int64_t o = 0; o < r.o; o++)
          for (int64_t k = 0; k < r.k; k++) {
            const int64_t at = h * r.stride + k * r.dilation - r.begin;
            if (at < 0 || at >= out) continue;
            expected[static_cast<size_t>((i / per_group * r.o + o) * out + at)] += c.values[0][i * r.h + h] * c.values[1][(i * r.o + o) * r.k + k];
          }
    const Window window{{}, {r.stride}, {r.dilation}, {r.begin}, {r.end}};
    expect_near(c.run(conv_transposed(c.b, c.inputs[0], c.inputs[1], {window, {r.more}, r.groups})), expected);
  }
}

// Given weights for other channels, when transposed, then it is refused; fitting ones are accepted.
TEST(ConvTransposed, Rejects) {
  Case c(Shapes{{1, 3, 4}, {2, 3, 3}, {3, 2, 3}});
  EXPECT_FALSE(conv_transposed(c.b, c.inputs[0], c.inputs[1], {}).ok());
  EXPECT_TRUE(conv_transposed(c.b, c.inputs[0], c.inputs[2], {}).ok());
}

// ---- resizing

// Given three elements, when resized to twice the length, then each rule takes what its places say.
TEST(Resample, OneDimension) {
  const SamplePlace half_pixel{2, -1, 4}, asymmetric{1, 0, 2};
  const auto resized = [](const SamplePlace& place, Blend blend, Nearest nearest) {
    Case c(Shapes{{3}});
    c.values[0] = {1, 2, 4};
    return c.run(resample(c.b, c.inputs[0], {{6}, {place}, blend, nearest}));
  };
  expect_near(resized(half_pixel, Blend::kLinear, Nearest::kDown), {1, 1.25, 1.75, 2.5, 3.5, 4});
  expect_near(resized(asymmetric, Blend::kNearest, Nearest::kFloor), {1, 1, 2, 2, 4, 4});
  expect_near(resized(asymmetric, Blend::kNearest, Nearest::kCeil), {1, 2, 2, 4, 4, 4});
  expect_near(resized(asymmetric, Blend::kNearest, Nearest::kUp), {1, 2, 2, 4, 4, 4});
  expect_near(resized(asymmetric, Blend::kNearest, Nearest::kDown), {1, 1, 2, 2, 4, 4});
}

// Given an empty input, when resized to something, then it is refused; to nothing it is accepted.
TEST(Resample, Rejects) {
  Case c(Shapes{{0}});
  EXPECT_FALSE(resample(c.b, c.inputs[0], {{2}, {{0, 0, 1}}}).ok());
  EXPECT_TRUE(resample(c.b, c.inputs[0], {{0}, {{0, 0, 1}}}).ok());
}

// ---- quantized numbers

// Given numbers on, beside and far beyond the steps of a scale, when quantized, then each becomes the nearest step, half to even, within the
// type's range; and back it is that many steps.
TEST(Quantize, RoundsToStepsAndSaturates) {
  const Values x = {0.25, 0.75, 1.26, -0.25, -0.75, 1e9, -1e9, std::nan("")};
  Case c(Shapes{{8}});
  c.values[0] = x;
  const Scaling steps{Operand::of(DType::kF32, 0.5), Operand::of(DType::kI8, 1), 0};
  expect_near(c.run(quantize(c.b, c.inputs[0], steps)), {1, 3, 4, 1, -1, 127, -128, 0});
  Case back(Shapes{{3}}, DType::kI8);
  back.values[0] = {1, -128, 127};
  expect_near(back.run(dequantize(back.b, back.inputs[0], steps)), {0, -64.5, 63});
}

// Given a scale and a zero point for each channel, when quantized, then each channel has its own; a scale that fits no axis is refused.
TEST(Quantize, EachPositionAlongAnAxis) {
  Case c(Shapes{{2, 3, 1}, {3}});
  c.values = {{1, 1, 1, -2, -2, -2}, {1, 0.5, 0.25}};
  const Scaling each{Operand::of(c.inputs[1]), Operand::of(DType::kU8, 4), 1};
  expect_near(c.run(quantize(c.b, c.inputs[0], each)), {5, 6, 8, 2, 0, 0});
  Case wrong(Shapes{{2, 3, 1}, {3}});
  const auto refused = quantize(wrong.b, wrong.inputs[0], {Operand::of(wrong.inputs[1]), Operand::of(DType::kU8, 4), 0});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBadModel);
}

// Given sums of products of two scalings, one of which has a scale for each column, when they become numbers of a third, then each is the nearest
// one, within the type; scales of whole numbers are refused.
TEST(Quantize, SumsBecomeNumbersOfAnotherScaling) {
  Case c(Shapes{{2, 2}, {2}});
  const Tensor sums = c.b.input("S", DType::kI32, {2, 2});
  c.values = {{0, 0, 0, 0}, {0.5, 0.25}, {10, 10, -1000, 21}};
  const Scaling y{Operand::of(DType::kF32, 2), Operand::of(DType::kU8, 3)};
  const std::vector<Operand> factors = {Operand::of(DType::kF32, 1), Operand::of(c.inputs[1])};
  expect_near(c.run(requantize(c.b, sums, factors, y)), {5, 4, 0, 6});
  EXPECT_EQ(requantize(c.b, sums, {Operand::of(DType::kI32, 1)}, y).error().code, ErrorCode::kBadModel);
}

// Given numbers on both sides of 0, when quantized by their range, then the lowest is 0, the highest 255 and 0 is the zero point.
TEST(Quantize, ByRangeHoldsAllNumbers) {
  for (const Values& x : {Values{-1, 0, 1.55}, Values{0, 3, 5.1}, Values{-2.55, -1, 0}}) {
    Case c(Shapes{{3}});
    c.values[0] = x;
    const auto q = quantize_by_range(c.b, c.inputs[0]);
    ASSERT_TRUE(q.ok()) << q.error().message;
    for (Tensor t : {q->y, q->scale, q->zero}) c.b.output(t);
    ASSERT_TRUE(verify_te(c.b.program()).ok());
    const auto found = evaluate(c.b.program(), c.values);
    const double low = std::min(x[0], 0.0), high = std::max(x[2], 0.0);
    EXPECT_NEAR(found[1][0], (high - low) / 255, 1e-7);
    EXPECT_EQ(found[2][0], std::nearbyint(-low / found[1][0]));
    EXPECT_EQ(found[0][0], x[0] < 0 ? 0 : found[2][0]);
    EXPECT_EQ(found[0][2], x[2] > 0 ? 255 : found[2][0]);
  }
}

// Given 8-bit numbers of two types, when multiplied as matrices, then products and sums are of 32 bits; other types do not mix.
TEST(Matmul, SmallNumbersAreSummedAs32Bits) {
  Builder b;
  const Tensor x = b.input("A", DType::kU8, {1, 3}), y = b.input("B", DType::kI8, {3, 1}), real = b.input("R", DType::kF32, {3, 1});
  const auto product = matmul(b, x, y);
  ASSERT_TRUE(product.ok()) << product.error().message;
  EXPECT_EQ((*product)->dtype, DType::kI32);
  EXPECT_FALSE(matmul(b, x, real).ok());
  b.output(*product);
  EXPECT_EQ(evaluate(b.program(), {{255, 255, 1}, {-128, -128, 5}, {0, 0, 0}})[0], Values{-255.0 * 256 + 5});
}

// Given equal maxima, padding and both orders, when their places are asked for, then the first counts, padding does not, and the order is the one that is wanted.
TEST(MaxPool, Places) {
  for (const bool column_major : {false, true}) {
    Case c(Shapes{{1, 1, 2, 3}});
    c.values = {{1, 5, 5, -1, 0, 7}};
    const PoolParams params{.window = {.kernel = {2, 2}, .pad_begin = {0, 1}, .pad_end = {0, 0}}};
    const auto y = max_pool(c.b, c.inputs[0], params);
    ASSERT_TRUE(y.ok());
    expect_near(c.run(max_pool_places(c.b, c.inputs[0], *y, params, column_major)), column_major ? Values{0, 2, 5} : Values{0, 1, 5});
  }
}

// Given a line that becomes half as long, when its filter is widened, then each result weighs four neighbours as a triangle of twice the width does, and the edge repeats or
// does not count.
TEST(Resample, Antialiased) {
  for (const bool exclude_outside : {false, true}) {
    Case c(Shapes{{4}});
    c.values = {{0, 8, 16, 32}};
    ResampleParams params{.shape = {2}, .places = {{4, 1, 2}}, .blend = Blend::kLinear, .exclude_outside = exclude_outside, .antialias = true};
    // Centres at 0.5 and 2.5: distances 1.5, 0.5, 0.5, 1.5 over 2.
    const double first = exclude_outside ? (3 * 0 + 3 * 8 + 16) / 7.0 : (0 + 3 * 0 + 3 * 8 + 16) / 8.0;
    const double second = exclude_outside ? (8 + 3 * 16 + 3 * 32) / 7.0 : (8 + 3 * 16 + 3 * 32 + 32) / 8.0;
    expect_near(c.run(resample(c.b, c.inputs[0], params)), {first, second});
  }
}

}  // namespace
}  // namespace hone::te
