// Elements in places that data or a wanted shape tells, against results written out by hand.
#include <gtest/gtest.h>

#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/movement.h"
#include "codegen/te/ops/ops_case.h"
#include "codegen/te/ops/rotation.h"

namespace hone::te {
namespace {

// Given positions of whole rows and of single elements, some from the end and one beyond it, when gathered, then each is found, and the last clamped.
TEST(GatherTuples, RowsAndElements) {
  Case rows(Shapes{{3, 2}, {2, 1}}), elements(Shapes{{2, 2}, {3, 2}});
  rows.values = {{1, 2, 3, 4, 5, 6}, {-1, 0}};
  elements.values = {{1, 2, 3, 4}, {0, 1, 1, 0, 9, -1}};
  Tensor at = unary(rows.b, "at", rows.inputs[1], [](Sym x) { return cast(DType::kI64, x); });
  expect_near(rows.run(gather_tuples(rows.b, rows.inputs[0], at, 0)), {5, 6, 1, 2});
  at = unary(elements.b, "at", elements.inputs[1], [](Sym x) { return cast(DType::kI64, x); });
  expect_near(elements.run(gather_tuples(elements.b, elements.inputs[0], at, 0)), {2, 3, 4});
}

// Given a row of four, when it shall have two or seven elements, then its middle is left, or zeros are around it, one more behind.
TEST(Centered, CropsAndPads) {
  for (const auto& [extent, expected] : {std::pair<int64_t, Values>{2, {2, 3}}, {3, {1, 2, 3}}, {7, {0, 1, 2, 3, 4, 0, 0}}}) {
    Case c(Shapes{{4}});
    c.values[0] = {1, 2, 3, 4};
    expect_near(c.run(centered(c.b, c.inputs[0], {extent})), expected);
  }
}

// Given two rows of which two and three elements count, when reversed, then the rest stays.
TEST(ReverseStarts, LeavesTheRest) {
  Case c(Shapes{{2, 4}, {2}});
  c.values = {{1, 2, 3, 4, 5, 6, 7, 8}, {2, 3}};
  const Tensor lengths = unary(c.b, "lengths", c.inputs[1], [](Sym x) { return cast(DType::kI64, x); });
  expect_near(c.run(reverse_starts(c.b, c.inputs[0], lengths, 1, 0)), {2, 1, 3, 4, 7, 6, 5, 8});
  EXPECT_FALSE(reverse_starts(c.b, c.inputs[0], lengths, 0, 1).ok());
}

// Given one head of four numbers, when all or two of them are turned by a quarter, then each pair is, neighbours or half of them apart, and the others stay.
TEST(Rotate, PairsOfAHead) {
  struct Row { int64_t rotated; bool interleaved; Values expected; };
  for (const Row& r : {Row{4, false, {-3, -4, 1, 2}}, Row{4, true, {-2, 1, -4, 3}}, Row{2, false, {-2, 1, 3, 4}}, Row{2, true, {-2, 1, 3, 4}}}) {
    Case c(Shapes{{1, 1, 4}, {1, 1, r.rotated / 2}, {1, 1, r.rotated / 2}});
    c.values = {{1, 2, 3, 4}, Values(static_cast<size_t>(r.rotated / 2), 0), Values(static_cast<size_t>(r.rotated / 2), 1)};
    expect_near(c.run(rotate(c.b, c.inputs[0], {4, r.rotated, r.interleaved, c.inputs[1], c.inputs[2], nullptr})), r.expected);
  }
}

// Given a head of four, when three of its numbers shall be turned, or tables have another width, then that is refused.
TEST(Rotate, RefusesOddParts) {
  Case c(Shapes{{1, 1, 4}, {1, 1, 2}, {1, 1, 1}});
  const auto turns = [&](int64_t rotated, Tensor table) { return rotate(c.b, c.inputs[0], {4, rotated, false, table, table, nullptr}).ok(); };
  EXPECT_TRUE(turns(4, c.inputs[1]));
  EXPECT_FALSE(turns(3, c.inputs[1]));
  EXPECT_FALSE(turns(4, c.inputs[2]));
  EXPECT_FALSE(turns(6, c.inputs[1]));
}

}  // namespace
}  // namespace hone::te
