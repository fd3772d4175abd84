// Rng: a seeded sequence that is the same on every platform (SplitMix64). uniform_at: a value by position, for tensors filled on the device.
#pragma once
#include <cstdint>

#include "base/hash.h"

namespace hone {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}
  uint64_t next() { return state_ = hash_mix(state_, 0x2545f4914f6cdd1dull); }
  // A whole number in [0, bound); bound >= 1. The bias of the multiply-shift is below 2^-32 for the bounds used here.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // in [0, 1)
 private:
  uint64_t state_;
};

// The element at position `index` of the pseudo-random tensor `seed`: an f32 in [-1, 1), with 24 bits, exact in f32.
inline float uniform_at(uint64_t seed, uint64_t index) {
  return static_cast<float>(static_cast<int64_t>(hash_mix(seed, index) >> 40) - (1 << 23)) * 0x1p-23f;
}

}  // namespace hone
