// Convolution over 1, 2 or 3 spatial dimensions.
#pragma once
#include <cstdint>

#include "base/result.h"
#include "codegen/te/ops/window.h"

namespace hone::te {

struct ConvParams {
  Window window;  // kernel is taken from W
  int64_t groups = 1;
};

// Y[n, o, oh, ow] = Σ r s c  X[n, c, oh·stride + r·dilation − pad, …] · W[o, c, r, s].
// X: [n, c, spatial…], W: [o, c / groups, kernel…]. The padded input is a Map "X.pad" of its own, left out when no side is padded.
// Reduction "Y": axes n o oh ow (1 dimension: ow; 3: od oh ow), reduce axes r s c (3: q r s c). Depthwise (one input channel per group):
// no reduce axis c, and the output channel is called c when each group has one output. Whole numbers of 8 and 16 bits are multiplied and
// added up as i32. Offers minimal filtering (minimal_filtering.h) where it applies. Fails: bad_model.
Result<Tensor> conv(Builder& b, Tensor x, Tensor w, const ConvParams& params);

struct ConvTransposeParams {
  Window window;  // kernel is taken from W; pads cut the output
  std::vector<int64_t> output_padding;  // more positions at the end of each dimension; empty: none
  int64_t groups = 1;
};

// Y[n, o, oh, ow] = Σ over all r, h with h·stride + r·dilation − pad = oh (the same for ow)  X[n, c, h, w] · W[c, o, r, s].
// X: [n, c, spatial…], W: [c, o / groups, kernel…]. It gathers: each output reads just the taps that meet it, so with dilation 1 the
// reduce axes have ⌈kernel / stride⌉ steps. "X.pad" and reduction "Y" with axes as those of conv. Fails: bad_model.
Result<Tensor> conv_transposed(Builder& b, Tensor x, Tensor w, const ConvTransposeParams& params);

}  // namespace hone::te
