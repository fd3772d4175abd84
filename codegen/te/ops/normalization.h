// Normalisations with given statistics.
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

}  // namespace hone::te
