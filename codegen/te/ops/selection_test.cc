// What is kept where contents tell, against results written out by hand.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "codegen/te/ops/ops_case.h"
#include "codegen/te/ops/selection.h"

namespace hone::te {
namespace {

using Several = std::vector<Values>;

Several run(Case& c, const std::vector<Tensor>& outputs) {
  for (Tensor t : outputs) c.b.output(t);
  const Status status = verify_te(c.b.program());
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return status.ok() ? evaluate(c.b.program(), c.values) : Several(outputs.size());
}

// Given elements of which some are 0, in several sizes around the blocks of the search, when their places are asked for, then the first `count` are those that a loop finds, and the
// others are places, too.
TEST(Places, AreThoseOfALoop) {
  for (const int64_t n : {1, 2, 3, 15, 16, 17, 40, 41, 100}) {
    Case c(Shapes{{n}});
    Values expected;
    for (int64_t i = 0; i < n; i++) {
      c.values[0][static_cast<size_t>(i)] = uniform_at(7, static_cast<uint64_t>(i + n)) < 0.5 ? 0 : -1.5;
      if (c.values[0][static_cast<size_t>(i)] != 0) expected.push_back(double(i));
    }
    const auto found = places_where(c.b, c.inputs[0]);
    ASSERT_TRUE(found.ok());
    const Several got = run(c, {found->places, found->count});
    EXPECT_EQ(got[1], Values{double(expected.size())}) << n;
    EXPECT_EQ(Values(got[0].begin(), got[0].begin() + static_cast<std::ptrdiff_t>(expected.size())), expected) << n;
    for (double place : got[0]) EXPECT_TRUE(place >= 0 && place < double(n)) << n;
  }
}

// Given rows of which some are equal, when the different ones are asked for, then they come sorted, or as they first occur.
TEST(DistinctRows, SortedAndNot) {
  for (const bool sorted : {true, false}) {
    Case c(Shapes{{5, 2}});
    c.values = {{2, 1, 0, 9, 2, 1, 0, 8, 0, 9}};
    const auto made = distinct_rows(c.b, c.inputs[0], sorted);
    ASSERT_TRUE(made.ok());
    const Several got = run(c, {made->source, made->inverse, made->times, made->count});
    EXPECT_EQ(got[3], Values{3});
    EXPECT_EQ(Values(got[0].begin(), got[0].begin() + 3), (sorted ? Values{3, 1, 0} : Values{0, 1, 3}));
    EXPECT_EQ(got[1], (sorted ? Values{2, 1, 2, 0, 1} : Values{0, 1, 0, 2, 1}));
    EXPECT_EQ(Values(got[2].begin(), got[2].begin() + 3), (sorted ? Values{1, 2, 2} : Values{2, 2, 1}));
  }
}

// Given four boxes, of which the second covers most of the best one, the third touches it, and the fourth has no area, when the best is taken, then it and the second are gone, with
// corners in any order and with centres.
TEST(Suppress, WhatCoversTheBestGoes) {
  for (const bool centred : {false, true}) {
    Case c(Shapes{{1, 4, 4}, {1, 1, 4}});
    if (centred) c.values[0] = {1, 1, 2, 2, 1.1, 1, 2, 2, 3, 1, 2, 2, 1, 1, 0, 0};
    else c.values[0] = {0, 0, 2, 2, 2, 2.1, 0, 0.1, 0, 2, 2, 4, 1, 1, 1, 1};
    c.values[1] = {0.9, 0.8, 0.7, 0.6};
    const auto made = suppress_step(c.b, {c.inputs[0], c.inputs[1], Operand::of(DType::kF32, 0.5), centred});
    ASSERT_TRUE(made.ok());
    const Several got = run(c, {made->taken, made->left});
    EXPECT_EQ(got[0], Values{0}) << centred;
    EXPECT_EQ(got[1], (Values{kGoneScore, kGoneScore, 0.7, 0.6})) << centred;
  }
}

// Given no box that is left, when the best is asked for, then there is none.
TEST(Suppress, NoneIsLeft) {
  Case c(Shapes{{1, 2, 4}, {1, 1, 2}});
  c.values[1] = {kGoneScore, kGoneScore};
  const auto made = suppress_step(c.b, {c.inputs[0], c.inputs[1], Operand::of(DType::kF32, 0.5)});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(run(c, {made->taken})[0], Values{-1});
}

// Given shapes that do not fit, when defined, then they are refused.
TEST(Selection, RefusesOtherShapes) {
  Case c(Shapes{{2, 3}, {1, 2, 4}});
  EXPECT_FALSE(places_where(c.b, c.inputs[0]).ok());
  EXPECT_FALSE(distinct_rows(c.b, c.inputs[1], true).ok());
  EXPECT_FALSE(suppress_step(c.b, {c.inputs[0], c.inputs[1], Operand::of(DType::kF32, 0.5)}).ok());
}

}  // namespace
}  // namespace hone::te
