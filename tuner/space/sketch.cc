#include "tuner/space/sketch.h"

#include <algorithm>
#include <set>

#include "codegen/arith/affine.h"
#include "codegen/ir/mutator.h"
#include "codegen/te/terms.h"
#include "tuner/space/extents.h"
#include "tuner/space/patch.h"
#include "tuner/space/row_chain.h"

namespace hone::tuner {

namespace {

using te::Compute;
using te::Program;

bool index_uses(ir::Expr load, te::Var var) {
  return std::any_of(load->args.begin(), load->args.end(), [var](ir::Expr e) { return ir::uses_var(e, var); });
}

bool writes(const Compute& c, te::Tensor tensor) {
  return std::find(c.outputs.begin(), c.outputs.end(), tensor) != c.outputs.end();
}

}  // namespace

int producer_of(const Program& program, te::Tensor tensor) {
  for (size_t i = 0; i < program.computes.size(); ++i)
    if (writes(program.computes[i], tensor)) return static_cast<int>(i);
  return -1;
}

std::vector<int> readers_of(const Program& program, int producer) {
  std::vector<int> readers;
  for (size_t i = 0; i < program.computes.size(); ++i) {
    bool reads = false;
    for (ir::Expr load : loads_of(program.computes[i]))
      reads |= writes(program.computes[static_cast<size_t>(producer)], load->buffer);
    if (reads) readers.push_back(static_cast<int>(i));
  }
  return readers;
}

bool is_output(const Program& program, const Compute& c) {
  for (te::Tensor t : program.outputs)
    if (writes(c, t)) return true;
  return false;
}

namespace {

const te::Arg* arg_of(const te::Task& task, te::Tensor tensor) {
  size_t position = 0;
  for (const auto* list : {&task.program.inputs, &task.program.outputs})
    for (te::Tensor t : *list) {
      if (t == tensor && position < task.args.size()) return &task.args[position];
      ++position;
    }
  return nullptr;
}

// The axes of c in the order in which the largest tensor that it reads holds them; axes that it does not index come first.
std::vector<int> order_by_reads(const te::Task& task, const Compute& c) {
  ir::Expr largest = nullptr;
  for (ir::Expr load : loads_of(c))
    if (!largest || ir::element_count(load->buffer->shape) > ir::element_count(largest->buffer->shape)) largest = load;
  std::vector<std::pair<int, int>> ranked;
  std::vector<int> source = largest ? physical_order(task, largest->buffer) : std::vector<int>{};
  for (size_t a = 0; a < c.axes.size(); ++a) {
    int rank = -1;
    for (size_t p = 0; p < source.size(); ++p)
      if (ir::uses_var(largest->args[static_cast<size_t>(source[p])], c.axes[a].var)) rank = static_cast<int>(p);
    ranked.push_back({rank, static_cast<int>(a)});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<int> order;
  for (auto [rank, axis] : ranked) order.push_back(axis);
  return order;
}

}  // namespace

bool reads_elementwise(const Compute& reader, const Compute& producer) {
  if (reader.reduce || reader.outputs.size() != 1 || producer.outputs.size() != 1 ||
      reader.axes.size() != producer.axes.size())
    return false;
  for (ir::Expr load : loads_of(reader)) {
    if (!writes(producer, load->buffer)) continue;
    for (size_t d = 0; d < load->args.size(); ++d) {
      bool one = reader.axes[d].extent == 1 && ir::is_const_int(load->args[d], 0);
      if (load->args[d] != reader.axes[d].var && !one) return false;
      if (reader.axes[d].extent != producer.axes[d].extent) return false;
    }
  }
  return true;
}

namespace {

class SketchMaker {
 public:
  SketchMaker(const te::Task& task, bool rows)
      : task_(task), program_(task.program), rows_(rows), taken_(program_.computes.size(), false) {}

  Sketch make() {
    if (std::optional<Group> rows = rows_ ? find_row_chain(task_) : std::nullopt) {
      if (rows->chain.size() == 1) find_terms(*rows, rows->chain[0]);
      sketch_.groups.push_back(std::move(*rows));
      sketch_.rules = "row";
      return std::move(sketch_);
    }
    for (size_t i = 0; i < program_.computes.size(); ++i)
      if (program_.computes[i].reduce) add_reduction(static_cast<int>(i));
    if (rows_)
      for (size_t i = program_.computes.size(); i-- > 0;) add_patch(static_cast<int>(i));
    for (size_t i = 0; i < program_.computes.size(); ++i)
      if (!taken_[i]) add_map(static_cast<int>(i));
    std::sort(sketch_.groups.begin(), sketch_.groups.end(),
              [](const Group& a, const Group& b) { return a.root < b.root; });
    find_what_is_ahead();
    name_rules();
    return std::move(sketch_);
  }

 private:
  const Compute& compute(int i) const { return program_.computes[static_cast<size_t>(i)]; }

  void add_reduction(int reduction) {
    Group group{.root = reduction, .reduction = reduction};
    taken_[static_cast<size_t>(reduction)] = true;
    for (std::vector<int> more = epilogue_behind(group.root); !more.empty(); more = epilogue_behind(group.root)) {
      if (group.root != reduction) group.between.push_back(group.root);
      group.between.insert(group.between.end(), more.begin(), more.end() - 1);
      group.root = more.back();
      for (int map : more) taken_[static_cast<size_t>(map)] = true;
    }
    find_axes(group);
    find_reuse(group);
    if (rows_) find_row(group);
    if (rows_) find_terms(group, reduction);
    sketch_.groups.push_back(std::move(group));
  }

  // The fewest Maps, reading element by element, after which one value leaves the group again: the one reader of the root, or what lies between
  // where its value forks and where the branches meet (x · sigmoid(x)). Empty when there are none.
  std::vector<int> epilogue_behind(int root) const {
    std::vector<int> found;
    std::set<int> next;  // readers of what is made so far
    for (int made = root;; made = found.back()) {
      const std::vector<int> readers = readers_of(program_, made);
      next.insert(readers.begin(), readers.end());
      if (is_output(program_, compute(made)) || next.empty()) return {};
      const int i = *next.begin();
      next.erase(next.begin());
      if (!may_follow(i, root, found)) return {};
      found.push_back(i);
      if (next.empty()) return found;
    }
  }

  bool may_follow(int map, int root, const std::vector<int>& members) const {
    if (taken_[static_cast<size_t>(map)]) return false;
    const auto fits = [&](int member) {
      const std::vector<int> readers = readers_of(program_, member);
      const bool reads = std::find(readers.begin(), readers.end(), map) != readers.end();
      return !reads || reads_elementwise(compute(map), compute(member));
    };
    return fits(root) && std::all_of(members.begin(), members.end(), fits);
  }

  // A reduction without reuse along its operand's memory, and long enough to be shared.
  void find_row(Group& group) {
    constexpr int64_t kLengthMin = 16;
    const Compute& r = compute(group.reduction);
    if (group.reuse || group.root != group.reduction || r.axes.empty() || steps_of(r) < kLengthMin || !contiguous(r)) return;
    group.row = true;
    group.chain = {group.reduction};
    group.lane_axes.clear();
    share_rows(group, compute(group.root), group.order);
  }

  // Does some operand run along reduce axes alone in its innermost dimensions?
  bool contiguous(const Compute& r) const {
    for (ir::Expr load : loads_of(r))
      for (const te::Axis& a : r.reduce->axes)
        if (innermost_index(task_, load) == a.var) return true;
    return false;
  }

  void find_terms(Group& group, int reduction) {
    const Compute& c = compute(reduction);
    ir::Arena arena(program_.arena.get());  // the program's own is shared
    std::vector<te::Var> axes;
    Terms terms;
    if (const auto scan = te::scanned_terms(c, arena)) axes = {scan->axis}, terms.scan = true;
    else if (const auto scattered = te::scattered_terms(c, arena); scattered && c.finish.empty())
      for (const auto& [axis, place] : scattered->to) axes.push_back(axis);
    if (axes.empty()) return;
    for (size_t a = 0; a < c.axes.size(); ++a) {
      const bool is_found = std::find(axes.begin(), axes.end(), c.axes[a].var) != axes.end();
      if (is_found) terms.along *= c.axes[a].extent;
      else terms.lanes |= static_cast<int>(a) == group.lane_axis;
    }
    group.terms = terms;
    group.reduction = reduction;
  }

  // A Map that leaves the program, or that a reduction reads.
  void add_patch(int map) {
    const std::vector<int> readers = readers_of(program_, map);
    const bool is_root =
        is_output(program_, compute(map)) ||
        std::any_of(readers.begin(), readers.end(), [this](int reader) { return compute(reader).reduce.has_value(); });
    const std::optional<Patch> patch =
        is_root && !taken_[static_cast<size_t>(map)] ? find_patch(task_, map) : std::nullopt;
    if (!patch) return;
    Group group{.root = map, .between = patch->between, .parts = patch->parts, .patch_extents = patch->extents};
    find_axes(group);
    find_patches(group);
    taken_[static_cast<size_t>(map)] = true;
    for (const auto* maps : {&group.between, &group.parts})
      for (int taken : *maps) taken_[static_cast<size_t>(taken)] = true;
    sketch_.groups.push_back(std::move(group));
  }

  void add_map(int map) {
    const Compute& c = compute(map);
    Group group{.root = map};
    find_axes(group);
    if (is_output(program_, c) || readers_of(program_, map).empty() || c.outputs.size() != 1) {
      sketch_.groups.push_back(std::move(group));
      return;
    }
    // Recomputing it pays only where each element is read a few times.
    std::vector<int> readers = readers_of(program_, map);
    bool choice = readers.size() > 1;
    for (int reader : readers) choice |= compute(reader).reduce.has_value();
    sketch_.producers.push_back({std::move(group), choice});
  }

  void find_what_is_ahead() {
    std::set<te::Tensor> known;
    for (size_t i = 0; i < program_.inputs.size(); ++i)
      if (task_.args[i].role == te::Role::kConstant) known.insert(program_.inputs[i]);
    for (const Compute& c : program_.computes) {
      const std::vector<ir::Expr> loads = loads_of(c);
      if (std::all_of(loads.begin(), loads.end(), [&](ir::Expr load) { return known.count(load->buffer) > 0; }))
        known.insert(c.outputs.begin(), c.outputs.end());
    }
    for (Group& group : sketch_.groups)
      group.ahead = known.count(compute(group.root).outputs[0]) && !is_output(program_, compute(group.root));
  }

  // Of elements that share nothing. Fragments lie in two directions.
  void find_axes(Group& group) {
    const Compute& root = compute(group.root);
    group.order = physical_order(task_, root.outputs[0]);
    for (int axis : group.order)
      if (root.axes[static_cast<size_t>(axis)].extent > 1) group.lane_axis = axis;
    group.lane_axes = group.order;
    if (!rows_) split_lanes(group);
  }

  // The lane axis alone; the others are rows.
  void split_lanes(Group& group) {
    group.lane_axes.clear();
    for (int axis : group.order) (axis == group.lane_axis ? group.lane_axes : group.row_axes).push_back(axis);
  }

  // The last axis but the lanes' along which there are several patches: its patches share a workgroup with the lanes.
  void find_patches(Group& group) {
    split_lanes(group);
    int row = -1;
    for (int axis : group.row_axes)
      if (compute(group.root).axes[static_cast<size_t>(axis)].extent > group.patch_extents[static_cast<size_t>(axis)]) row = axis;
    group.batch_axes = group.row_axes;
    std::erase(group.batch_axes, row);
    group.row_axes = row < 0 ? std::vector<int>{} : std::vector{row};
  }

  void find_reuse(Group& group) {
    const Compute& r = compute(group.reduction);
    std::vector<ir::Expr> loads;
    for (ir::Expr load : loads_of(r))
      if (!load->buffer->shape.empty()) loads.push_back(load);
    for (size_t axis = 0; axis < r.axes.size(); ++axis)
      for (ir::Expr load : loads) group.reuse |= r.axes[axis].extent > 1 && !index_uses(load, r.axes[axis].var);
    find_k(group, r, loads);
    if (!group.reuse) return;
    group.batch_axes = group.row_axes = {};
    split_lanes(group);
    std::vector<int> rows;
    for (int axis : group.row_axes) {
      const te::Axis& a = r.axes[static_cast<size_t>(axis)];
      const bool in_all = std::all_of(loads.begin(), loads.end(), [&a](ir::Expr load) { return index_uses(load, a.var); });
      (a.extent > 1 && in_all ? group.batch_axes : rows).push_back(axis);
    }
    group.row_axes = rows;
  }

  // The reduce axis that runs along an operand's innermost dimension where the lane axis does not; else the longest. Where nothing is used again, and
  // no texel holds several steps, there is none.
  void find_k(Group& group, const Compute& r, const std::vector<ir::Expr>& loads) {
    const auto& axes = r.reduce->axes;
    for (ir::Expr load : loads) {
      const ir::Expr innermost = innermost_index(task_, load);
      for (size_t k = 0; k < axes.size() && group.k_axis < 0; ++k)
        if (innermost == axes[k].var && axes[k].extent > 1) group.k_axis = static_cast<int>(k);
    }
    for (size_t k = 0; k < axes.size() && group.k_axis < 0; ++k)
      if (std::all_of(axes.begin(), axes.end(), [&](const te::Axis& a) { return a.extent <= axes[k].extent; }))
        group.k_axis = static_cast<int>(k);
    if (!group.reuse && rows_) group.k_axis = -1;
    for (size_t k = 0; k < axes.size(); ++k)
      if (static_cast<int>(k) != group.k_axis) group.window_axes.push_back(static_cast<int>(k));
  }

  void name_rules() {
    auto add = [this](const char* rule) {
      if (sketch_.rules.find(rule) == std::string::npos)
        sketch_.rules += sketch_.rules.empty() ? rule : std::string("+") + rule;
    };
    if (!sketch_.producers.empty()) add("inline");
    for (const Group& group : sketch_.groups) {
      add(group.reuse ? "tile" : group.row ? "row" : group.parts.empty() ? "pointwise" : "patch");
      int64_t window = 1;
      for (int w : group.window_axes) window *= compute(group.reduction).reduce->axes[static_cast<size_t>(w)].extent;
      if (group.reuse && window > 1) add("window");
      if (group.reduction >= 0 && group.reduction != group.root) add("epilogue");
    }
  }

  const te::Task& task_;
  const Program& program_;
  const bool rows_;
  std::vector<bool> taken_;
  Sketch sketch_;
};

}  // namespace

void share_rows(Group& group, const te::Compute& root, const std::vector<int>& rows) {
  int inner = rows.back();
  for (int axis : rows)
    if (root.axes[static_cast<size_t>(axis)].extent > 1) inner = axis;
  group.batch_axes = rows;
  std::erase(group.batch_axes, inner);
  group.row_axes = {inner};
}

std::vector<int> physical_order(const te::Task& task, te::Tensor tensor) {
  std::vector<int> order;
  const te::Arg* arg = arg_of(task, tensor);
  if (arg && !arg->layout.row_major()) {
    // An axis cut into blocks counts where its finest part lies.
    for (size_t i = 0; i < arg->layout.dims.size(); ++i) {
      int axis = arg->layout.dims[i].axis;
      bool later = false;
      for (size_t j = i + 1; j < arg->layout.dims.size(); ++j) later |= arg->layout.dims[j].axis == axis;
      if (!later) order.push_back(axis);
    }
    return order;
  }
  int producer = arg ? -1 : producer_of(task.program, tensor);
  if (producer >= 0 && !task.program.computes[static_cast<size_t>(producer)].reduce)
    return order_by_reads(task, task.program.computes[static_cast<size_t>(producer)]);
  for (size_t i = 0; i < tensor->shape.size(); ++i) order.push_back(static_cast<int>(i));
  return order;
}

ir::Expr innermost_index(const te::Task& task, ir::Expr load) {
  const std::vector<int> order = physical_order(task, load->buffer);
  for (size_t i = order.size(); i-- > 0;)
    if (load->buffer->shape[static_cast<size_t>(order[i])] != 1) return load->args[static_cast<size_t>(order[i])];
  return nullptr;
}

bool is_open_input(const te::Task& task, te::Tensor tensor) {
  const auto& inputs = task.program.inputs;
  const auto found = std::find(inputs.begin(), inputs.end(), tensor);
  if (found == inputs.end()) return false;
  const te::Arg& arg = task.args[static_cast<size_t>(found - inputs.begin())];
  return arg.free || arg.layout.medium != ir::Medium::kTexture2D;
}

bool is_free_input(const te::Task& task, te::Tensor tensor) {
  const std::vector<te::Tensor>& inputs = task.program.inputs;
  const auto found = std::find(inputs.begin(), inputs.end(), tensor);
  return found != inputs.end() && task.args[static_cast<size_t>(found - inputs.begin())].free;
}

int64_t innermost_extent(const te::Task& task, te::Tensor tensor) {
  const te::Arg* arg = arg_of(task, tensor);
  if (arg && !arg->layout.row_major()) {
    for (size_t i = arg->layout.dims.size(); i-- > 0;)
      if (arg->layout.dims[i].size > 1) return arg->layout.dims[i].div == 1 ? arg->layout.dims[i].size : 0;
    return 1;
  }
  std::vector<int> order = physical_order(task, tensor);
  for (size_t i = order.size(); i-- > 0;)
    if (tensor->shape[static_cast<size_t>(order[i])] > 1) return tensor->shape[static_cast<size_t>(order[i])];
  return 1;
}

Sketch make_sketch(const te::Task& task, bool rows) { return SketchMaker(task, rows).make(); }

}  // namespace hone::tuner
