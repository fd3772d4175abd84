// Winograd's minimal filtering: a sum of products over windows of 3×3, computed for tiles of m×m outputs at once with (m+2)² products where the
// definition has 9m² (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, arXiv 1509.09308; the stages have the paper's names).
#pragma once
#include <string>
#include <vector>

#include "codegen/te/task.h"

namespace hone::schedule {

inline constexpr int64_t kWinogradTaps = 3;

// F(m, 3): y = a_t · ((g · taps) ∘ (b_t · data)), by the points 0, ±1 (and ±2), ∞. Rows of the transposed matrices, as the paper prints them.
struct WinogradMatrices {
  int64_t outputs = 2;                           // m
  std::vector<std::vector<double>> b_t, g, a_t;  // (m+2) × (m+2), (m+2) × 3, m × (m+2)
  int64_t tile() const { return outputs + kWinogradTaps - 1; }
};
// Needs: outputs is 2 or 4.
const WinogradMatrices& winograd_matrices(int64_t outputs);

// The task's program with the reduction `name` as: Y.v, the data's tiles transformed (from Y.d, a tile's data, 0 beyond the tensor, and Y.bd, its
// rows transformed); Y.u, the taps transformed (from Y.g); Y.m, their products summed over the other reduce axes, one for each position in a
// tile; and Y, which reads it transformed back (by Y.am). New nodes lie in `arena`, a child of the task's.
// The pattern: a sum of f32 products of two loads. One reads a constant at two reduce axes of extent 3, the taps; the other a tensor at
// (spatial axis + tap) in two dimensions, with stride and dilation 1; neither uses these axes elsewhere, and there are further reduce axes.
// Fails: illegal_schedule with what was found instead.
Result<te::Program> winograd_program(const te::Task& task, const std::string& name, int64_t outputs,
                                     std::shared_ptr<ir::Arena> arena);

}  // namespace hone::schedule
