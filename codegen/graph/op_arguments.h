// What several emitters read from a node in the same way.
#pragma once
#include <optional>

#include "codegen/graph/op_emitters.h"
#include "codegen/te/ops/conv.h"

namespace hone::graph {

inline Error bad_node(std::string message) { return {ErrorCode::kBadModel, std::move(message)}; }

inline Emitted one_output(Result<te::Tensor> tensor) {
  if (!tensor.ok()) return tensor.error();
  return std::vector<te::Tensor>{*tensor};
}

// An axis that may count from the end, as one in [0, rank). Fails: bad_model.
Result<int64_t> axis_in(int64_t axis, size_t rank);
Result<std::vector<int64_t>> axes_in(std::vector<int64_t> axes, size_t rank);
// The axes that a node's other settings are for: those named, else all. Fails: bad_model, also where one is named twice.
Result<std::vector<int64_t>> distinct_axes(std::vector<int64_t> named, size_t rank);
// The attribute `name`, or input i where later opsets have it; empty when neither is there. Fails: unsupported.
Result<std::vector<int64_t>> integers_of(const OpCall& call, std::string_view name, size_t i);

// The only element of constant input i; `otherwise` where it is absent, or bad_model without one. Fails: bad_model, unsupported.
Result<int64_t> integer_in(const OpCall& call, size_t i, std::optional<int64_t> otherwise = std::nullopt);
// The element type that an attribute names; `otherwise` where it is absent or 0. Fails: unsupported.
Result<ir::DType> type_of(const OpCall& call, std::string_view attribute, ir::DType otherwise);

// Fails: bad_model when the value lies outside [low, high]; `what` names it.
Status check_range(std::string_view what, int64_t value, int64_t low, int64_t high);
// The attribute "group": 1 to te::kExtentMax. Fails: bad_model.
Result<int64_t> groups_of(const OpCall& call);

// The input that is a product's second factor: 1, or 3 where each factor has a scale and a zero point behind it.
size_t second_factor(const OpCall& call);
// Window and groups of a convolution of input 0 with the weights second_factor. Fails: bad_model.
Result<te::ConvParams> conv_params(const OpCall& call);

}  // namespace hone::graph
