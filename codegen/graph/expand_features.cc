// Operators of ai.onnx.ml on rows of numbers, as scikit-learn's pipelines are exported. Their results are floats.
#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

ValueId as_floats(NodeWriter& nodes, ValueId x) { return nodes.add("Cast", {x}, {{"to", int64_t{1}}}); }

// One number for all features, or one for each. Fails: bad_model.
Result<ValueId> numbers_of_features(NodeWriter& nodes, std::string_view name, const std::vector<double>& numbers, const Shape& x) {
  const auto count = static_cast<int64_t>(numbers.size());
  if (count == 1 || (!x.empty() && count == x.back())) return nodes.constant(DType::kF32, {count}, numbers);
  return bad_node(cat(name, " has ", count, " numbers; expected one, or one for each feature of an input of shape ", te::shape_text(x)));
}

}  // namespace

// The features of the last dimension that the indices name.
Expanded expand_features(NodeWriter& nodes, const OpCall& call) {
  const Shape x = call.value(0).shape;
  const int64_t count = ir::element_count(call.value(1).shape);
  if (x.empty()) return bad_node("expected rows of features");
  ValueId rows = call.node.inputs[0];
  if (x.size() == 1) rows = nodes.reshaped(rows, {1, x[0]});
  return std::vector<ValueId>{nodes.add("Gather", {rows, nodes.reshaped(call.node.inputs[1], {count})}, {{"axis", int64_t{-1}}})};
}

Expanded expand_binarizer(NodeWriter& nodes, const OpCall& call) {
  const ValueId threshold = nodes.number(DType::kF32, call.number("threshold", 0));
  const ValueId above = nodes.add("Greater", {as_floats(nodes, call.node.inputs[0]), threshold});
  return std::vector<ValueId>{as_floats(nodes, above)};
}

// (x − offset) · scale.
Expanded expand_scaler(NodeWriter& nodes, const OpCall& call) {
  const Shape x = call.value(0).shape;
  std::vector<double> offsets = call.numbers("offset"), scales = call.numbers("scale");
  if (offsets.empty()) offsets = {0};
  if (scales.empty()) scales = {1};
  HONE_ASSIGN(offset, numbers_of_features(nodes, "offset", offsets, x));
  HONE_ASSIGN(scale, numbers_of_features(nodes, "scale", scales, x));
  return std::vector<ValueId>{nodes.add("Mul", {nodes.add("Sub", {as_floats(nodes, call.node.inputs[0]), offset}), scale})};
}

// Rows divided by their largest element, the sum of their magnitudes, or their length.
Expanded expand_normalizer(NodeWriter& nodes, const OpCall& call) {
  const std::string norm = call.text("norm", "MAX");
  const ValueId x = as_floats(nodes, call.node.inputs[0]);
  if (call.value(0).shape.empty()) return bad_node("expected rows of features");
  if (norm == "L1" || norm == "L2") return std::vector<ValueId>{nodes.add("LpNormalization", {x}, {{"axis", int64_t{-1}}, {"p", int64_t{norm == "L1" ? 1 : 2}}})};
  if (norm != "MAX") return bad_node(cat("norm '", norm, "' is not defined; expected MAX, L1 or L2"));
  return std::vector<ValueId>{nodes.add("Div", {x, nodes.add("ReduceMax", {x, nodes.list({-1})}, {{"keepdims", int64_t{1}}})})};
}

}  // namespace hone::graph
