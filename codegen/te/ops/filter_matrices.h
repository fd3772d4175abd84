// The matrices of minimal filtering with three taps, F(m, 3), by the points 0, ±1 (and ±2), ∞: Lavin and Gray, Fast Algorithms for Convolutional Neural
// Networks, arXiv 1509.09308, section 4.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/te/sym.h"

namespace hone::te {

inline constexpr int64_t kFilterTaps = 3;

using Matrix = std::vector<std::vector<double>>;  // rows

// y = a_t · ((g · taps) ∘ (b_t · data)): outputs, elements and taps along one axis.
struct FilterMatrices {
  int64_t outputs = 2;  // m
  Matrix b_t, g, a_t;   // (m+2) × (m+2), (m+2) × 3, m × (m+2), as the paper prints them
  int64_t tile() const { return outputs + kFilterTaps - 1; }
};
// Needs: outputs is 2 or 4.
const FilterMatrices& filter_matrices(int64_t outputs);

using Part = std::function<Sym(size_t)>;  // one of the elements along an axis
// The product of the matrix's row `position` and the parts. Each row is a sum of few terms; the position picks one by a test, which folds away where it is
// known.
Sym row_times(const Matrix& matrix, Sym position, const Part& part);

}  // namespace hone::te
