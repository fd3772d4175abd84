// Sizes of a group's tile directions, and what a tile of a given size wastes.
#pragma once
#include <cstdint>

#include "tuner/space/sketch.h"

namespace hone::tuner {

struct Extents {
  int64_t rows = 1;        // fused
  int64_t inner_rows = 1;  // the innermost row axis alone
  int64_t lanes = 1;
  int64_t elements = 1;  // of the output
  int64_t k = 1;
  bool vectors = false;  // the output's rows begin at multiples of 4 elements
  int64_t line = 1;      // row groups: elements that a row's threads share
};

Extents extents_of(const te::Task& task, const Group& group);

// ⌈extent / tile⌉·tile / extent: 1 when nothing is wasted.
double waste(int64_t extent, int64_t tile);
inline constexpr double kWasteMax = 1.34;

}  // namespace hone::tuner
