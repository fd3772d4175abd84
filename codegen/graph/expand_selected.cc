// Operators whose results have sizes that only contents tell: with contents that are known they are index maps and constants.
#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/op_arguments.h"

namespace hone::graph {

// The elements along an axis, or of all, for which a known condition holds.
Expanded expand_compress(NodeWriter& nodes, const OpCall& call) {
  const Shape shape = call.value(0).shape;
  const bool has_axis = call.has_attribute("axis");
  HONE_ASSIGN(condition, call.numbers(1));
  int64_t axis = 0, extent = ir::element_count(shape);
  if (has_axis) {
    HONE_ASSIGN(named, axis_in(call.integer("axis", 0), shape.size()));
    axis = named;
    extent = shape[static_cast<size_t>(axis)];
  }
  if (static_cast<int64_t>(condition.size()) > extent) return bad_node(cat("a condition of ", condition.size(), " elements does not fit ", extent));
  std::vector<int64_t> chosen;
  for (size_t i = 0; i < condition.size(); i++)
    if (condition[i] != 0) chosen.push_back(static_cast<int64_t>(i));
  const ValueId x = has_axis ? call.node.inputs[0] : nodes.reshaped(call.node.inputs[0], {extent});
  return std::vector<ValueId>{nodes.add("Gather", {x, nodes.list(chosen)}, {{"axis", axis}})};
}

// The places of known elements that are not 0: [rank, count], in their order.
Expanded expand_nonzero(NodeWriter& nodes, const OpCall& call) {
  const Shape shape = call.value(0).shape;
  HONE_ASSIGN(numbers, call.numbers(0));
  std::vector<std::vector<double>> places(shape.size());
  for (size_t i = 0; i < numbers.size(); i++) {
    if (numbers[i] == 0) continue;
    auto rest = static_cast<int64_t>(i);
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) places[d].push_back(double(rest % shape[d]));
  }
  std::vector<double> all;
  for (const auto& of_dimension : places) all.insert(all.end(), of_dimension.begin(), of_dimension.end());
  const auto count = static_cast<int64_t>(shape.empty() ? 0 : places[0].size());
  return std::vector<ValueId>{nodes.add("Identity", {nodes.constant(DType::kI64, {static_cast<int64_t>(shape.size()), count}, all)})};
}

}  // namespace hone::graph
