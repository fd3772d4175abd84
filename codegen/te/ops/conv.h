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
// no reduce axis c, and the output channel is called c when each group has one output. Fails: bad_model.
Result<Tensor> conv(Builder& b, Tensor x, Tensor w, const ConvParams& params);

}  // namespace hone::te
