#include "codegen/te/ops/conv.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/convolution.h"
#include "codegen/te/ops/minimal_filtering.h"
#include "codegen/te/ops/scalar_functions.h"

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

Result<Convolution> convolution_of(Builder& b, Tensor x, Tensor w, const ConvParams& params) {
  HONE_TRY(check_shapes(x, w, params.groups));
  Window wanted = params.window;
  wanted.kernel.assign(w->shape.begin() + 2, w->shape.end());
  HONE_ASSIGN(window, complete_window(wanted, x->shape.size() - 2));
  HONE_ASSIGN(positions, window_positions(Shape(x->shape.begin() + 2, x->shape.end()), window));
  const Tensor padded = pad_spatial(b, x, window.pad_begin, window.pad_end, 0);
  return Convolution{padded, w, std::move(window), std::move(positions), params.groups};
}

Result<Tensor> definition(Builder& b, const Convolution& c) {
  const std::vector<Axis> axes = output_axes(b, c), reduced = reduce_axes(b, c);
  const Sym o = b.sym(axes[1]), channel = weight_channel(b, c, reduced);
  std::vector<Sym> x_index = {b.sym(axes[0]), input_channel(c, o, channel)}, w_index = {o, channel};
  for (size_t i = 0; i < c.rank(); i++) {
    x_index.push_back(window_index(c, i, b.sym(axes[2 + i]), b.sym(reduced[i])));
    w_index.push_back(b.sym(reduced[i]));
  }
  const Sym x_value = summable(b.at(c.x, x_index)), w_value = summable(b.at(c.w, w_index));
  if (x_value.type() != w_value.type()) return bad_model("input and weights of a convolution have different types");
  return b.reduce("Y", axes, reduced, Fold::kSum, x_value * w_value);
}
}  // namespace

Result<Tensor> conv(Builder& b, Tensor x, Tensor w, const ConvParams& params) {
  HONE_ASSIGN(c, convolution_of(b, x, w, params));
  HONE_ASSIGN(y, definition(b, c));
  offer_minimal_filtering(b, c, y);
  return y;
}

}  // namespace hone::te
