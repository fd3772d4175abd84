#include "tuner/space/fragments.h"

#include "codegen/schedule/fragment_nest.h"
#include "codegen/target/texture_form.h"

namespace hone::tuner {

namespace {

// What the task says of an output's layout; null where that is free.
const ir::Layout* fixed_layout(const te::Task& task, te::Tensor output) {
  for (size_t i = 0; i < task.program.outputs.size(); i++) {
    const te::Arg& arg = task.args[task.program.inputs.size() + i];
    if (task.program.outputs[i] == output && arg.layout.medium == ir::Medium::kTexture2D) return &arg.layout;
  }
  return nullptr;
}

bool is_argument(const te::Task& task, te::Tensor tensor) {
  for (te::Tensor output : task.program.outputs)
    if (output == tensor) return true;
  return false;
}

int64_t parts(int64_t extent, int64_t size) { return (extent + size - 1) / size; }

// The tile's layers, then the tiles, then a texel's squares.
ir::Layout tiled_in_squares(const ir::Shape& shape, const FragmentAxes& axes, const FragmentTile& tile) {
  ir::Layout layout;
  if (tile.rows > 1) layout.dims.push_back({axes.row, 2, tile.rows});
  if (tile.texels > 1) layout.dims.push_back({axes.lane, 2, tile.texels});
  layout.layers = static_cast<int>(layout.dims.size());
  for (int axis : axes.order) {
    const int64_t size = axis == axes.row ? 2 * tile.rows : axis == axes.lane ? 2 * tile.texels : 1;
    layout.dims.push_back({axis, size, parts(std::max<int64_t>(shape[static_cast<size_t>(axis)], 1), size)});
  }
  layout.dims.push_back({axes.row, 1, 2});
  layout.dims.push_back({axes.lane, 1, 2});
  return layout;
}

ir::Layout tiled(const ir::Shape& shape, const FragmentAxes& axes, const FragmentTile& tile) {
  if (tile.squares) return tiled_in_squares(shape, axes, tile);
  ir::Layout layout;
  const auto add = [&](int axis, int64_t div, int64_t size) { layout.dims.push_back({axis, div, size}); };
  const auto extent = [&](int axis) { return shape[static_cast<size_t>(axis)]; };
  if (tile.rows > 1) add(axes.row, 1, tile.rows);
  if (tile.texels > 1) add(axes.lane, 4, tile.texels);
  layout.layers = static_cast<int>(layout.dims.size());
  for (int axis : axes.order) {
    if (axis == axes.row && tile.rows > 1) add(axis, tile.rows, parts(extent(axis), tile.rows));
    else if (axis == axes.lane && tile.texels > 1) add(axis, 4 * tile.texels, parts(extent(axis), 4 * tile.texels));
    else if (axis != axes.lane) add(axis, 1, std::max<int64_t>(extent(axis), 1));
  }
  if (axes.lane >= 0 && tile.texels > 1) add(axes.lane, 1, 4);
  if (axes.lane >= 0 && tile.texels == 1) add(axes.lane, 1, extent(axes.lane));
  return target::whole_texels(shape, layout);
}

schedule::Step layout_step(const std::string& name, const ir::Layout& layout) {
  schedule::Step step;
  step.primitive = schedule::Primitive::kLayout;
  step.stage = name;
  for (const ir::PhysicalDim& dim : layout.dims) step.factors.insert(step.factors.end(), {dim.axis, dim.div, dim.size});
  if (layout.layers > 0) step.option = std::to_string(layout.layers);
  return step;
}

// One nest writes all results of a stage, so they lie in one layout.
void lay_results(TraceBuilder& t, const std::string& stage, const std::vector<te::Tensor>& outputs, const ir::Layout& layout) {
  if (!is_argument(t.task(), outputs[0])) t.add(layout_step(stage, layout));
  for (te::Tensor output : outputs)
    if (is_argument(t.task(), output) && !fixed_layout(t.task(), output)) t.add(layout_step(output->name, layout));
}

}  // namespace

FragmentAxes fragment_axes(const te::Task& task, const te::Compute& compute, const std::vector<int>& order) {
  FragmentAxes axes{order};
  for (size_t i = order.size(); i-- > 0;) {
    if (compute.axes[static_cast<size_t>(order[i])].extent <= 1) continue;
    if (axes.lane < 0) axes.lane = order[i];
    else if (axes.row < 0) axes.row = order[i];
  }
  if (const ir::Layout* fixed = fixed_layout(task, compute.outputs[0]))
    for (int d = 0; d < fixed->layers; d++)
      if (const int axis = fixed->dims[static_cast<size_t>(d)].axis; axis != axes.lane) axes.row = axis;
  return axes;
}

std::optional<FragmentTile> fixed_tile(const te::Task& task, te::Tensor output, const FragmentAxes& axes) {
  const ir::Layout* layout = fixed_layout(task, output);
  if (!layout) return std::nullopt;
  FragmentTile tile;
  for (int d = 0; d < layout->layers; d++) {
    const ir::PhysicalDim& dim = layout->dims[static_cast<size_t>(d)];
    (dim.axis == axes.lane ? tile.texels : tile.rows) *= dim.size;
  }
  return tile;
}

std::string arrange_fragments(TraceBuilder& t, const std::string& stage, const FragmentAxes& axes,
                              const FragmentTile& tile) {
  const schedule::Stage* found = t.stage(stage);
  if (!found) return "";
  const te::Tensor output = found->compute.outputs[0];
  ir::Layout layout;
  if (const ir::Layout* fixed = fixed_layout(t.task(), output)) {
    layout = *fixed;
  } else {
    const bool squares = tile.squares && axes.row >= 0 && axes.lane >= 0;
    layout = tiled(output->shape, axes, {tile.rows, tile.texels, squares});
    if (!layout.dims.empty()) lay_results(t, stage, found->compute.outputs, layout);
  }
  if (!t.ok()) return "";
  auto nest = schedule::fragment_nest(t.schedule(), stage, layout);
  if (!nest.ok()) {
    t.refuse(nest.error().code, nest.error().message);
    return "";
  }
  for (const schedule::Step& step : nest->steps) t.add(step);
  return nest->at;
}

void lay_in_squares(TraceBuilder& t, te::Tensor tensor, int row, int column) {
  FragmentAxes axes{{}, row, column};
  for (size_t d = 0; d < tensor->shape.size(); d++) axes.order.push_back(static_cast<int>(d));
  t.add(layout_step(tensor->name, tiled_in_squares(tensor->shape, axes, {})));
}

void sample_all(TraceBuilder& t) {
  std::vector<std::string> roots;
  for (const schedule::Stage& stage : t.schedule().stages())
    if (!stage.inlined && stage.root()) roots.push_back(stage.name);
  for (const std::string& root : roots) t.add(schedule::sample(root));
}

}  // namespace hone::tuner
