// Searches, merges and folds of equal keys against counts and sums written out by hand.
#include "codegen/te/ops/searching.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/te/ops/ops_case.h"
#include "codegen/te/ops/scatter.h"
#include "codegen/te/ops/sorting.h"

namespace hone::te {
namespace {

// Given as many keys as one look takes, fewer, more, and powers of it, when each number up to an extent is found, then its place is that of the last equal key, and it is there where one is.
TEST(FindLast, AllNumbers) {
  for (const int64_t count : {1, 15, 16, 17, 255, 256, 257, 300}) {
    Case c(Shapes{});
    const Tensor keys = c.b.input("K", DType::kI64, {count});
    Values sorted;
    for (int64_t i = 0; i < count; i++) sorted.push_back(double(i * 2 / 3 - 3));
    c.values = {sorted};
    const auto found = find_last(c.b, keys, 0, 200);
    ASSERT_TRUE(found.ok());
    const auto results = c.run_all({found->place, found->there});
    for (int64_t p = 0; p < 200; p++) {
      const auto end = std::upper_bound(sorted.begin(), sorted.end(), double(p));
      const bool there = end != sorted.begin() && end[-1] == double(p);
      EXPECT_EQ(results[1][size_t(p)], there) << count << " " << p;
      if (!there) continue;
      EXPECT_EQ(results[0][size_t(p)], double(end - sorted.begin() - 1)) << count << " " << p;
    }
  }
}

// Given runs in order, the last ones shorter or alone, with equal elements in both, when they are merged, then each two are in order, and equal ones stay in theirs.
TEST(MergeRuns, PairsOfRuns) {
  for (const bool largest : {true, false})
    for (const int64_t run : {1, 3, 4, 7, 20}) {
      const int64_t count = 23;
      Case c(Shapes{{1, count}});
      const Tensor places = c.b.input("P", DType::kI64, {1, count});
      std::vector<std::pair<double, double>> elements;
      for (int64_t i = 0; i < count; i++) elements.emplace_back(double(i * 7 % 5), double(i));
      const auto in_runs_of = [&](int64_t length) {
        for (int64_t i = 0; i < count; i += length)
          std::stable_sort(elements.begin() + i, elements.begin() + std::min(i + length, count), [&](const auto& l, const auto& r) { return largest ? l.first > r.first : l.first < r.first; });
        Values values, places;
        for (const auto& [value, place] : elements) values.push_back(value), places.push_back(place);
        return std::vector<Values>{values, places};
      };
      c.values = in_runs_of(run);
      const auto merged = merge_runs(c.b, {c.inputs[0], places, 1, run, largest});
      ASSERT_TRUE(merged.ok());
      EXPECT_EQ(c.run_all({merged->values, merged->places}), in_runs_of(2 * run)) << run;
    }
}

// Given keys of which many next to each other are equal, when their elements are folded by strides that grow, then the last of equal ones holds their sum.
TEST(FoldEquals, SumsOfEqualKeys) {
  const int64_t count = 100;
  Case c(Shapes{{count, 2}});
  const Tensor keys = c.b.input("K", DType::kI64, {count, 1});
  Values x, key, sums(size_t(2 * count));
  for (int64_t i = 0; i < 2 * count; i++) x.push_back(double(i * i % 17));
  for (int64_t i = 0; i < count; i++) key.push_back(i < 3 ? 0 : i < 80 ? 1 : double(i / 2));
  for (int64_t i = 0; i < count; i++)
    for (int64_t n = 0; n < 2; n++) sums[size_t(2 * i + n)] = x[size_t(2 * i + n)] + (i > 0 && key[size_t(i)] == key[size_t(i - 1)] ? sums[size_t(2 * i + n - 2)] : 0);
  c.values = {x, key};
  Tensor y = c.inputs[0];
  for (int64_t stride = 1; stride < count; stride *= kFoldWays) {
    const auto folded = fold_equals(c.b, y, keys, 0, stride, ScatterJoin::kAdd);
    ASSERT_TRUE(folded.ok());
    y = *folded;
  }
  expect_near(c.run(y), sums);
}

// Given indices from both ends and outside, when rows are numbered, then each has its row-major number, and those outside none.
TEST(RowNumbers, BothEnds) {
  Case c(Shapes{});
  const Tensor indices = c.b.input("I", DType::kI64, {6, 2});
  c.values = {{0, 0, 1, 2, -1, -1, -2, -3, 2, 0, 0, -4}};
  expect_near(c.run(row_numbers(c.b, indices, {2, 3})), {0, 5, 5, 0, -1, -1});
  EXPECT_FALSE(row_numbers(c.b, indices, {2, 3, 4}).ok());
}

}  // namespace
}  // namespace hone::te
