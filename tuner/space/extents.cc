#include "tuner/space/extents.h"

namespace hone::tuner {

namespace {

class Sizes {
 public:
  Sizes(const te::Task& task, const Group& group) : task_(task), group_(group), root_(compute(group.root)) {}

  Extents take() const {
    Extents e{.rows = product(group_.row_axes), .lanes = product(group_.lane_axes), .row_pitch = innermost_extent(task_, root_.outputs[0])};
    if (!group_.row_axes.empty()) e.inner_rows = patches(group_.row_axes.back());
    for (const te::Axis& axis : root_.axes) e.elements *= axis.extent;
    if (group_.k_axis >= 0) e.k = compute(group_.reduction).reduce->axes[static_cast<size_t>(group_.k_axis)].extent;
    if (group_.row && group_.lane_axes.empty()) e.lanes = steps_of(compute(group_.chain[0]));
    if (group_.row) e.row_pitch = e.vector_max = e.lanes;
    else if (group_.lane_axis >= 0) e.vector_max = vectors();
    return e;
  }

 private:
  const te::Compute& compute(int i) const { return task_.program.computes[static_cast<size_t>(i)]; }
  int64_t extent(int axis) const { return root_.axes[static_cast<size_t>(axis)].extent; }
  int64_t patch(int axis) const { return group_.patch_extents.empty() ? 1 : group_.patch_extents[static_cast<size_t>(axis)]; }
  int64_t patches(int axis) const { return (extent(axis) + patch(axis) - 1) / patch(axis); }

  int64_t product(const std::vector<int>& axes) const {
    int64_t elements = 1;
    for (int axis : axes) elements *= patches(axis);
    return elements;
  }
  // A patch has several of the neighbours of a vector.
  int64_t vectors() const { return patch(group_.lane_axis) > 1 ? 1 : extent(group_.lane_axis); }

  const te::Task& task_;
  const Group& group_;
  const te::Compute& root_;
};

}  // namespace

Extents extents_of(const te::Task& task, const Group& group) { return Sizes(task, group).take(); }

int64_t steps_of(const te::Compute& reduction) {
  int64_t steps = 1;
  for (const te::Axis& axis : reduction.reduce->axes) steps *= axis.extent;
  return steps;
}

int64_t window_elements(const te::Task& task, const Group& group) {
  int64_t elements = 1;
  for (int axis : group.window_axes)
    elements *= task.program.computes[static_cast<size_t>(group.reduction)].reduce->axes[static_cast<size_t>(axis)].extent;
  return elements;
}

int64_t window_copies(const te::Task& task, const Group& group, int64_t unrolled) {
  int64_t copies = 1;
  for (size_t i = group.window_axes.size(); i-- > 0 && unrolled > 0;) {
    const auto axis = static_cast<size_t>(group.window_axes[i]);
    const int64_t extent = task.program.computes[static_cast<size_t>(group.reduction)].reduce->axes[axis].extent;
    if (extent > 1) copies *= extent, --unrolled;
  }
  return copies;
}

std::vector<int64_t> vector_widths(const Extents& e, const target::Target& target, RowEnd end) {
  std::vector<int64_t> whole{1}, beyond{1};
  for (int width : target.lanes) {
    if (width < 4 || e.vector_max < width) continue;
    beyond.push_back(width);
    if (e.row_pitch % width == 0) whole.push_back(width);
  }
  return end == RowEnd::kBeyond && whole.size() == 1 ? beyond : whole;
}

}  // namespace hone::tuner
