#include "tuner/space/accesses.h"

#include <algorithm>
#include <set>

#include "codegen/arith/affine.h"
#include "codegen/ir/mutator.h"
#include "tuner/space/row_chain.h"

namespace hone::tuner {

namespace {

// Does an index change from one neighbour along the axis to the next? One that is divided (the group of a channel) is the same for most of them.
bool changes_along(ir::Expr e, te::Var var) {
  if (e == var) return true;
  if (e->kind == ir::ExprKind::kDiv && ir::is_const(e->args[1])) return false;
  return std::any_of(e->args.begin(), e->args.end(), [var](ir::Expr part) { return changes_along(part, var); });
}

bool index_uses(ir::Expr load, const te::Axis& axis) {
  return axis.extent > 1 && std::any_of(load->args.begin(), load->args.end(), [&axis](ir::Expr e) { return changes_along(e, axis.var); });
}

bool runs_along(const te::Task& task, ir::Expr load, const te::Axis& axis) {
  std::vector<int> order = physical_order(task, load->buffer);
  while (!order.empty() && load->buffer->shape[static_cast<size_t>(order.back())] == 1) order.pop_back();
  return !order.empty() && arith::to_affine(load->args[static_cast<size_t>(order.back())]).coefficient_of(axis.var) == 1;
}

// Groups of four neighbours begin at multiples of four: the lanes' terms aside, all of the index is such a multiple, and so is a row.
bool is_aligned(const te::Task& task, ir::Expr load, const te::Axis& axis) {
  constexpr int64_t kGroup = 4;
  const std::vector<int> order = physical_order(task, load->buffer);
  if (order.empty()) return false;
  const arith::Affine index = arith::to_affine(load->args[static_cast<size_t>(order.back())]);
  const bool row = order.size() == 1 || load->buffer->shape[static_cast<size_t>(order.back())] % kGroup == 0;
  return row && index.constant % kGroup == 0 && std::all_of(index.terms.begin(), index.terms.end(), [&](const auto& term) { return term.atom == axis.var || term.coefficient % kGroup == 0; });
}

bool uses_any(ir::Expr load, const te::Compute& c, const std::vector<int>& axes) {
  return std::any_of(axes.begin(), axes.end(), [&](int axis) { return index_uses(load, c.axes[static_cast<size_t>(axis)]); });
}

// Along which a thread's rows follow one another.
std::vector<int> innermost_row(const te::Compute& c, const Group& group) {
  for (size_t i = group.row_axes.size(); i-- > 0;)
    if (c.axes[static_cast<size_t>(group.row_axes[i])].extent > 1) return {group.row_axes[i]};
  return {};
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
    Access a{.by_lanes = uses_any(load, c, group.lane_axes), .by_rows = uses_any(load, c, innermost_row(c, group)), .is_free = is_free_input(task, load->buffer)};
    if (group.lane_axis >= 0) a.runs_along_lanes = runs_along(task, load, c.axes[static_cast<size_t>(group.lane_axis)]);
    if (group.lane_axis >= 0) a.is_aligned = is_aligned(task, load, c.axes[static_cast<size_t>(group.lane_axis)]);
    if (group.k_axis >= 0) a.runs_along_k = runs_along(task, load, c.reduce->axes[static_cast<size_t>(group.k_axis)]);
    const int producer = producer_of(task.program, load->buffer);
    a.producer = producer < 0 ? -1 : position_in(sketch, producer);
    if (a.producer >= 0) a.operations = operations_of(computes[static_cast<size_t>(producer)]);
    all.push_back(a);
  }
  return all;
}

double operations_of(const te::Compute& c) {
  double count = 0;
  ir::NodeSet seen;
  for (ir::Expr value : c.value)
    ir::for_each_node(value, seen, [&count](ir::Expr e) {
      if (!e->args.empty() && e->kind != ir::ExprKind::kLoad) count += ir::is_float(e->type.dtype) ? 1 : 0.25;
    });
  return count;
}

}  // namespace hone::tuner
