// ValueRange: the numbers that an argument of a task is filled with, by position, the same on every platform.
#pragma once
#include <cstdint>

#include "base/hash.h"

namespace hone {

// Floats lie in [low, high), whole numbers in [low, high]. Needs: low ≤ high; whole numbers: both whole, of one 32-bit type.
struct ValueRange {
  double low = -1, high = 1;
  bool operator==(const ValueRange&) const = default;
};

// The element at position `index` of the pseudo-random tensor `seed`: one of 2^24 steps of the range, rounded to f32. Of [-1, 1) they are exact.
inline float real_at(ValueRange range, uint64_t seed, uint64_t index) {
  const auto step = static_cast<double>(hash_mix(seed, index) >> 40);
  return static_cast<float>(range.low + (range.high - range.low) * (step * 0x1p-24));
}

inline int64_t whole_at(ValueRange range, uint64_t seed, uint64_t index) {
  const auto low = static_cast<int64_t>(range.low);
  const uint64_t count = static_cast<uint64_t>(static_cast<int64_t>(range.high) - low) + 1;  // at most 2^32
  return low + static_cast<int64_t>(((hash_mix(seed, index) >> 32) * count) >> 32);
}

}  // namespace hone
