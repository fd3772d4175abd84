// Scattering, sorting and cumulation against loops written out by hand.
#include <gtest/gtest.h>

#include "codegen/te/ops/cumulative.h"
#include "codegen/te/ops/ops_case.h"
#include "codegen/te/ops/scatter.h"
#include "codegen/te/ops/sorting.h"

namespace hone::te {
namespace {

// Given indices that meet, count from the end or lie outside, when scattered, then the last one replaces, others are joined in order, and those outside count nothing.
TEST(Scatter, Elements) {
  const auto scattered = [](ScatterJoin join) {
    Case c(Shapes{{5}, {4}});
    const Tensor indices = c.b.input("I", DType::kI64, {4});
    c.values = {{1, 2, 3, 4, 5}, {10, 20, 30, 40}, {1, -1, 1, 7}};
    return c.run(scatter_elements(c.b, c.inputs[0], indices, c.inputs[1], 0, join));
  };
  expect_near(scattered(ScatterJoin::kReplace), {1, 30, 3, 4, 20});
  expect_near(scattered(ScatterJoin::kAdd), {1, 42, 3, 4, 25});
  expect_near(scattered(ScatterJoin::kMultiply), {1, 600, 3, 4, 100});
  expect_near(scattered(ScatterJoin::kMax), {1, 30, 3, 4, 20});
  expect_near(scattered(ScatterJoin::kMin), {1, 2, 3, 4, 5});
}

// Given indices along one axis that reach less far along the other, when scattered, then what lies beyond stays.
TEST(Scatter, ElementsOfPartOfTheOtherAxis) {
  Case c(Shapes{{2, 3}, {1, 2}});
  const Tensor indices = c.b.input("I", DType::kI32, {1, 2});
  c.values = {{0, 1, 2, 3, 4, 5}, {8, 9}, {2, 0}};
  expect_near(c.run(scatter_elements(c.b, c.inputs[0], indices, c.inputs[1], 1, ScatterJoin::kReplace)), {9, 1, 8, 3, 4, 5});
}

// Given pairs of indices and rows of updates, when scattered, then whole rows are replaced or added.
TEST(Scatter, Tuples) {
  Case c(Shapes{{2, 2, 2}, {3, 2}});
  const Tensor indices = c.b.input("I", DType::kI64, {3, 2});
  c.values = {{0, 1, 2, 3, 4, 5, 6, 7}, {10, 11, 20, 21, 30, 31}, {0, 1, -1, 0, 0, 1}};
  expect_near(c.run(scatter_tuples(c.b, c.inputs[0], indices, c.inputs[1], ScatterJoin::kAdd)), {0, 1, 42, 45, 24, 26, 6, 7});
  EXPECT_FALSE(scatter_tuples(c.b, c.inputs[1], indices, c.inputs[0], ScatterJoin::kAdd).ok());
}

// Given updates that begin at places of their own, when written around the end and not, then they go on at the beginning, or are cut off.
TEST(WriteFrom, StartsOfEachEntry) {
  for (const bool around : {false, true}) {
    Case c(Shapes{{2, 4}, {2, 2}});
    const Tensor starts = c.b.input("S", DType::kI64, {2});
    c.values = {{1, 2, 3, 4, 5, 6, 7, 8}, {10, 20, 30, 40}, {1, 3}};
    expect_near(c.run(write_from(c.b, c.inputs[0], c.inputs[1], starts, 1, around)), around ? Values{1, 10, 20, 4, 40, 6, 7, 30} : Values{1, 10, 20, 4, 5, 6, 7, 30});
  }
}

// Given equal elements, when the best are chosen, then the first of them comes first, whichever order is wanted.
TEST(BestOf, EqualsKeepTheirOrder) {
  for (const bool largest : {true, false}) {
    Case c(Shapes{{1, 5}});
    c.values = {{2, 5, 2, 7, 5}};
    const auto chosen = best_of(c.b, c.inputs[0], {1, 4, largest});
    ASSERT_TRUE(chosen.ok());
    c.b.output(chosen->values);
    expect_near(c.run(chosen->places), largest ? Values{7, 5, 5, 2} : Values{2, 2, 5, 5});
    expect_near(evaluate(c.b.program(), c.values)[1], largest ? Values{3, 1, 4, 0} : Values{0, 2, 1, 4});
  }
}

// Given rows of one block and of several levels of blocks, when cumulated in each direction, with the element itself and without, then each is the sum of those before.
TEST(Cumulate, SumsOfWhatComesBefore) {
  for (const int64_t extent : {int64_t{1}, int64_t{5}, int64_t{33}, int64_t{1500}})
    for (const int mode : {0, 1, 2, 3}) {
      const bool exclusive = mode & 1, reverse = mode & 2;
      Case c(Shapes{{extent}});
      Values expected(static_cast<size_t>(extent));
      double sum = 0;
      for (int64_t i = 0; i < extent; i++) {
        const auto at = static_cast<size_t>(reverse ? extent - 1 - i : i);
        expected[at] = exclusive ? sum : sum + c.values[0][at];
        sum += c.values[0][at];
      }
      expect_near(c.run(cumulate(c.b, c.inputs[0], {0, exclusive, reverse, Fold::kSum})), expected);
    }
}

}  // namespace
}  // namespace hone::te
