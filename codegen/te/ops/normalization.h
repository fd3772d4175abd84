// Normalisations with given statistics, or with those of the tensor itself.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

struct BatchStatistics {
  Tensor scale = nullptr, bias = nullptr, mean = nullptr, variance = nullptr;  // each [c]
  double epsilon = 1e-5;
};
// The Map "norm": (x − mean[c]) · scale[c] / √(variance[c] + ε) + bias[c]; dimension 1 is the channel. Fails: bad_model.
Result<Tensor> batch_normalization(Builder& b, Tensor x, const BatchStatistics& statistics);

// (x − mean) / √(variance + ε) with the statistics of x over the dimensions `axes`, or x / √(mean of x² + ε); then times `scale`, plus `bias` where they are
// given.
struct Standardization {
  std::vector<int64_t> axes;  // ≥ 0, each once
  double epsilon = 1e-5;
  Tensor scale = nullptr, bias = nullptr;
  bool centered = true;       // false: nothing is subtracted (root mean square)
  bool per_channel = false;   // scale and bias: [c] along dimension 1; else they broadcast to x from the last dimension
};
struct Standardized {
  Tensor y = nullptr;
  // The reduced dimensions stay with extent 1; null: not asked for, or no mean is subtracted.
  Tensor mean = nullptr, inverse_deviation = nullptr;
};
// The reductions "mean" and "variance" (of x − mean: no cancellation), or "mean_square" alone, and the Map "norm". Fails: bad_model.
Result<Standardized> standardize(Builder& b, Tensor x, const Standardization& s, bool want_inverse_deviation = false);

// x: [n, c, …], whose channels fall into `count` groups of neighbours; each group of an image is standardized, then times `scale`, plus `bias`.
struct GroupStatistics {
  int64_t count = 1;
  double epsilon = 1e-5;
  Tensor scale = nullptr, bias = nullptr;  // each [c], or [count] where `per_group`
  bool per_group = false;
};
// `standardize` on the view [n, count, …], and the Map "Y". Fails: bad_model.
Result<Tensor> group_normalization(Builder& b, Tensor x, const GroupStatistics& groups);

// x / (k + α / size · Σ x²)^β, the sum over `size` channels (dimension 1) around the element's own. Fails: bad_model.
struct LocalResponse {
  int64_t size = 1;
  double alpha = 1e-4, beta = 0.75, k = 1;
};
Result<Tensor> local_response(Builder& b, Tensor x, const LocalResponse& params);

// x divided by its length along `axis` (≥ 0): the sum of magnitudes (order 1) or the root of the sum of squares (order 2). Fails: bad_model.
Result<Tensor> unit_length(Builder& b, Tensor x, int64_t axis, int64_t order);

}  // namespace hone::te
