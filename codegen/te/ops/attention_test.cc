// Attention and losses against loops written out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "codegen/te/ops/attention.h"
#include "codegen/te/ops/losses.h"
#include "codegen/te/ops/ops_case.h"

namespace hone::te {
namespace {

// One head: what `sees(query, key)` allows is weighted by e^(scale · q·k).
Values attended(const Values& q, const Values& k, const Values& v, int queries, int keys, int features, double scale, const std::function<bool(int, int)>& sees) {
  Values out(static_cast<size_t>(queries * features), 0);
  for (int i = 0; i < queries; i++) {
    Values weight(static_cast<size_t>(keys), 0);
    double sum = 0;
    for (int j = 0; j < keys; j++) {
      double score = 0;
      for (int d = 0; d < features; d++) score += q[static_cast<size_t>(i * features + d)] * k[static_cast<size_t>(j * features + d)];
      sum += weight[static_cast<size_t>(j)] = sees(i, j) ? std::exp(scale * score) : 0;
    }
    for (int j = 0; j < keys && sum > 0; j++)
      for (int d = 0; d < features; d++) out[static_cast<size_t>(i * features + d)] += weight[static_cast<size_t>(j)] / sum * v[static_cast<size_t>(j * features + d)];
  }
  return out;
}

Values run(Case& c, const Attention& a) {
  const auto out = attend(c.b, a);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  return out.ok() ? c.run(out->y) : Values{};
}

// Given one head, when attended, then the result is the softmax of the scaled products times the values; causally, behind a past, within a window, and up to a length
// a query sees the keys up to its own place, which the past or the length says.
TEST(Attention, OneHead) {
  const auto all = [](int, int) { return true; };
  Case plain(Shapes{{1, 1, 3, 4}, {1, 1, 5, 4}, {1, 1, 5, 4}});
  expect_near(run(plain, {.query = plain.inputs[0], .key = plain.inputs[1], .value = plain.inputs[2]}), attended(plain.values[0], plain.values[1], plain.values[2], 3, 5, 4, 0.5, all));

  Case causal(Shapes{{1, 1, 3, 4}, {1, 1, 3, 4}, {1, 1, 3, 4}, {1, 1, 2, 4}, {1, 1, 2, 4}});
  const Attention behind_past{.query = causal.inputs[0], .key = causal.inputs[1], .value = causal.inputs[2], .past_key = causal.inputs[3], .past_value = causal.inputs[4], .scale = 1, .causal = true, .keys_before = 2};
  Values keys = causal.values[3], values = causal.values[4];
  keys.insert(keys.end(), causal.values[1].begin(), causal.values[1].end());
  values.insert(values.end(), causal.values[2].begin(), causal.values[2].end());
  const auto window = [](int i, int j) { return j <= i + 2 && j >= i; };
  expect_near(run(causal, behind_past), attended(causal.values[0], keys, values, 3, 5, 4, 1, window));

  Case short_cache(Shapes{{1, 1, 3, 4}, {1, 1, 5, 4}, {1, 1, 5, 4}, {1}});
  short_cache.values[3] = {2};  // fewer keys than queries: the first query sees none
  const Attention up_to_length{.query = short_cache.inputs[0], .key = short_cache.inputs[1], .value = short_cache.inputs[2], .lengths = nullptr, .causal = true};
  Attention a = up_to_length;
  a.lengths = short_cache.b.input("L", DType::kI64, {1});
  short_cache.values = {short_cache.values[0], short_cache.values[1], short_cache.values[2], {0}, {2}};
  const auto frontier = [](int i, int j) { return j < 2 && j <= i - 1; };
  expect_near(run(short_cache, a), attended(short_cache.values[0], short_cache.values[1], short_cache.values[2], 3, 5, 4, 0.5, frontier));
}

// Given two heads of queries for one of keys in joined operands, when attended, then both read the same keys, and their results stand side by side.
TEST(Attention, SharedHeadsOfJoinedOperands) {
  Case c(Shapes{{1, 2, 4}, {1, 3, 2}, {1, 3, 2}});
  const Attention a{.query = c.inputs[0], .key = c.inputs[1], .value = c.inputs[2], .query_heads = 2, .key_heads = 1, .scale = 1};
  Values expected(8);
  for (size_t head = 0; head < 2; head++) {
    Values q;
    for (size_t i = 0; i < 2; i++)
      for (size_t d = 0; d < 2; d++) q.push_back(c.values[0][i * 4 + head * 2 + d]);
    const Values y = attended(q, c.values[1], c.values[2], 2, 3, 2, 1, [](int, int) { return true; });
    for (size_t i = 0; i < 2; i++)
      for (size_t d = 0; d < 2; d++) expected[i * 4 + head * 2 + d] = y[i * 2 + d];
  }
  expect_near(run(c, a), expected);
}

// Given masks of −∞ and of the lowest number over a whole row, when attended, then the first row is 0, and the second one weighs its keys alike.
TEST(Attention, RowsThatAreMasked) {
  Case c(Shapes{{1, 1, 2, 1}, {1, 1, 2, 1}, {1, 1, 2, 1}, {2, 2}});
  const double lowest = std::numeric_limits<float>::lowest(), infinity = std::numeric_limits<double>::infinity();
  c.values = {{0, 0}, {1, 1}, {3, 5}, {-infinity, -infinity, lowest, lowest}};
  expect_near(run(c, {.query = c.inputs[0], .key = c.inputs[1], .value = c.inputs[2], .mask = c.inputs[3]}), {0, 4});
}

// Given operands that do not fit, when attended, then that is refused.
TEST(Attention, RefusesWhatDoesNotFit) {
  Case c(Shapes{{1, 3, 2, 4}, {1, 2, 5, 4}, {1, 2, 5, 4}, {1, 2, 4, 4}, {3, 6}, {1, 2, 5, 3}});
  const auto fits = [&](Attention a) { return attend(c.b, a).ok(); };
  EXPECT_FALSE(fits({.query = c.inputs[0], .key = c.inputs[1], .value = c.inputs[2]})) << "3 heads do not share 2";
  EXPECT_FALSE(fits({.query = c.inputs[1], .key = c.inputs[1], .value = c.inputs[3]})) << "4 values for 5 keys";
  EXPECT_FALSE(fits({.query = c.inputs[1], .key = c.inputs[1], .value = c.inputs[2], .mask = c.inputs[4]})) << "a mask that is too long";
  EXPECT_FALSE(fits({.query = c.inputs[1], .key = c.inputs[1], .value = c.inputs[2], .past_key = c.inputs[3]})) << "a past of keys alone";
  EXPECT_FALSE(fits({.query = c.inputs[5], .key = c.inputs[1], .value = c.inputs[2]})) << "other features";
  EXPECT_TRUE(fits({.query = c.inputs[1], .key = c.inputs[1], .value = c.inputs[5]})) << "values may have others";
}

// Given logarithms of three classes, when lost over labels with weights, one of them ignored, then each counts its weight, and the mean is theirs.
TEST(ClassLoss, WeightsAndIgnoredLabels) {
  const Values x = {-1, -2, -3, -4, -5, -6, -7, -8, -9};
  for (const LossOver over : {LossOver::kEach, LossOver::kSum, LossOver::kMean}) {
    Case c(Shapes{{3, 3}, {3}});
    const Tensor labels = c.b.input("labels", DType::kI64, {3});
    c.values = {x, {1, 10, 100}, {2, 0, 1}};
    const Values got = c.run(class_loss(c.b, c.inputs[0], labels, {c.inputs[1], 0, over}));
    const Values each = {300, 0, 80};
    if (over == LossOver::kEach) expect_near(got, each);
    if (over == LossOver::kSum) expect_near(got, {380});
    if (over == LossOver::kMean) expect_near(got, {380.0 / 110});
  }
  Case c(Shapes{{3, 3}});
  const Tensor labels = c.b.input("labels", DType::kI64, {3});
  c.values = {x, {2, 0, 9}};  // the last one lies outside: the nearest class counts
  expect_near(c.run(class_loss(c.b, c.inputs[0], labels, {})), {(3.0 + 4 + 9) / 3});
}

}  // namespace
}  // namespace hone::te
