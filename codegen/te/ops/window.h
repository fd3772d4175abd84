// Sliding windows over the spatial dimensions of tensors [n, c, spatial…].
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// Larger kernels, strides, dilations, pads and extents are refused, so that index arithmetic stays within 32 bits.
inline constexpr int64_t kWindowMax = int64_t{1} << 15;

// A sliding window, one entry per spatial dimension; empty vectors mean stride 1, dilation 1, pads 0.
struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride, dilation;
  std::vector<int64_t> pad_begin, pad_end;
};
// Fills what is empty for `rank` spatial dimensions. Fails: bad_model when a length or a value is wrong.
Result<Window> complete_window(Window window, size_t rank);
// How many positions the window takes along each dimension; with ceil_mode a last one may begin inside and end beyond the padding.
Result<Shape> window_positions(const Shape& spatial, const Window& window, bool ceil_mode = false);
// The Map "<X>.pad": x with `begin` and `end` more elements of value `fill` along its last dimensions; x itself when all are 0.
Tensor pad_spatial(Builder& b, Tensor x, const std::vector<int64_t>& begin, const std::vector<int64_t>& end, double fill);

}  // namespace hone::te
