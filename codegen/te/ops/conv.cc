#include "codegen/te/ops/conv.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/ops/spatial_axes.h"

namespace hone::te {
namespace {
Status check_shapes(Tensor x, Tensor w, int64_t groups) {
  if (x->shape.size() < 3 || x->shape.size() > 5 || w->shape.size() != x->shape.size())
    return bad_model(cat("a convolution of input ", shape_text(x->shape), " with weights ", shape_text(w->shape),
                         " is not supported; expected both of rank 3, 4 or 5"));
  if (groups < 1 || x->shape[1] != w->shape[1] * groups || w->shape[0] % groups != 0)
    return bad_model(
        cat("input ", shape_text(x->shape), " does not fit weights ", shape_text(w->shape), " with ", groups,
            " groups; expected input channels = groups x weight channels, and outputs divisible by groups"));
  return ok_status();
}
}  // namespace

Result<Tensor> conv(Builder& b, Tensor x, Tensor w, const ConvParams& params) {
  HONE_TRY(check_shapes(x, w, params.groups));
  const size_t rank = x->shape.size() - 2;
  Window wanted = params.window;
  wanted.kernel.assign(w->shape.begin() + 2, w->shape.end());
  HONE_ASSIGN(window, complete_window(wanted, rank));
  HONE_ASSIGN(positions, window_positions(Shape(x->shape.begin() + 2, x->shape.end()), window));

  const int64_t outputs = w->shape[0], group_inputs = w->shape[1], group_outputs = outputs / params.groups;
  const bool one_input = params.groups > 1 && group_inputs == 1;
  Tensor padded = pad_spatial(b, x, window.pad_begin, window.pad_end, 0);

  std::vector<Axis> axes = {b.axis("n", x->shape[0]), b.axis(one_input && group_outputs == 1 ? "c" : "o", outputs)};
  for (const Axis& a : b.axes(output_axis_names(rank), positions)) axes.push_back(a);
  std::vector<Axis> reduce_axes = b.axes(window_axis_names(rank), window.kernel);
  const std::vector<Sym> taps = b.syms(reduce_axes);

  const Sym o = b.sym(axes[1]);
  Sym input_channel = group_outputs == 1 ? o : o / double(group_outputs), weight_channel = b.index(0);
  if (!one_input) {
    reduce_axes.push_back(b.axis("c", group_inputs));
    weight_channel = b.sym(reduce_axes.back());
    input_channel = params.groups == 1 ? weight_channel : input_channel * double(group_inputs) + weight_channel;
  }
  std::vector<Sym> x_index = {b.sym(axes[0]), input_channel}, w_index = {o, weight_channel};
  for (size_t i = 0; i < rank; i++) {
    x_index.push_back(b.sym(axes[2 + i]) * double(window.stride[i]) + taps[i] * double(window.dilation[i]));
    w_index.push_back(taps[i]);
  }
  const Sym x_value = summable(b.at(padded, x_index)), w_value = summable(b.at(w, w_index));
  if (x_value.type() != w_value.type()) return bad_model("input and weights of a convolution have different types");
  return b.reduce("Y", axes, reduce_axes, Fold::kSum, x_value * w_value);
}

}  // namespace hone::te
