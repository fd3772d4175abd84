#include "browser-agent/runtime/tensor_check.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "base/unspecified.h"

namespace hone::runtime {
namespace {

constexpr uint64_t kSeed = 0x123456789abcdef0ull;

std::vector<float> filled(const TensorView& view, uint32_t pad_bits) {
  std::vector<float> out(view.physical_elements());
  fill(view, Element::kF32, {}, kSeed, pad_bits, reinterpret_cast<uint32_t*>(out.data()));
  return out;
}

std::vector<float> reference(int64_t count) {
  std::vector<float> out(count);
  for (int64_t i = 0; i < count; i++) out[i] = real_at({}, kSeed, i);
  return out;
}

Comparison compare_floats(const TensorView& view, const float* physical, const float* expected, bool pads_are_zero,
                          Magnitudes magnitudes = {1, 0.5}) {
  return compare(view, Element::kF32, reinterpret_cast<const uint32_t*>(physical),
                 reinterpret_cast<const uint32_t*>(expected), magnitudes, pads_are_zero);
}

bool is_poison(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits == kPoisonBits;
}

// 2×6×3×5 (n, c, h, w), channels last in blocks of 4: six channels in two blocks, so two pad channels in the second.
TensorView blocked() { return {{2, 6, 3, 5}, {{0, 1, 2}, {2, 1, 3}, {3, 1, 5}, {1, 4, 2}, {1, 1, 4}}}; }

// Given a row-major view, when it is filled, then element i is real_at(range, seed, i).
TEST(Fill, RowMajorFollowsTheLinearIndex) { EXPECT_EQ(filled({{3, 7}, {}}, 0), reference(21)); }

// Given a range of whole floats, when a view is filled, then they are all that lie in it but for 0.
TEST(Fill, MultiplesOfAStep) {
  std::vector<uint32_t> bits(4000);
  fill({{4000}, {}}, Element::kF32, {-3, 3, 1}, kSeed, 0, bits.data());
  std::map<float, int> counts;
  for (uint32_t word : bits) counts[std::bit_cast<float>(word)]++;
  EXPECT_EQ(counts.size(), 6u);
  for (float value : {-3.0f, -2.0f, -1.0f, 1.0f, 2.0f, 3.0f}) EXPECT_GT(counts[value], 500) << value;
}

// Given a transposed view, when it is filled, then position (j, i) holds the logical element (i, j).
TEST(Fill, PermutedViewKeepsTheLogicalIndex) {
  const std::vector<float> out = filled({{3, 7}, {{1, 1, 7}, {0, 1, 3}}}, 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 7; j++) EXPECT_EQ(out[j * 3 + i], real_at({}, kSeed, i * 7 + j)) << i << ' ' << j;
}

// Given channels in blocks of 4, when filled with a poisoned pad, then each logical element lies where the layout says and the rest is poison.
TEST(Fill, BlockedViewPoisonsItsPads) {
  const std::vector<float> out = filled(blocked(), kPoisonBits);
  int64_t pads = 0;
  for (int n = 0; n < 2; n++)
    for (int h = 0; h < 3; h++)
      for (int w = 0; w < 5; w++)
        for (int c = 0; c < 8; c++) {
          const float value = out[((n * 3 + h) * 5 + w) * 8 + c];
          if (c < 6) {
            EXPECT_EQ(value, real_at({}, kSeed, ((n * 6 + c) * 3 + h) * 5 + w));
          } else {
            EXPECT_TRUE(is_poison(value));
            pads++;
          }
        }
  EXPECT_EQ(pads, 2 * 3 * 5 * 2);
}

// Given any layout, split and padded or not, when it is walked, then each position holds what the definition (index / div) % size says.
TEST(WalkPhysical, AgreesWithTheDefinition) {
  const TensorView views[] = {
      blocked(),
      {{5, 7}, {{1, 3, 3}, {0, 1, 5}, {1, 1, 3}}},  // 7 columns in blocks of 3
      {{5, 7}, {{0, 1, 8}, {1, 1, 8}}},             // padded on both axes
      {{12}, {{0, 6, 2}, {0, 2, 3}, {0, 1, 2}}},    // an axis in three parts
      {{6}, {{0, 2, 3}, {0, 1, 4}}},                // overlapping parts: most positions contradict themselves
      {{4, 6}, {{1, 1, 6}, {0, 2, 2}, {0, 1, 2}}},
  };
  for (const TensorView& view : views) {
    int64_t expected_position = 0;
    walk_physical(view, [&](int64_t position, int64_t logical) {
      EXPECT_EQ(position, expected_position++);
      // The coordinates of the position, innermost last, and the logical index that they spell.
      std::vector<int64_t> at(view.dims.size()), index(view.shape.size(), 0);
      int64_t rest = position;
      for (size_t d = at.size(); d-- > 0; rest /= view.dims[d].size) at[d] = rest % view.dims[d].size;
      for (size_t d = 0; d < at.size(); d++) index[view.dims[d].axis] += at[d] * view.dims[d].div;
      bool held = true;
      for (size_t d = 0; d < at.size(); d++)
        held &= index[view.dims[d].axis] / view.dims[d].div % view.dims[d].size == at[d];
      int64_t linear = 0;
      for (size_t axis = 0; axis < index.size(); axis++) {
        held &= index[axis] < view.shape[axis];
        linear = linear * view.shape[axis] + index[axis];
      }
      EXPECT_EQ(logical, held ? linear : kPadElement) << position;
    });
    EXPECT_EQ(expected_position, view.physical_elements());
  }
}

// Given the same tensor in another layout, when compared with the logical reference, then the error is nought and all is written.
TEST(Compare, AcceptsTheReferenceInAnyLayout) {
  for (const TensorView& view : {blocked(), TensorView{{2, 6, 3, 5}, {}},
                                 TensorView{{2, 6, 3, 5}, {{3, 1, 5}, {1, 1, 6}, {0, 1, 2}, {2, 1, 3}}}}) {
    const Comparison c = compare_floats(view, filled(view, 0).data(), reference(180).data(), true);
    EXPECT_EQ(c.max_error, 0);
    EXPECT_EQ(c.unwritten, 0);
    EXPECT_EQ(c.nonzero_pads, 0);
  }
}

// Given elements off, when compared, then the error is relative to the reference's range and the index names the element.
TEST(Compare, ReportsTheLargestErrorRelativeToTheRange) {
  const TensorView view{{4}, {}};
  const float expected[] = {1, -4, 2, 0.5f}, found[] = {1, -4, 2.5f, 0.25f};
  const Comparison c = compare_floats(view, found, expected, false, {4, 1});
  EXPECT_DOUBLE_EQ(c.max_error, 0.125);
  EXPECT_EQ(c.worst_index, 2);
}

// Given a result with a pole, when an ordinary element is off by a hundredth of the median, then the pole's size does not hide it; and the pole itself
// may be off by as much of its own.
TEST(Compare, APoleDoesNotHideOrdinaryElements) {
  const TensorView view{{3}, {}};
  const float expected[] = {1e6f, 1, 2};
  const Magnitudes magnitudes{1e6, 2};
  const float ordinary[] = {1e6f, 1.02f, 2}, pole[] = {1.02e6f, 1, 2};
  EXPECT_NEAR(compare_floats(view, ordinary, expected, false, magnitudes).max_error, 0.02 / 16, 1e-6);
  EXPECT_NEAR(compare_floats(view, pole, expected, false, magnitudes).max_error, 0.02, 1e-6);
}

// Given NaN and infinities in the reference, when the output has the same, then nothing is wrong; a number, the other infinity or poison is.
TEST(Compare, NanAndInfinitiesAreValues) {
  const TensorView view{{3}, {}};
  const float expected[] = {NAN, INFINITY, 1};
  EXPECT_EQ(compare_floats(view, expected, expected, false).max_error, 0);
  const float number[] = {1, INFINITY, 1}, other[] = {NAN, -INFINITY, 1}, large[] = {NAN, 3e38f, 1};
  for (const float* found : {number, other, large})
    EXPECT_TRUE(std::isinf(compare_floats(view, found, expected, false).max_error));
  float unwritten[] = {0, INFINITY, 1};
  std::memcpy(&unwritten[0], &kPoisonBits, 4);
  EXPECT_EQ(compare_floats(view, unwritten, expected, false).unwritten, 1);
}

// Given a reference of zeros alone, when an element is none, then its error is its size.
TEST(Compare, OfZerosTheErrorIsAbsolute) {
  const float zeros[] = {0, 0}, found[] = {0, 0.25f};
  EXPECT_EQ(compare_floats({{2}, {}}, found, zeros, false, {0, 0}).max_error, 0.25);
}

// Given poison left in some elements, when compared, then they are counted; and the control: with none left, none is.
TEST(Compare, CountsUnwrittenElements) {
  const TensorView view{{8}, {}};
  std::vector<float> out(8);
  for (uint32_t bits = kPoisonBits; float& value : out) std::memcpy(&value, &bits, 4);
  EXPECT_EQ(compare_floats(view, out.data(), reference(8).data(), false).unwritten, 8);
  EXPECT_EQ(compare_floats(view, reference(8).data(), reference(8).data(), false).unwritten, 0);
}

// Given an element that the reference does not specify, when compared, then any finite value that was written is right, of floats and of whole
// numbers; poison is unwritten all the same, and a NaN an infinite error.
TEST(Compare, WhatIsUnspecifiedMayBeAnyValue) {
  const TensorView view{{3}, {}};
  float expected[] = {1, 0, -2};
  std::memcpy(&expected[1], &kUnspecifiedBits, 4);
  float found[] = {1, 1e6f, -2};
  EXPECT_EQ(compare_floats(view, found, expected, false).max_error, 0);
  found[1] = NAN;
  EXPECT_TRUE(std::isinf(compare_floats(view, found, expected, false).max_error));
  std::memcpy(&found[1], &kPoisonBits, 4);
  EXPECT_EQ(compare_floats(view, found, expected, false).unwritten, 1);
  const uint32_t whole_expected[] = {1, kUnspecifiedBits, 2}, whole_found[] = {1, 7, 2};
  EXPECT_EQ(compare(view, Element::kU32, whole_found, whole_expected, {}, false).max_error, 0);
}

// Given a NaN or an infinity that the kernel computed, when compared, then the error is infinite and nothing counts as unwritten.
TEST(Compare, NoFiniteNumberIsAnInfiniteError) {
  const TensorView view{{3}, {}};
  const float expected[] = {1, 2, 3};
  for (const float bad : {NAN, INFINITY}) {
    const float found[] = {1, bad, 3};
    const Comparison c = compare_floats(view, found, expected, false);
    EXPECT_TRUE(std::isinf(c.max_error));
    EXPECT_EQ(c.unwritten, 0);
  }
}

// Given an output whose pads must be zero, when a pad holds something else, then it is counted; when pads are free, it is not.
TEST(Compare, ChecksPadsOnlyWhenTheyMustBeZero) {
  std::vector<float> out = filled(blocked(), 0);
  out[7] = 1;
  EXPECT_EQ(compare_floats(blocked(), out.data(), reference(180).data(), true).nonzero_pads, 1);
  EXPECT_EQ(compare_floats(blocked(), out.data(), reference(180).data(), false).nonzero_pads, 0);
}

// Given views with an axis out of range, an axis uncovered or a size of nought, when asked, then they are invalid; the control is valid.
TEST(TensorView, RejectsWhatDoesNotDescribeATensor) {
  EXPECT_TRUE(blocked().valid());
  EXPECT_FALSE((TensorView{{2, 3}, {{2, 1, 3}}}.valid()));
  EXPECT_FALSE((TensorView{{2, 3}, {{0, 1, 2}}}.valid()));
  EXPECT_FALSE((TensorView{{2}, {{0, 1, 0}}}.valid()));
  EXPECT_FALSE((TensorView{{0}, {}}.valid()));
}

// Given whole numbers, when filled, then they are those of whole_at; and when one of them is off by one, the error is infinite.
TEST(Whole, AreFilledByPositionAndComparedExactly) {
  const TensorView view{{40}, {}};
  for (Element element : {Element::kI32, Element::kU32}) {
    const ValueRange range = element == Element::kI32 ? ValueRange{-0x1p31, 0x1p31 - 1} : ValueRange{0, 0x1p32 - 1};
    std::vector<uint32_t> expected(40);
    fill(view, element, range, kSeed, 0, expected.data());
    for (uint64_t i = 0; i < 40; i++) EXPECT_EQ(expected[i], static_cast<uint32_t>(whole_at(range, kSeed, i)));
    expected[3] = 1u << 30;  // a range in which a float would not see the difference
    std::vector<uint32_t> found = expected;
    EXPECT_EQ(compare(view, element, found.data(), expected.data(), {}, false).max_error, 0);
    found[7]++;
    const Comparison off = compare(view, element, found.data(), expected.data(), {}, false);
    EXPECT_TRUE(std::isinf(off.max_error));
    EXPECT_EQ(off.worst_index, 7);
    found[9] = kPoisonBits;
    found[7]--;
    EXPECT_EQ(compare(view, element, found.data(), expected.data(), {}, false).unwritten, 1);
  }
}

}  // namespace
}  // namespace hone::runtime
