// Convolution over 1, 2 or 3 spatial dimensions.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

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

struct ConvParams {
  Window window;  // kernel is taken from W
  int64_t groups = 1;
};

// Y[n, o, oh, ow] = Σ r s c  X[n, c, oh·stride + r·dilation − pad, …] · W[o, c, r, s].
// X: [n, c, spatial…], W: [o, c / groups, kernel…]. The padded input is a Map "X.pad" of its own, left out when no side is padded.
// Reduction "Y": axes n o oh ow (1 dimension: ow; 3: od oh ow), reduce axes r s c (3: q r s c). Depthwise (one input channel per group):
// no reduce axis c, and the output channel is called c when each group has one output. Fails: bad_model.
Result<Tensor> conv(Builder& b, Tensor x, Tensor w, const ConvParams& params);

}  // namespace hone::te
