// How far predictions are from labels.
#pragma once
#include <optional>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

enum class LossOver : uint8_t { kEach, kSum, kMean };

struct ClassLoss {
  Tensor weight = nullptr;         // [classes], of the logarithms' type; null: 1 each
  std::optional<int64_t> ignored;  // what has this label counts nothing
  LossOver over = LossOver::kMean;
};
// −weight[label] · logarithms[n, label, …] for each label[n, …], or their sum, or their sum divided by that of the weights. logarithms: [n, classes, …] of probabilities;
// a label outside the classes counts as the nearest one. Fails: bad_model.
Result<Tensor> class_loss(Builder& b, Tensor logarithms, Tensor labels, const ClassLoss& loss);

}  // namespace hone::te
