// Pooling over 1, 2 or 3 spatial dimensions.
#pragma once
#include "base/result.h"
#include "codegen/te/ops/window.h"

namespace hone::te {

struct PoolParams {
  Window window;
  bool ceil_mode = false;          // a last window may hang over the padding
  bool count_include_pad = false;  // average only: padding counts as elements of value 0
};

// x: [n, c, spatial…]. Reduction "Y": axes n c oh ow, reduce axes r s (as in conv.h). Padding is a Map "X.pad". Fails: bad_model.
Result<Tensor> max_pool(Builder& b, Tensor x, const PoolParams& params);
// Where each of the maxima `y` stands in x, the first of equals, counted through all of x row-major or with the last spatial dimension counting most: i64, the reduction "I".
Result<Tensor> max_pool_places(Builder& b, Tensor x, Tensor y, const PoolParams& params, bool column_major);
Result<Tensor> average_pool(Builder& b, Tensor x, const PoolParams& params);
// (Σ |x|^order)^(1/order) of the window's elements; padding is 0. order ≥ 1.
Result<Tensor> length_pool(Builder& b, Tensor x, const PoolParams& params, int64_t order);
// The window that covers all spatial dimensions of x.
Result<Window> global_window(Tensor x);

}  // namespace hone::te
