// ValueRange: the numbers that an argument of a task is filled with, by position, the same on every platform.
#pragma once
#include <cstdint>

#include "base/hash.h"

namespace hone {

// Floats lie in [low, high), whole numbers in [low, high]. Needs: low ≤ high; whole numbers: both whole, of one 32-bit type.
// step: floats are multiples of it in [low, high], but not 0; high is one, and low is -high. 0: they are any.
struct ValueRange {
  double low = -1, high = 1, step = 0;
  bool operator==(const ValueRange&) const = default;
};

inline ValueRange where_signs_part(ValueRange range) {
  if (range.low < 0) return {range.low, range.high < -1 ? range.high : -1};
  const auto low = static_cast<int64_t>(range.low), high = static_cast<int64_t>(range.high);
  return {static_cast<double>(low + (high - low + 1) / 2), range.high};
}

// part: in [0, 1).
inline double multiple_at(ValueRange range, double part) {
  const auto steps = static_cast<int64_t>(range.high / range.step < 0x1p24 ? range.high / range.step : 0x1p24), at = static_cast<int64_t>(part * static_cast<double>(2 * steps)) - steps;
  return static_cast<double>(at < 0 ? at : at + 1) * range.step;
}

// The element at position `index` of the pseudo-random tensor `seed`: one of 2^24 steps of the range, rounded to f32. Of a range on both sides of 0 its
// middle quarter is left out: a term or factor next to nothing would not be missed.
inline float real_at(ValueRange range, uint64_t seed, uint64_t index) {
  const double part = static_cast<double>(hash_mix(seed, index) >> 40) * 0x1p-24;
  if (range.step > 0) return static_cast<float>(multiple_at(range, part));
  if (range.low >= 0) return static_cast<float>(range.low + (range.high - range.low) * part);
  const double size = 0.25 + 0.75 * (part < 0.5 ? 1 - 2 * part : 2 * part - 1);
  return static_cast<float>(size * (part < 0.5 ? range.low : range.high));
}

// The first lies where signed and unsigned numbers part: below 0, or in the upper half. A tensor may have no other (a zero point).
inline int64_t whole_at(ValueRange range, uint64_t seed, uint64_t index) {
  if (index == 0) range = where_signs_part(range);
  const auto low = static_cast<int64_t>(range.low);
  const uint64_t count = static_cast<uint64_t>(static_cast<int64_t>(range.high) - low) + 1;  // at most 2^32
  return low + static_cast<int64_t>(((hash_mix(seed, index) >> 32) * count) >> 32);
}

}  // namespace hone
