#include "codegen/te/ops/window.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/spatial_axes.h"

namespace hone::te {
namespace {}  // namespace

Result<Window> complete_window(Window window, size_t rank) {
  const auto fill = [&](std::vector<int64_t>& v, int64_t value) {
    if (v.empty()) v.assign(rank, value);
    return v.size() == rank;
  };
  if (window.kernel.size() != rank || !fill(window.stride, 1) || !fill(window.dilation, 1) ||
      !fill(window.pad_begin, 0) || !fill(window.pad_end, 0))
    return bad_model(cat("kernel, strides, dilations or pads have the wrong length for ", rank, " spatial dimensions"));
  for (size_t i = 0; i < rank; i++) {
    for (int64_t v : {window.kernel[i], window.stride[i], window.dilation[i], window.pad_begin[i], window.pad_end[i]})
      if (v > kWindowMax)
        return bad_model(cat("a window's kernel, stride, dilation or pad of ", v, " exceeds ", kWindowMax));
    if (window.kernel[i] < 1 || window.stride[i] < 1 || window.dilation[i] < 1)
      return bad_model("kernel extents, strides and dilations must be at least 1");
    if (window.pad_begin[i] < 0 || window.pad_end[i] < 0) return bad_model("negative pads are not defined here");
  }
  return window;
}

Result<Shape> window_positions(const Shape& spatial, const Window& window, bool ceil_mode) {
  Shape out;
  for (size_t i = 0; i < spatial.size(); i++) {
    const int64_t reach = (window.kernel[i] - 1) * window.dilation[i] + 1;
    const int64_t room = spatial[i] + window.pad_begin[i] + window.pad_end[i] - reach;
    if (spatial[i] == 0) {
      out.push_back(0);
      continue;
    }
    if (room < 0)
      return bad_model(cat("a window of extent ", reach, " does not fit into ", spatial[i], " elements with pads ",
                           window.pad_begin[i], " and ", window.pad_end[i]));
    int64_t positions = room / window.stride[i] + 1;
    if (ceil_mode && room % window.stride[i] != 0 && positions * window.stride[i] < spatial[i] + window.pad_begin[i])
      positions++;
    out.push_back(positions);
  }
  return out;
}

Tensor pad_spatial(Builder& b, Tensor x, const std::vector<int64_t>& begin, const std::vector<int64_t>& end,
                   double fill) {
  const size_t rank = begin.size(), first = x->shape.size() - rank;
  Shape shape = x->shape;
  for (size_t i = 0; i < rank; i++) shape[first + i] += begin[i] + end[i];
  if (shape == x->shape) return x;
  const std::vector<Axis> axes = b.axes(input_axis_names(rank), shape);
  std::vector<Sym> index = b.syms(axes);
  Sym inside = b.constant(DType::kBool, 1);
  for (size_t i = 0; i < rank; i++) {
    const Sym at = index[first + i];
    if (begin[i] > 0) inside = both(inside, double(begin[i]) <= at);
    if (end[i] > 0) inside = both(inside, at < double(begin[i] + x->shape[first + i]));
    if (begin[i] > 0) index[first + i] = at - double(begin[i]);
  }
  return b.map(cat(x->name, ".pad"), axes, select(inside, b.at(x, index), b.constant(x->dtype, fill)));
}

}  // namespace hone::te
