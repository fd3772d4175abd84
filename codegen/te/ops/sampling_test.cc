// Sampling, transforms and windows put together against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "codegen/te/ops/ops_case.h"
#include "codegen/te/ops/overlap_add.h"
#include "codegen/te/ops/sampling.h"
#include "codegen/te/ops/spectrum.h"
#include "codegen/te/ops/taps.h"

namespace hone::te {
namespace {

// One dimension of four elements, read at places given in elements.
Values sampled(const Values& places, const GridSampling& sampling) {
  const auto count = static_cast<int64_t>(places.size());
  Case c(Shapes{{1, 1, 4}, {1, count, 1}});
  c.values = {{10, 20, 30, 40}, {}};
  for (double place : places) c.values[1].push_back(sampling.corners ? place / 1.5 - 1 : (2 * place + 1) / 4 - 1);
  return c.run(sample_at(c.b, c.inputs[0], c.inputs[1], sampling));
}

// Given places between, at and beyond the elements, when sampled, then neighbours are weighted, and what lies beyond is 0, the edge or its mirror image.
TEST(SampleAt, LinearBeyondTheEnds) {
  const Values places = {0.25, 3, -0.5, 4, 5.5};
  expect_near(sampled(places, {Blend::kLinear, Beyond::kZeros, false}), {12.5, 40, 5, 0, 0});
  expect_near(sampled(places, {Blend::kLinear, Beyond::kEdge, false}), {12.5, 40, 10, 40, 40});
  expect_near(sampled(places, {Blend::kLinear, Beyond::kReflect, false}), {12.5, 40, 10, 40, 25});
  expect_near(sampled(places, {Blend::kLinear, Beyond::kReflect, true}), {12.5, 40, 15, 30, 15});
  expect_near(sampled({0.5, 1.5, -0.75, 9}, {Blend::kNearest, Beyond::kZeros, false}), {10, 30, 0, 0});
}

// Given the cubic kernel, when its weights are summed at any place, then they are 1, and at the elements themselves it is the element.
TEST(SampleAt, CubicWeights) {
  expect_near(sampled({1, 2}, {Blend::kCubic, Beyond::kEdge, false}), {20, 30});
  Case c(Shapes{{1}});
  c.values = {{0.3}};
  const std::vector<Axis> axes = c.b.axes({"i"}, {1});
  const Sym f = c.b.at(c.inputs[0], c.b.syms(axes));
  const Sym far_left = cubic_far(f + 1.0, -0.5), left = cubic_near(f, -0.5), right = cubic_near(1.0 - f, -0.5), far_right = cubic_far(2.0 - f, -0.5);
  expect_near(c.run(c.b.map("Y", axes, far_left + left + right + far_right)), {1});
}

// Given the identity, when a grid is made of it, then it holds the centres of the elements, last dimension first.
TEST(AffineGrid, Identity) {
  Case c(Shapes{{1, 2, 3}});
  c.values = {{1, 0, 0, 0, 1, 0}};
  expect_near(c.run(affine_grid(c.b, c.inputs[0], {1, 2}, false)), {-0.5, 0, 0.5, 0});
}

// Given offsets of 0, when a deformed convolution is computed, then it is the convolution; an offset of half an element reads between two.
TEST(DeformedConv, OffsetsMoveWhatIsRead) {
  for (const double offset : {0.0, 0.5}) {
    Case c(Shapes{{1, 1, 1, 3}, {1, 1, 1, 2}, {1, 4, 1, 2}});
    c.values = {{1, 2, 4}, {1, 10}, {0, 0, offset, offset, 0, 0, 0, 0}};
    DeformedWindow window;
    window.offsets = c.inputs[2];
    expect_near(c.run(deformed_conv(c.b, c.inputs[0], c.inputs[1], window)), offset == 0 ? Values{21, 42} : Values{21.5, 43});
  }
}

// Given a region of whole pixels and one sample a cell, when pooled, then each cell has the value at its middle.
TEST(PooledRegions, OneSampleOfACell) {
  Case c(Shapes{{1, 1, 2, 4}, {1, 4}});
  const Tensor images = c.b.input("images", DType::kI64, {1});
  c.values = {{0, 1, 2, 3, 10, 11, 12, 13}, {0, 0, 4, 2}, {0}};
  RegionSampling sampling{.height = 1, .width = 2, .samples = 1};
  expect_near(c.run(pooled_regions(c.b, c.inputs[0], c.inputs[1], images, sampling)), {5.5, 7.5});
}

// A turn is rounded to f32, 2^-24 of it, and counts for each of eight terms.
constexpr double kTurnError = 8 * 2 * std::numbers::pi / (1 << 24);

// Given a signal, when transformed and back, then it is the same; the half that is kept of a real one's is enough.
TEST(Fourier, ThereAndBack) {
  for (const bool onesided : {false, true})
    for (const int64_t extent : {int64_t{5}, int64_t{8}}) {
      Case c(Shapes{{extent, 1}});
      const auto bins = fourier(c.b, c.inputs[0], {0, extent, false, onesided});
      ASSERT_TRUE(bins.ok());
      const Values back = c.run(fourier(c.b, *bins, {0, extent, true, onesided}));
      for (int64_t i = 0; i < extent; i++) EXPECT_NEAR(back[static_cast<size_t>(onesided ? i : 2 * i)], c.values[0][static_cast<size_t>(i)], kTurnError);
    }
}

// Given a wave of two periods in a frame, when framed and transformed, then bin 2 alone is not 0.
TEST(Fourier, FramesOfAWave) {
  Case c(Shapes{{1, 12, 1}});
  for (size_t i = 0; i < 12; i++) c.values[0][i] = std::cos(2 * std::numbers::pi * static_cast<double>(i) / 4);
  const Values got = c.run(framed_fourier(c.b, c.inputs[0], {4, 8, nullptr, true}));
  ASSERT_EQ(got.size(), 2u * 5 * 2);
  for (size_t i = 0; i < got.size(); i++) EXPECT_NEAR(got[i], i % 10 == 4 ? 4 : 0, kTurnError) << i;
}

// Given Hann's coefficients, when a symmetric window is made, then it begins and ends with 0 and has 1 in the middle; a window of one element is 1.
TEST(CosineWindow, Hann) {
  Case c(Shapes{});
  expect_near(c.run(cosine_window(c.b, DType::kF32, 5, false, {0.5, 0.5, 0})), {0, 0.5, 1, 0.5, 0});
  Case one(Shapes{});
  expect_near(one.run(cosine_window(one.b, DType::kF32, 1, false, {0.5, 0.5, 0})), {1});
}

// Given windows of ones that overlap, when they are added up where they came from, then each element counts the windows that met it.
TEST(OverlapAdd, CountsWindows) {
  Case c(Shapes{{1, 3, 3}});
  c.values = {Values(9, 1)};
  expect_near(c.run(overlap_add(c.b, c.inputs[0], {5}, {.kernel = {3}})), {1, 2, 3, 2, 1});
  EXPECT_FALSE(overlap_add(c.b, c.inputs[0], {6}, {.kernel = {3}}).ok());
}

}  // namespace
}  // namespace hone::te
