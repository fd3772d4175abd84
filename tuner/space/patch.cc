#include "tuner/space/patch.h"

#include <algorithm>

#include "codegen/ir/mutator.h"
#include "tuner/space/row_chain.h"
#include "tuner/space/sketch.h"

namespace hone::tuner {

namespace {

constexpr int64_t kElementsMax = 64;

using te::Compute;

// v % n is tested with period n, v with its whole extent; 0: e is something else.
int64_t period_of(ir::Expr e, const te::Axis& axis) {
  if (e == axis.var) return axis.extent;
  const bool wraps = e->kind == ir::ExprKind::kMod && e->args[0] == axis.var && ir::is_const(e->args[1]);
  return wraps ? e->args[1]->ival : 0;
}

class PatchFinder {
 public:
  PatchFinder(const te::Task& task, int root) : program_(task.program), root_(root) {}

  std::optional<Patch> find() {
    if (compute(root_).reduce || compute(root_).outputs.size() != 1) return std::nullopt;
    patch_.extents.assign(compute(root_).axes.size(), 1);
    join(root_);
    for (int map = root_ - 1; map >= 0; --map)
      if (is_read_by_joined(map)) join(map);
    for (int map : joined_) add_parts_of(map);
    int64_t elements = 1;
    for (int64_t extent : patch_.extents) elements *= extent;
    if (patch_.parts.empty() || elements == 1 || elements > kElementsMax) return std::nullopt;
    std::sort(patch_.parts.begin(), patch_.parts.end());
    return patch_;
  }

 private:
  const Compute& compute(int i) const { return program_.computes[static_cast<size_t>(i)]; }

  void widen(size_t axis, int64_t extent) { patch_.extents[axis] = std::max(patch_.extents[axis], extent); }

  bool is_joined(int map) const { return std::find(joined_.begin(), joined_.end(), map) != joined_.end(); }

  // A Map whose readers are all part of the root's expression, and read it at their own element.
  bool is_read_by_joined(int map) const {
    const std::vector<int> readers = readers_of(program_, map);
    return !compute(map).reduce && !is_output(program_, compute(map)) && !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](int reader) {
             return is_joined(reader) && reads_elementwise(compute(reader), compute(map));
           });
  }

  void join(int map) {
    joined_.push_back(map);
    if (map != root_) patch_.between.insert(patch_.between.begin(), map);
    const std::vector<int64_t> tested = tested_axes(compute(map));
    for (size_t axis = 0; axis < tested.size(); ++axis) widen(axis, tested[axis]);
  }

  // Maps that pick by their place in turn, of which this one reads other elements than its own.
  void add_parts_of(int map) {
    for (int producer : maps_read_by(map)) {
      const std::vector<int64_t> tested = tested_axes(compute(producer));
      if (is_joined(producer) || std::all_of(tested.begin(), tested.end(), [](int64_t n) { return n == 1; })) continue;
      widen_by_reads(map, producer, tested);
      add_part(producer);
    }
  }

  // Along a dimension of the part that picks, all its picks are wanted.
  void widen_by_reads(int reader, int part, const std::vector<int64_t>& tested) {
    for (ir::Expr load : loads_of(compute(reader))) {
      if (load->buffer != compute(part).outputs[0]) continue;
      for (size_t d = 0; d < load->args.size(); ++d)
        for (size_t axis = 0; axis < patch_.extents.size() && tested[d] > 1; ++axis)
          widen(axis, period_of(load->args[d], compute(reader).axes[axis]));
    }
  }

  // A part, and what it alone reads at several places.
  void add_part(int part) {
    patch_.parts.push_back(part);
    for (int producer : maps_read_by(part)) {
      int64_t places = 0;
      for (ir::Expr load : loads_of(compute(part))) places += load->buffer == compute(producer).outputs[0];
      if (places > 1) add_part(producer);
    }
  }

  // Those that nobody else reads.
  std::vector<int> maps_read_by(int reader) const {
    std::vector<int> maps;
    for (ir::Expr load : loads_of(compute(reader))) {
      const int producer = producer_of(program_, load->buffer);
      if (producer < 0 || compute(producer).reduce || is_output(program_, compute(producer))) continue;
      if (readers_of(program_, producer).size() != 1 || std::find(maps.begin(), maps.end(), producer) != maps.end())
        continue;
      maps.push_back(producer);
    }
    return maps;
  }

  const te::Program& program_;
  const int root_;
  std::vector<int> joined_;  // the root, and what is inlined into it
  Patch patch_;
};

}  // namespace

std::vector<int64_t> tested_axes(const Compute& c) {
  std::vector<int64_t> periods(c.axes.size(), 1);
  for (ir::Expr value : c.value)
    ir::for_each_node(value, [&](ir::Expr e) {
      if (e->kind != ir::ExprKind::kEq) return;
      for (size_t side : {0u, 1u})
        for (size_t axis = 0; axis < c.axes.size() && ir::is_const(e->args[1 - side]); ++axis)
          periods[axis] = std::max(periods[axis], period_of(e->args[side], c.axes[axis]));
    });
  return periods;
}

std::optional<Patch> find_patch(const te::Task& task, int root) { return PatchFinder(task, root).find(); }

}  // namespace hone::tuner
