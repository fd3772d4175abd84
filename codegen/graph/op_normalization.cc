// Normalisations with the statistics of the tensor itself.
#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/normalization.h"

namespace hone::graph {

using te::Tensor;

namespace {

// Over all dimensions from the node's axis on.
Result<te::Standardization> from_axis_on(const OpCall& call) {
  const auto rank = static_cast<int64_t>(call.value(0).shape.size());
  HONE_ASSIGN(axis, axis_in(call.integer("axis", -1), call.value(0).shape.size()));
  te::Standardization s;
  for (int64_t d = axis; d < rank; d++) s.axes.push_back(d);
  s.epsilon = call.number("epsilon", 1e-5);
  return s;
}

}  // namespace

Emitted emit_layer_normalization(const OpCall& call) {
  HONE_ASSIGN(s, from_axis_on(call));
  const Tensor x = call.tensor(0, "X");
  s.scale = call.tensor(1, "scale");
  if (call.has_input(2)) s.bias = call.tensor(2, "B");
  HONE_ASSIGN(out, te::standardize(call.b, x, s, call.wants_output(2)));
  return std::vector<Tensor>{out.y, out.mean, out.inverse_deviation};
}

Emitted emit_root_mean_square_normalization(const OpCall& call) {
  HONE_ASSIGN(s, from_axis_on(call));
  s.centered = false;
  const Tensor x = call.tensor(0, "X");
  s.scale = call.tensor(1, "scale");
  HONE_ASSIGN(out, te::standardize(call.b, x, s));
  return std::vector<Tensor>{out.y};
}

Emitted emit_group_normalization(const OpCall& call) {
  const Tensor x = call.tensor(0, "X");
  te::GroupStatistics groups{.count = call.integer("num_groups", 0), .epsilon = call.number("epsilon", 1e-5)};
  groups.scale = call.tensor(1, "scale");
  groups.bias = call.tensor(2, "B");
  groups.per_group = call.graph.opset < 21;
  return one_output(te::group_normalization(call.b, x, groups));
}

Emitted emit_instance_normalization(const OpCall& call) {
  te::Standardization s;
  for (size_t d = 2; d < call.value(0).shape.size(); d++) s.axes.push_back(static_cast<int64_t>(d));
  s.epsilon = call.number("epsilon", 1e-5);
  s.per_channel = true;
  const Tensor x = call.tensor(0, "X");
  s.scale = call.tensor(1, "scale");
  s.bias = call.tensor(2, "B");
  HONE_ASSIGN(out, te::standardize(call.b, x, s));
  return std::vector<Tensor>{out.y};
}

Emitted emit_mean_variance_normalization(const OpCall& call) {
  std::vector<int64_t> named = call.integers("axes");
  if (named.empty()) named = {0, 2, 3};
  te::Standardization s;
  HONE_ASSIGN(axes, axes_in(named, call.value(0).shape.size()));
  s.axes = axes;
  // ONNX adds 1e-9 to the deviation, which f32 cannot see beside a deviation other than 0; `epsilon` is there where hone put pieces together.
  s.epsilon = call.number("epsilon", 1e-18);
  HONE_ASSIGN(out, te::standardize(call.b, call.tensor(0, "X"), s));
  return std::vector<Tensor>{out.y};
}

Emitted emit_local_response(const OpCall& call) {
  te::LocalResponse params{call.integer("size", 0), call.number("alpha", 1e-4), call.number("beta", 0.75),
                           call.number("bias", 1)};
  return one_output(te::local_response(call.b, call.tensor(0, "X"), params));
}

Emitted emit_unit_length(const OpCall& call) {
  HONE_ASSIGN(axis, axis_in(call.integer("axis", -1), call.value(0).shape.size()));
  return one_output(te::unit_length(call.b, call.tensor(0, "X"), axis, call.integer("p", 2)));
}

}  // namespace hone::graph
