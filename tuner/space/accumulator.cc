#include "tuner/space/accumulator.h"

#include "codegen/schedule/packed_product.h"

namespace hone::tuner {

int Accumulator::lanes_of(const std::string& of) const {
  const int fused = t.axis_named(of, root.lanes);
  if (fused >= 0 || group.lane_axis < 0) return fused;
  return t.axis_named(of, reduction().axes[static_cast<size_t>(group.lane_axis)].name);
}

int Accumulator::rows_of(const std::string& of) const {
  const int fused = t.axis_named(of, root.rows);
  if (fused >= 0 || group.row_axes.empty() || target::on_textures(t.target().kind)) return fused;
  return t.axis_named(of, reduction().axes[static_cast<size_t>(group.row_axes.back())].name);
}

std::string Accumulator::cut_k(const std::string& of, int64_t length) {
  t.add(schedule::split(of, k_name, {length}, "peel", "k"));
  const std::string part = k_name + ".0";
  t.add(schedule::rfactor(of, part));
  k_name += ".1";
  k_extent = length;
  return part;
}

std::vector<schedule::Loop> Accumulator::loops_cut(const std::string& of, int axis, int64_t width) const {
  if (axis < 0) return {};
  std::vector<schedule::Loop> loops = t.loops_of_axis(of, static_cast<size_t>(axis));
  if (width == 1 || loops.empty() || loops.back().extent == width || loops.back().extent % width != 0) return loops;
  t.add(schedule::split(of, loops.back().name, {width}));
  return t.loops_of_axis(of, static_cast<size_t>(axis));
}

std::string Accumulator::vector_of(const std::string& of, int axis, int64_t width) const {
  if (width == 1) return "";
  const std::vector<schedule::Loop> loops = loops_cut(of, axis, width);
  return !loops.empty() && loops.back().extent == width ? loops.back().name : "";
}

void keep_half(TraceBuilder& t, const std::string& name) {
  const schedule::Stage* stage = t.stage(name);
  if (stage && stage->compute.outputs[0]->dtype == ir::DType::kF32) t.add(schedule::precision(name, "f16"));
}

void keep_narrow(Accumulator& sums, const std::string& name) {
  if (const auto product = schedule::packed_product(sums.reduction()); sums.c.packed_products && product)
    return sums.t.add(schedule::precision(name, std::string(ir::dtype_name(product->a->type.dtype))));
  if (sums.c.narrow) keep_half(sums.t, name);
}

}  // namespace hone::tuner
