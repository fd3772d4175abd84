#include "tuner/space/accesses.h"

#include <algorithm>
#include <set>

#include "codegen/arith/affine.h"
#include "codegen/ir/mutator.h"
#include "tuner/space/row_chain.h"

namespace hone::tuner {

namespace {

bool index_uses(ir::Expr load, const te::Axis& axis) {
  return axis.extent > 1 && std::any_of(load->args.begin(), load->args.end(), [&axis](ir::Expr e) { return ir::uses_var(e, axis.var); });
}

bool runs_along(const te::Task& task, ir::Expr load, const te::Axis& axis) {
  std::vector<int> order = physical_order(task, load->buffer);
  while (!order.empty() && load->buffer->shape[static_cast<size_t>(order.back())] == 1) order.pop_back();
  return !order.empty() && arith::to_affine(load->args[static_cast<size_t>(order.back())]).coefficient_of(axis.var) == 1;
}

bool uses_any(ir::Expr load, const te::Compute& c, const std::vector<int>& axes) {
  return std::any_of(axes.begin(), axes.end(), [&](int axis) { return index_uses(load, c.axes[static_cast<size_t>(axis)]); });
}

int position_in(const Sketch& sketch, int compute) {
  for (size_t i = 0; i < sketch.producers.size(); ++i)
    if (sketch.producers[i].group.root == compute) return static_cast<int>(i);
  return -1;
}

}  // namespace

std::vector<Access> accesses_of(const te::Task& task, const Sketch& sketch, const Group& group) {
  const std::vector<te::Compute>& computes = task.program.computes;
  const te::Compute& c = computes[static_cast<size_t>(group.reduction < 0 ? group.root : group.reduction)];
  std::vector<Access> all;
  std::set<te::Tensor> seen;
  for (ir::Expr load : loads_of(c)) {
    if (load->buffer->shape.empty() || !seen.insert(load->buffer).second) continue;
    Access a{.by_lanes = uses_any(load, c, group.lane_axes), .by_rows = uses_any(load, c, group.row_axes), .is_free = is_free_input(task, load->buffer)};
    if (group.lane_axis >= 0) a.runs_along_lanes = runs_along(task, load, c.axes[static_cast<size_t>(group.lane_axis)]);
    if (group.k_axis >= 0) a.runs_along_k = runs_along(task, load, c.reduce->axes[static_cast<size_t>(group.k_axis)]);
    const int producer = producer_of(task.program, load->buffer);
    a.producer = producer < 0 ? -1 : position_in(sketch, producer);
    if (a.producer >= 0) a.operations = operations_of(computes[static_cast<size_t>(producer)]);
    all.push_back(a);
  }
  return all;
}

int64_t operations_of(const te::Compute& c) {
  int64_t count = 0;
  ir::NodeSet seen;
  for (ir::Expr value : c.value)
    ir::for_each_node(value, seen, [&count](ir::Expr e) { count += !e->args.empty() && e->kind != ir::ExprKind::kLoad; });
  return count;
}

}  // namespace hone::tuner
