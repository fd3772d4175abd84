#include "tuner/space/accesses.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

#include "codegen/arith/affine.h"
#include "codegen/ir/mutator.h"
#include "tuner/space/row_chain.h"

namespace hone::tuner {

namespace {

// Vectors of four are what both kinds of estimates count in.
constexpr int64_t kGroup = 4;

// Is it the same for the four of a vector, whatever is inside?
bool is_same_for_neighbours(ir::Expr e) { return e->kind == ir::ExprKind::kDiv && ir::is_const(e->args[1]) && e->args[1]->ival >= kGroup; }

// Does an index change from one neighbour along the axis to the next? One that is divided (the group of a channel) is the same for most of them.
bool changes_along(ir::Expr index, const te::Axis& axis) {
  std::vector<ir::Expr> left{index};
  ir::NodeSet seen;
  while (!left.empty()) {
    const ir::Expr e = left.back();
    left.pop_back();
    if (e == axis.var) return true;
    if (seen.insert(e) && !is_same_for_neighbours(e)) left.insert(left.end(), e->args.begin(), e->args.end());
  }
  return false;
}

bool changes_along(ir::Expr load, const te::Compute& c, const std::vector<int>& axes) {
  return std::any_of(axes.begin(), axes.end(), [&](int axis) {
    const te::Axis& a = c.axes[static_cast<size_t>(axis)];
    return a.extent > 1 && std::any_of(load->args.begin(), load->args.end(), [&a](ir::Expr index) { return changes_along(index, a); });
  });
}

bool runs_along(const te::Task& task, ir::Expr load, const te::Axis& axis) {
  const ir::Expr innermost = innermost_index(task, load);
  return innermost && arith::to_affine(innermost).coefficient_of(axis.var) == 1;
}

// Groups of four neighbours begin at multiples of four: the lanes' terms aside, all of the index is such a multiple, and so is a row.
bool is_aligned(const te::Task& task, ir::Expr load, const te::Axis& axis) {
  const std::vector<int> order = physical_order(task, load->buffer);
  if (order.empty()) return false;
  const arith::Affine index = arith::to_affine(load->args[static_cast<size_t>(order.back())]);
  const bool row = order.size() == 1 || load->buffer->shape[static_cast<size_t>(order.back())] % kGroup == 0;
  return row && index.constant % kGroup == 0 && std::all_of(index.terms.begin(), index.terms.end(), [&](const auto& term) { return term.atom == axis.var || term.coefficient % kGroup == 0; });
}

// Along which a thread's rows follow one another.
std::vector<int> innermost_row(const te::Compute& c, const Group& group) {
  for (size_t i = group.row_axes.size(); i-- > 0;)
    if (c.axes[static_cast<size_t>(group.row_axes[i])].extent > 1) return {group.row_axes[i]};
  return {};
}

// Of the reduce axes with several steps, the window's before k, the first that moves an index which the axis moves as well.
Meeting meeting_of(ir::Expr load, const te::Compute& c, const Group& group, int axis) {
  if (!c.reduce) return {};
  std::vector<int> taps(group.window_axes.rbegin(), group.window_axes.rend());
  if (group.k_axis >= 0) taps.push_back(group.k_axis);
  std::vector<arith::Affine> indices;
  for (ir::Expr index : load->args) indices.push_back(arith::to_affine(index));
  int64_t depth = 0;
  for (int t : taps) {
    const te::Axis& tap = c.reduce->axes[static_cast<size_t>(t)];
    if (tap.extent == 1) continue;
    for (const arith::Affine& index : indices) {
      const int64_t step = std::abs(index.coefficient_of(c.axes[static_cast<size_t>(axis)].var)), tap_step = std::abs(index.coefficient_of(tap.var));
      if (step > 0 && tap_step > 0) return {step, tap_step, tap.extent, depth};
    }
    ++depth;
  }
  return {};
}

// By what a compute writes: the producer of the sketch that it is.
std::map<te::Tensor, int> producers_of(const te::Task& task, const Sketch& sketch) {
  std::map<te::Tensor, int> all;
  for (size_t i = 0; i < sketch.producers.size(); ++i)
    for (te::Tensor output : task.program.computes[static_cast<size_t>(sketch.producers[i].group.root)].outputs) all[output] = static_cast<int>(i);
  return all;
}

std::vector<ir::Var> variables(const te::Compute& c, const std::vector<int>& axes) {
  std::vector<ir::Var> out;
  for (int axis : axes)
    if (const te::Axis& a = c.axes[static_cast<size_t>(axis)]; a.extent > 1) out.push_back(a.var);
  return out;
}

// Of an element of the producer that `load` reads.
Operations operations_where_read(const te::Compute& producer, ir::Expr load, const te::Compute& c, const std::vector<int>& lane_axes) {
  std::vector<ir::Var> lanes;
  for (size_t i = 0; i < load->args.size(); ++i)
    for (int axis : lane_axes)
      if (changes_along(load->args[i], c.axes[static_cast<size_t>(axis)])) lanes.push_back(producer.axes[i].var);
  return operations_of(producer.value, lanes);
}

}  // namespace

// a·p + b·q of coprime p and q is equal for (a, b) and (a + q, b − p) alone.
double distinct_share(const Meeting& m, double neighbours) {
  const auto common = static_cast<double>(std::gcd(m.step, m.tap_step)), p = static_cast<double>(m.step) / common, q = static_cast<double>(m.tap_step) / common;
  const auto taps = static_cast<double>(m.taps);
  return 1 - std::max(0.0, neighbours - q) * std::max(0.0, taps - p) / (neighbours * taps);
}

GroupWork work_of(const te::Task& task, const Sketch& sketch, const Group& group) {
  const std::vector<te::Compute>& computes = task.program.computes;
  const te::Compute& c = computes[static_cast<size_t>(group.reduction < 0 ? group.root : group.reduction)];
  const std::map<te::Tensor, int> producers = producers_of(task, sketch);
  GroupWork work{.operations = operations_of(c.value, variables(c, group.lane_axes))};
  std::set<te::Tensor> seen;
  for (ir::Expr load : loads_of(c)) {
    if (load->buffer->shape.empty() || !seen.insert(load->buffer).second) continue;
    Access a{.by_lanes = changes_along(load, c, group.lane_axes), .by_rows = changes_along(load, c, innermost_row(c, group)), .is_free = is_free_input(task, load->buffer)};
    if (group.lane_axis >= 0) a.runs_along_lanes = runs_along(task, load, c.axes[static_cast<size_t>(group.lane_axis)]);
    if (group.lane_axis >= 0) a.is_aligned = is_aligned(task, load, c.axes[static_cast<size_t>(group.lane_axis)]);
    if (group.k_axis >= 0) a.runs_along_k = runs_along(task, load, c.reduce->axes[static_cast<size_t>(group.k_axis)]);
    if (a.by_rows) a.rows = meeting_of(load, c, group, innermost_row(c, group)[0]);
    if (group.lane_axis >= 0 && !group.row) a.lanes = meeting_of(load, c, group, group.lane_axis);
    const auto producer = producers.find(load->buffer);
    if (producer != producers.end()) a.producer = producer->second;
    if (a.producer >= 0) a.operations = operations_where_read(computes[static_cast<size_t>(sketch.producers[static_cast<size_t>(a.producer)].group.root)], load, c, group.lane_axes);
    work.accesses.push_back(a);
  }
  if (group.row)
    for (int map : shared_maps(task, group)) work.kept_operations += operations_of(computes[static_cast<size_t>(map)].value, {});
  return work;
}

}  // namespace hone::tuner
