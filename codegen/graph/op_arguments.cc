#include "codegen/graph/op_arguments.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {

Status check_range(std::string_view what, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return ok_status();
  return bad_node(cat(what, " ", value, " is out of range; expected ", low, " to ", high));
}

size_t second_factor(const OpCall& call) { return call.node.op == "QLinearConv" || call.node.op == "QLinearMatMul" ? 3 : 1; }

Result<int64_t> groups_of(const OpCall& call) {
  const int64_t groups = call.integer("group", 1);
  HONE_TRY(check_range("group", groups, 1, te::kExtentMax));
  return groups;
}

Result<int64_t> axis_in(int64_t axis, size_t rank) {
  const auto r = static_cast<int64_t>(rank);
  if (axis < -r || axis >= r) return bad_node(cat("axis ", axis, " is out of range for rank ", rank));
  return axis < 0 ? axis + r : axis;
}

Result<std::vector<int64_t>> axes_in(std::vector<int64_t> axes, size_t rank) {
  for (int64_t& a : axes) {
    HONE_ASSIGN(axis, axis_in(a, rank));
    a = axis;
  }
  return axes;
}

Result<std::vector<int64_t>> distinct_axes(std::vector<int64_t> named, size_t rank) {
  if (named.empty())
    for (size_t d = 0; d < rank; d++) named.push_back(static_cast<int64_t>(d));
  HONE_ASSIGN(axes, axes_in(std::move(named), rank));
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return bad_node("an axis is named twice");
  return axes;
}

Result<std::vector<int64_t>> integers_of(const OpCall& call, std::string_view name, size_t i) {
  if (call.has_attribute(name)) return call.integers(name);
  return call.integers(i);
}

Result<int64_t> integer_in(const OpCall& call, size_t i, std::optional<int64_t> otherwise) {
  HONE_ASSIGN(values, call.integers(i));
  if (values.size() == 1) return values[0];
  if (!call.has_input(i) && otherwise) return *otherwise;
  return bad_node(cat("input ", i, " has ", values.size(), " elements; expected 1"));
}

Result<ir::DType> type_of(const OpCall& call, std::string_view attribute, ir::DType otherwise) {
  const int64_t type = call.integer(attribute, 0);
  if (type == 0 || dtype_of_onnx(type, &otherwise)) return otherwise;
  return Error{ErrorCode::kUnsupported, cat("the element type ", onnx_type_name(type), " (", attribute, ") is not supported")};
}

}  // namespace hone::graph
