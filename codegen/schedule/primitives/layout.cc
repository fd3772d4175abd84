// layout t [axis,div,size …] layers: the physical dimensions of t, outermost first; each is index[axis] / div % size. On textures the first
// `layers` of them are the layers of an array. Of an attached stage only the
// order of the axes is chosen: its storage follows the boxes. pad s [n]: each row of an attached stage in workgroup memory, its innermost
// storage dimension of more than one element, is n elements longer, so that threads that read or write rows side by side meet different banks. Refused: dimensions that do not tell every element apart, arguments whose
// layout the task fixes, inlined stages.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

std::vector<ir::PhysicalDim> dims_of(const Step& step) {
  std::vector<ir::PhysicalDim> dims;
  for (size_t i = 0; i + 2 < step.factors.size(); i += 3)
    dims.push_back({static_cast<int>(step.factors[i]), step.factors[i + 1], step.factors[i + 2]});
  return dims;
}

Result<int> layers_of(const target::Target& target, const Step& step) {
  if (step.option.empty()) return 0;
  if (!target::on_textures(target.kind))
    return illegal(cat("target ", target::kind_name(target.kind), " has no layers; leave '", step.option, "' out"));
  int layers = 0;
  for (char c : step.option) layers = c >= '0' && c <= '9' && layers < 100 ? layers * 10 + (c - '0') : 1000;
  if (layers >= static_cast<int>(step.factors.size() / 3))
    return illegal(cat("'", step.option, "' must be how many of the outer dimensions are layers, fewer than all"));
  return layers;
}

Status order_storage(Stage& stage, const std::vector<ir::PhysicalDim>& dims) {
  std::vector<int> order;
  for (const ir::PhysicalDim& dim : dims) {
    if (dim.div != 1) return illegal("the layout of a stage inside a loop may permute its axes, not split them");
    order.push_back(dim.axis);
  }
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); i++)
    if (sorted[i] != static_cast<int>(i)) return illegal("the layout must name each axis once");
  if (sorted.size() != stage.compute.axes.size())
    return illegal(
        cat("stage '", stage.name, "' has ", stage.compute.axes.size(), " axes; the layout names ", sorted.size()));
  stage.storage_order = order;
  return ok_status();
}

// The parts of an axis, from div 1 on, must continue one another up to its extent.
Status check_axis(const std::vector<ir::PhysicalDim>& dims, int axis, int64_t extent) {
  int64_t covered = 1;
  for (size_t parts = 0; parts < dims.size() && covered < extent; parts++)
    for (const ir::PhysicalDim& dim : dims)
      if (dim.axis == axis && dim.div == covered && dim.size > 1) {
        covered *= dim.size;
        break;
      }
  if (covered >= extent) return ok_status();
  return illegal(cat("the layout tells ", covered, " of the ", extent, " elements of axis ", axis, " apart"));
}

Status check_dims(const std::vector<ir::PhysicalDim>& dims, const ir::Shape& shape) {
  constexpr int64_t kElementsMax = int64_t{1} << 31;
  int64_t elements = 1;
  for (const ir::PhysicalDim& dim : dims) {
    if (dim.axis < 0 || dim.axis >= static_cast<int>(shape.size()) || dim.div < 1 || dim.size < 1 ||
        dim.size > kElementsMax / elements)
      return illegal(cat("the layout's part [", dim.axis, ", ", dim.div, ", ", dim.size, "] is out of range"));
    elements *= dim.size;
  }
  for (size_t axis = 0; axis < shape.size(); axis++) HONE_TRY(check_axis(dims, static_cast<int>(axis), shape[axis]));
  return ok_status();
}

// The argument of that name; or, of the stage of that name, the global temporaries: what one nest writes lies in one layout.
Result<std::vector<Buffer>> free_tensors(const Schedule& schedule, const std::string& name) {
  const te::Program& program = schedule.program();
  size_t position = 0;
  for (const auto& list : {program.inputs, program.outputs})
    for (Buffer b : list) {
      const te::Arg& arg = schedule.task().args[position++];
      if (b->name != name) continue;
      // On textures a plain layout is nobody's: whoever hands the tensor over makes it whole texels anyway.
      const bool open =
          arg.free || (target::on_textures(schedule.target().kind) && arg.layout.medium != ir::Medium::kTexture2D);
      if (!open) return illegal(cat("the layout of argument '", name, "' is fixed by the task"));
      return std::vector<Buffer>{b};
    }
  HONE_ASSIGN(stage, stage_named(schedule, name));
  std::vector<Buffer> tensors = schedule.stages()[static_cast<size_t>(stage)].compute.outputs;
  tensors.erase(std::remove_if(tensors.begin() + 1, tensors.end(), [&](Buffer b) { return schedule.is_output(b); }), tensors.end());
  return tensors;
}

}  // namespace

Status apply_layout(Schedule& schedule, const Step& step) {
  const int position = schedule.find(step.stage);
  if (position >= 0 && !schedule.stages()[static_cast<size_t>(position)].root())
    return order_storage(schedule.stages()[static_cast<size_t>(position)], dims_of(step));
  HONE_ASSIGN(tensors, free_tensors(schedule, step.stage));
  HONE_TRY(check_dims(dims_of(step), tensors[0]->shape));
  ir::Layout layout;
  layout.dims = dims_of(step);
  HONE_ASSIGN(layers, layers_of(schedule.target(), step));
  layout.layers = layers;
  for (Buffer tensor : tensors) schedule.choose_layout(tensor, layout);
  return ok_status();
}

Status apply_pad(Schedule& schedule, const Step& step) {
  constexpr int64_t kPaddingMax = 64;
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[static_cast<size_t>(position)];
  if (stage.root() || stage.scope != ir::Scope::kWorkgroup)
    return illegal(cat("stage '", step.stage, "' is not a workgroup stage inside a loop"));
  if (step.factors.size() != 1 || step.factors[0] < 1 || step.factors[0] > kPaddingMax)
    return illegal(cat("pad takes one number of elements, from 1 to ", kPaddingMax));
  stage.padding = step.factors[0];
  return ok_status();
}

}  // namespace hone::schedule
