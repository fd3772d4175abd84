// Winograd's minimal filtering as a further form of a convolution: tiles of m×m outputs at once with (m+2)² products where the definition has 9m²
// (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, arXiv 1509.09308, section 4.1; the stages have the paper's names).
#pragma once
#include "codegen/te/ops/convolution.h"

namespace hone::te {

// Offers "winograd2" and "winograd4", for m = 2 and 4, as forms of y, the convolution's value, where it slides 3 taps with stride and dilation 1 along
// exactly two dimensions, adds up over at least one more axis, is of floats, and its weights are an input that is constant: their transform is worth
// keeping. Floats of other widths are computed with as f32. The stages, with t for tiles, i and j for places of a tile, and y standing for y's name:
//   y.d[i, j, n, c, t…]   a tile's data, 0 beyond the tensor
//   y.bd[a, j, …]         its rows transformed: Bᵀ d
//   y.v[a, b, …]          (Bᵀ d) B
//   y.g[a, s, c, o]       the taps' rows transformed: G g
//   y.u[a, b, …]          (G g) Gᵀ
//   y.m[a, b, n, t…, o]   Σ over what else is reduced of v · u
//   y.am[i, b, …]         Aᵀ m
//   y                     (Aᵀ m) A, element (h % m, w % m) of tile (h / m, w / m)
// The error is twice the greatest that was seen over random operands, and grows with the root of the number of terms.
void offer_minimal_filtering(Builder& b, const Convolution& conv, Tensor y);

}  // namespace hone::te
