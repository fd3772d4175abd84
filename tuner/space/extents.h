// Sizes of a group's tile directions, and what a tile of a given size wastes.
#pragma once
#include <cstdint>
#include <vector>

#include "codegen/target/target.h"
#include "tuner/space/sketch.h"

namespace hone::tuner {

// Of a group of patches rows and lanes are patches.
struct Extents {
  int64_t rows = 1;        // fused
  int64_t inner_rows = 1;  // the innermost row axis alone
  int64_t lanes = 1;     // fused; of a row that is reduced to one element, the elements that are
  int64_t elements = 1;  // of the output
  int64_t k = 1;
  int64_t vector_max = 1;  // elements along which vectors lie
  int64_t row_pitch = 1;   // elements from one row of the output to the next
};

Extents extents_of(const te::Task& task, const Group& group);
// Steps of a reduction, all its axes together.
int64_t steps_of(const te::Compute& reduction);
// Steps of the reduction's window axes, all together; 1 without a window.
int64_t window_elements(const te::Task& task, const Group& group);
// Of these the straight-line copies, where so many of the axes with several steps are unrolled, the innermost first.
int64_t window_copies(const te::Task& task, const Group& group, int64_t unrolled);

// Whether rows are whole vectors; or where they are of no width, the last one may reach beyond the end, where its lanes are stored one by one.
enum class RowEnd : uint8_t { kWhole, kBeyond };

// The widths of a group's vectors: 1, and those from 4 that the target has and no row is too short for.
std::vector<int64_t> vector_widths(const Extents& extents, const target::Target& target, RowEnd end = RowEnd::kWhole);

}  // namespace hone::tuner
