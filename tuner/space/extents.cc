#include "tuner/space/extents.h"

namespace hone::tuner {

Extents extents_of(const te::Task& task, const Group& group) {
  const te::Compute& root = task.program.computes[static_cast<size_t>(group.root)];
  Extents e;
  for (int axis : group.row_axes) e.rows *= root.axes[static_cast<size_t>(axis)].extent;
  if (!group.row_axes.empty()) e.inner_rows = root.axes[static_cast<size_t>(group.row_axes.back())].extent;
  if (group.lane_axis >= 0) e.lanes = root.axes[static_cast<size_t>(group.lane_axis)].extent;
  for (const te::Axis& axis : root.axes) e.elements *= axis.extent;
  if (group.k_axis >= 0)
    e.k = task.program.computes[static_cast<size_t>(group.reduction)]
              .reduce->axes[static_cast<size_t>(group.k_axis)]
              .extent;
  e.vector_max = e.lanes;
  e.row_pitch = innermost_extent(task, root.outputs[0]);
  if (!group.row) return e;
  for (int axis : group.line_axes) e.line *= root.axes[static_cast<size_t>(axis)].extent;
  if (group.line_axes.empty()) {
    const te::Compute& reduction = task.program.computes[static_cast<size_t>(group.chain[0])];
    for (const te::Axis& axis : reduction.reduce->axes) e.line *= axis.extent;
  }
  e.inner_rows = 1;
  for (int axis : group.row_axes)
    if (int64_t extent = root.axes[static_cast<size_t>(axis)].extent; extent > 1) e.inner_rows = extent;
  e.vector_max = e.row_pitch = e.line;
  return e;
}

Extents patches_of(const te::Task& task, const Group& group) {
  const te::Compute& root = task.program.computes[static_cast<size_t>(group.root)];
  Extents e{.row_pitch = innermost_extent(task, root.outputs[0])};
  for (int axis : group.order) {
    const int64_t extent = root.axes[static_cast<size_t>(axis)].extent,
                  patch = group.patch_extents[static_cast<size_t>(axis)];
    const int64_t patches = (extent + patch - 1) / patch;
    if (axis == group.lane_axis) {
      e.lanes = patches;
      e.vector_max = patch > 1 ? 1 : extent;
    } else if (patches > 1) {
      e.rows = patches;
    }
    e.elements *= extent;
  }
  return e;
}

int64_t window_elements(const te::Task& task, const Group& group) {
  int64_t elements = 1;
  for (int axis : group.window_axes)
    elements *=
        task.program.computes[static_cast<size_t>(group.reduction)].reduce->axes[static_cast<size_t>(axis)].extent;
  return elements;
}

std::vector<int64_t> vector_widths(const Extents& e, const target::Target& target) {
  std::vector<int64_t> widths{1};
  for (int width : target.lanes)
    if (width >= 4 && e.vector_max >= width && e.row_pitch % width == 0) widths.push_back(width);
  return widths;
}

}  // namespace hone::tuner
