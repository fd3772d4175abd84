#include "tuner/space/row_chain.h"

#include <algorithm>

#include "codegen/ir/mutator.h"
#include "codegen/schedule/schedule.h"

namespace hone::tuner {

namespace {

using schedule::Schedule;
using schedule::Stage;

bool reuses(const te::Compute& c, ir::Expr load) {
  return std::any_of(c.axes.begin(), c.axes.end(), [load](const te::Axis& a) {
    return a.extent > 1 &&
           std::none_of(load->args.begin(), load->args.end(), [&a](ir::Expr e) { return ir::uses_var(e, a.var); });
  });
}

class RowChain {
 public:
  explicit RowChain(const te::Task& task) : task_(task), schedule_(task, target::webgpu_default()) {}

  std::optional<Group> find() {
    if (task_.program.outputs.size() != 1 || !inline_maps()) return std::nullopt;
    if (group_.chain.empty() || root().compute.reduce || !find_rows() || !find_lines()) return std::nullopt;
    group_.row = true;
    return group_;
  }

 private:
  const Stage& root() const { return schedule_.stages()[static_cast<size_t>(group_.root)]; }

  // Leaves the reductions and the root; false where a stage is neither.
  bool inline_maps() {
    for (size_t i = 0; i < task_.program.computes.size(); ++i) {
      const te::Compute& c = task_.program.computes[i];
      if (schedule_.is_output(c.outputs[0])) {
        group_.root = static_cast<int>(i);
      } else if (c.reduce) {
        group_.chain.push_back(static_cast<int>(i));
      } else {
        if (!schedule_.apply(schedule::inline_stage(c.name)).ok()) return false;
        group_.between.push_back(static_cast<int>(i));
      }
    }
    return true;
  }

  // For each reduction, which axis of the root each of its dimensions stands for; -1 for dimensions of one element.
  bool find_rows() {
    std::vector<std::vector<int>> axis_of(schedule_.stages().size());
    std::vector<size_t> readers{static_cast<size_t>(group_.root)};
    for (size_t a = 0; a < root().compute.axes.size(); ++a)
      axis_of[readers[0]].push_back(root().compute.axes[a].extent > 1 ? static_cast<int>(a) : -1);
    for (size_t i = group_.chain.size(); i-- > 0;) {
      auto r = static_cast<size_t>(group_.chain[i]);
      if (!map_axes(r, readers, axis_of)) return false;
      readers.push_back(r);
    }
    std::vector<int> rows;
    for (size_t i = 0; i < group_.chain.size(); ++i) {
      std::vector<int> mine;
      for (int a : axis_of[static_cast<size_t>(group_.chain[i])])
        if (a >= 0) mine.push_back(a);
      std::sort(mine.begin(), mine.end());
      if (i > 0 && mine != rows) return false;
      rows = mine;
    }
    group_.order = physical_order(task_, root().compute.outputs[0]);
    std::vector<int> outside;
    for (int axis : group_.order) {
      bool row = std::find(rows.begin(), rows.end(), axis) != rows.end();
      bool single = root().compute.axes[static_cast<size_t>(axis)].extent == 1;
      if (!single) group_.lane_axis = axis;
      (row || single ? outside : group_.lane_axes).push_back(axis);
    }
    if (outside.empty()) return false;
    share_rows(group_, root().compute, outside);
    return true;
  }

  // Every reader reads reduction r at axes of the root, and all at the same ones.
  bool map_axes(size_t r, const std::vector<size_t>& readers, std::vector<std::vector<int>>& axis_of) const {
    const te::Compute& c = schedule_.stages()[r].compute;
    if (c.reduce->axes.empty()) return false;
    for (ir::Expr load : loads_of(c))
      if (reuses(c, load)) return false;
    bool read = false;
    for (size_t reader : readers) {
      const te::Compute& by = schedule_.stages()[reader].compute;
      for (ir::Expr load : loads_of(by)) {
        if (std::find(c.outputs.begin(), c.outputs.end(), load->buffer) == c.outputs.end()) continue;
        std::vector<int> axes;
        for (size_t d = 0; d < load->args.size(); ++d) {
          int axis = c.axes[d].extent == 1 ? -1 : -2;
          for (size_t a = 0; a < by.axes.size() && axis == -2; ++a)
            if (load->args[d] == by.axes[a].var && by.axes[a].extent == c.axes[d].extent) axis = axis_of[reader][a];
          if (axis == -2 || (axis == -1 && c.axes[d].extent > 1)) return false;
          axes.push_back(axis);
        }
        if (read && axes != axis_of[r]) return false;
        axis_of[r] = axes;
        read = true;
      }
    }
    return read;
  }

  // The line's axes lie inside all row axes of more than one element.
  bool find_lines() {
    bool inside = false;
    for (int axis : group_.order) {
      bool line = std::find(group_.lane_axes.begin(), group_.lane_axes.end(), axis) != group_.lane_axes.end();
      if (inside && !line && root().compute.axes[static_cast<size_t>(axis)].extent > 1) return false;
      inside |= line;
    }
    return !group_.lane_axes.empty();
  }

  const te::Task& task_;
  Schedule schedule_;
  Group group_;
};

}  // namespace

std::vector<ir::Expr> loads_of(const te::Compute& c) {
  std::vector<ir::Expr> loads;
  ir::NodeSet seen;
  auto visit = [&loads](ir::Expr e) {
    if (e->kind == ir::ExprKind::kLoad) loads.push_back(e);
  };
  for (ir::Expr e : c.value) ir::for_each_node(e, seen, visit);
  for (ir::Expr e : c.finish) ir::for_each_node(e, seen, visit);
  return loads;
}

std::vector<int> shared_maps(const te::Task& task, const Group& group) {
  const std::vector<te::Compute>& computes = task.program.computes;
  std::vector<int> out;
  for (int map : group.between) {
    const te::Compute& c = computes[static_cast<size_t>(map)];
    int readers = 0;
    for (const te::Compute& reader : computes) {
      const std::vector<ir::Expr> loads = loads_of(reader);
      readers += std::any_of(loads.begin(), loads.end(), [&c](ir::Expr e) { return e->buffer == c.outputs[0]; });
    }
    const bool whole = c.axes.size() == computes[static_cast<size_t>(group.root)].axes.size();
    if (readers > 1 && whole && c.outputs.size() == 1) out.push_back(map);
  }
  return out;
}

std::vector<int> reduce_order(const te::Task& task, const te::Compute& c) {
  ir::Expr largest = nullptr;
  for (ir::Expr load : loads_of(c))
    if (!largest || ir::element_count(load->buffer->shape) > ir::element_count(largest->buffer->shape)) largest = load;
  std::vector<int> source = largest ? physical_order(task, largest->buffer) : std::vector<int>{};
  std::vector<std::pair<int, int>> ranked;
  for (size_t a = 0; a < c.reduce->axes.size(); ++a) {
    int rank = -1;
    for (size_t p = 0; p < source.size(); ++p)
      if (ir::uses_var(largest->args[static_cast<size_t>(source[p])], c.reduce->axes[a].var))
        rank = static_cast<int>(p);
    ranked.push_back({rank, static_cast<int>(a)});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<int> order;
  for (auto [rank, axis] : ranked) order.push_back(axis);
  return order;
}

std::optional<Group> find_row_chain(const te::Task& task) { return RowChain(task).find(); }

}  // namespace hone::tuner
