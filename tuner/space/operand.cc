#include "tuner/space/operand.h"

#include <algorithm>

#include "codegen/arith/affine.h"
#include "codegen/ir/mutator.h"
#include "tuner/space/sketch.h"

namespace hone::tuner {

namespace {

// Where the stage's loop stands that a dimension of the operand follows, counted from 1; 0 for those of no reduce loop.
int reduce_depth(const schedule::Stage& stage, ir::Expr index) {
  const size_t spatial = stage.compute.axes.size();
  const std::vector<te::Axis>& axes = stage.compute.reduce->axes;
  for (size_t i = stage.order.size(); i-- > 0;)
    for (size_t a = 0; a < axes.size(); ++a)
      if (stage.order[i].reduce && ir::uses_var(stage.axis_value[spatial + a], stage.order[i].var) &&
          ir::uses_var(index, axes[a].var))
        return static_cast<int>(i) + 1;
  return 0;
}

}  // namespace

std::vector<Operand> operands_of(const TraceBuilder& t, const std::string& stage) {
  std::vector<Operand> out;
  const schedule::Stage* found = t.stage(stage);
  if (!found) return out;
  ir::NodeSet seen;
  auto visit = [&out](ir::Expr e) {
    if (e->kind != ir::ExprKind::kLoad || e->buffer->shape.empty()) return;
    for (Operand& known : out)
      if (known.tensor == e->buffer->name) {
        ++known.reads;
        return;
      }
    out.push_back({e->buffer->name, e, 1});
  };
  for (ir::Expr e : found->compute.value) ir::for_each_node(e, seen, visit);
  return out;
}

ir::Var axis_variable(const TraceBuilder& t, const std::string& stage, int axis) {
  const schedule::Stage* found = t.stage(stage);
  if (!found || axis < 0) return nullptr;
  const size_t spatial = found->compute.axes.size(), position = static_cast<size_t>(axis);
  return position < spatial ? found->compute.axes[position].var : found->compute.reduce->axes[position - spatial].var;
}

bool reads_along(const Operand& operand, ir::Var var) {
  return var && std::any_of(operand.load->args.begin(), operand.load->args.end(),
                            [var](ir::Expr e) { return ir::uses_var(e, var); });
}

bool has_dimension(const Operand& operand, ir::Var var) {
  const std::vector<ir::Expr>& index = operand.load->args;
  return std::find(index.begin(), index.end(), var) != index.end();
}

bool contiguous_along(const te::Task& task, const Operand& operand, ir::Var var) {
  const ir::Expr innermost = innermost_index(task, operand.load);
  return var && innermost && arith::to_affine(innermost).coefficient_of(var) == 1;
}

bool lay_out_panels(TraceBuilder& t, const Panels& panels, const Operand& operand) {
  const schedule::Stage* stage = t.stage(panels.stage);
  if (!stage || !has_dimension(operand, panels.lane)) return false;
  const std::vector<ir::Expr>& index = operand.load->args;
  const auto found = std::find(index.begin(), index.end(), panels.lane);
  const ir::Shape& shape = operand.load->buffer->shape;
  const auto lane = static_cast<size_t>(found - index.begin());
  std::vector<std::pair<int, size_t>> others;
  for (size_t d = 0; d < shape.size(); ++d)
    if (d != lane) others.push_back({reduce_depth(*stage, index[d]), d});
  std::stable_sort(others.begin(), others.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  schedule::Step layout;
  layout.primitive = schedule::Primitive::kLayout;
  layout.stage = operand.tensor;
  const auto add = [&layout](size_t dimension, int64_t stride, int64_t count) {
    layout.factors.insert(layout.factors.end(), {static_cast<int64_t>(dimension), stride, count});
  };
  const int64_t count = (shape[lane] + panels.width - 1) / panels.width;
  const auto steps = std::find_if(others.begin(), others.end(), [](const auto& other) { return other.first > 0; });
  for (auto other = others.begin(); other != steps; ++other) add(other->second, 1, shape[other->second]);
  add(lane, panels.width, count);
  for (auto other = steps; other != others.end(); ++other) add(other->second, 1, shape[other->second]);
  add(lane, 1, panels.width);
  t.add(std::move(layout));
  return true;
}

void lay_out_innermost(TraceBuilder& t, const std::string& name, int axis) {
  const schedule::Stage* stage = t.stage(name);
  if (!stage) return;
  schedule::Step layout;
  layout.primitive = schedule::Primitive::kLayout;
  layout.stage = name;
  for (int a = 0; a < static_cast<int>(stage->compute.axes.size()); ++a)
    if (a != axis) layout.factors.insert(layout.factors.end(), {a, 1, 0});
  layout.factors.insert(layout.factors.end(), {axis, 1, 0});
  t.add(std::move(layout));
}

bool lay_out_groups(TraceBuilder& t, const Operand& operand, ir::Var step, int64_t width) {
  if (!has_dimension(operand, step)) return false;
  const std::vector<ir::Expr>& index = operand.load->args;
  const ir::Shape& shape = operand.load->buffer->shape;
  const auto along = static_cast<size_t>(std::find(index.begin(), index.end(), step) - index.begin());
  schedule::Step layout;
  layout.primitive = schedule::Primitive::kLayout;
  layout.stage = operand.tensor;
  const auto add = [&layout](size_t dimension, int64_t stride, int64_t count) {
    layout.factors.insert(layout.factors.end(), {static_cast<int64_t>(dimension), stride, count});
  };
  add(along, width, (shape[along] + width - 1) / width);
  for (size_t d = 0; d < shape.size(); ++d)
    if (d != along) add(d, 1, shape[d]);
  add(along, 1, width);
  t.add(std::move(layout));
  return true;
}

}  // namespace hone::tuner
