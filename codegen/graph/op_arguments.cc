#include "codegen/graph/op_arguments.h"

#include "base/cat.h"

namespace hone::graph {

Status expect_inputs(const OpCall& call, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!call.has_input(i)) return bad_node(cat("has no input ", i, "; expected at least ", count));
  return ok_status();
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

Result<std::vector<int64_t>> integers_of(const OpCall& call, std::string_view name, size_t i) {
  if (call.has_attribute(name)) return call.integers(name);
  return call.integers(i);
}

}  // namespace hone::graph
