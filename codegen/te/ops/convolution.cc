#include "codegen/te/ops/convolution.h"

#include "codegen/te/ops/spatial_axes.h"

namespace hone::te {

std::vector<Axis> output_axes(Builder& b, const Convolution& conv) {
  const bool by_channel = conv.one_input() && conv.group_outputs() == 1;
  std::vector<Axis> axes = {b.axis("n", conv.x->shape[0]), b.axis(by_channel ? "c" : "o", conv.w->shape[0])};
  for (const Axis& a : b.axes(output_axis_names(conv.rank()), conv.positions)) axes.push_back(a);
  return axes;
}

std::vector<Axis> reduce_axes(Builder& b, const Convolution& conv) {
  std::vector<Axis> axes = b.axes(window_axis_names(conv.rank()), conv.window.kernel);
  if (!conv.one_input()) axes.push_back(b.axis("c", conv.group_inputs()));
  return axes;
}

Sym weight_channel(Builder& b, const Convolution& conv, const std::vector<Axis>& reduced) {
  return conv.one_input() ? b.index(0) : b.sym(reduced.back());
}

Sym input_channel(const Convolution& conv, Sym o, Sym channel) {
  if (conv.groups == 1) return channel;
  const Sym group = conv.group_outputs() == 1 ? o : o / double(conv.group_outputs());
  return conv.one_input() ? group : group * double(conv.group_inputs()) + channel;
}

Sym window_index(const Convolution& conv, size_t i, Sym position, Sym tap) {
  return position * double(conv.window.stride[i]) + tap * double(conv.window.dilation[i]);
}

}  // namespace hone::te
