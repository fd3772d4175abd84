#include <algorithm>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/spatial_axes.h"

namespace hone::te {
namespace {
Status check_transposed_shapes(Tensor x, Tensor w, int64_t groups) {
  if (x->shape.size() < 3 || x->shape.size() > 5 || w->shape.size() != x->shape.size())
    return bad_model(cat("a transposed convolution of input ", shape_text(x->shape), " with weights ",
                         shape_text(w->shape), " is not supported; expected both of rank 3, 4 or 5"));
  if (x->dtype != w->dtype) return bad_model("input and weights of a transposed convolution have different types");
  if (groups < 1 || x->shape[1] != w->shape[0] || w->shape[0] % groups != 0)
    return bad_model(cat("input ", shape_text(x->shape), " does not fit weights ", shape_text(w->shape), " with ",
                         groups, " groups; expected as many input channels as weights, divisible by groups"));
  return ok_status();
}

// One spatial dimension: which inputs and weights meet output position `at` (already shifted by the pad).
struct Taps {
  int64_t stride, dilation, kernel;
  // A tap's phase is fixed by the position when dilation is 1; else every tap is tried.
  bool phased() const { return dilation == 1; }
  int64_t count() const { return phased() ? (kernel + stride - 1) / stride : kernel; }
  int64_t begin() const { return phased() ? count() - 1 : ((kernel - 1) * dilation + stride - 1) / stride; }
  int64_t extent(int64_t positions) const { return (positions - 1) / stride + begin() + 1; }
  bool may_miss() const { return phased() ? kernel % stride != 0 : stride > 1; }

  Sym input(Sym at, Sym tap) const {
    if (phased()) return (stride == 1 ? at : at / double(stride)) - tap + double(begin());
    const Sym place = at - tap * double(dilation) + double(begin() * stride);
    return stride == 1 ? place : place / double(stride);
  }
  Sym weight(Sym at, Sym tap) const {
    return phased() && stride > 1 ? at % double(stride) + tap * double(stride) : tap;
  }
  Sym meets(Sym at, Sym tap) const {
    if (phased()) return weight(at, tap) < double(kernel);
    return (at - tap * double(dilation) + double(begin() * stride)) % double(stride) == 0.0;
  }
};

}  // namespace

Result<Tensor> conv_transposed(Builder& b, Tensor x, Tensor w, const ConvTransposeParams& params) {
  HONE_TRY(check_transposed_shapes(x, w, params.groups));
  const size_t rank = x->shape.size() - 2;
  Window wanted = params.window;
  wanted.kernel.assign(w->shape.begin() + 2, w->shape.end());
  HONE_ASSIGN(window, complete_window(wanted, rank));
  std::vector<int64_t> more = params.output_padding;
  if (more.empty()) more.assign(rank, 0);
  if (more.size() != rank) return bad_model("output_padding has the wrong length");

  const int64_t group_outputs = w->shape[1], group_inputs = w->shape[0] / params.groups;
  Shape positions;
  std::vector<Taps> taps;
  std::vector<int64_t> begin, end, counts;
  for (size_t i = 0; i < rank; i++) {
    const Taps t{window.stride[i], window.dilation[i], window.kernel[i]};
    if (more[i] < 0 || more[i] >= std::max(t.stride, t.dilation))
      return bad_model(cat("output_padding ", more[i], " is not below the stride"));
    const int64_t reach = (t.kernel - 1) * t.dilation + 1, extent = x->shape[2 + i];
    const int64_t out =
        extent == 0 ? 0 : t.stride * (extent - 1) + reach + more[i] - window.pad_begin[i] - window.pad_end[i];
    if (out < 0 || out > kExtentMax) return bad_model(cat("the output has a dimension of ", out));
    positions.push_back(out);
    taps.push_back(t);
    counts.push_back(t.count());
    begin.push_back(t.begin());
    end.push_back(std::max<int64_t>(0, t.extent(out + window.pad_begin[i]) - t.begin() - extent));
  }
  const Tensor padded = pad_spatial(b, x, begin, end, 0);

  const bool one_input = params.groups > 1 && group_inputs == 1;
  std::vector<Axis> axes = {b.axis("n", x->shape[0]),
                            b.axis(one_input && group_outputs == 1 ? "c" : "o", group_outputs * params.groups)};
  for (const Axis& a : b.axes(output_axis_names(rank), positions)) axes.push_back(a);
  std::vector<Axis> reduce_axes = b.axes(window_axis_names(rank), counts);
  const std::vector<Sym> tap = b.syms(reduce_axes);
  const Sym o = b.sym(axes[1]);
  Sym channel = group_outputs == 1 ? o : o / double(group_outputs);
  if (!one_input) {
    reduce_axes.push_back(b.axis("c", group_inputs));
    const Sym c = b.sym(reduce_axes.back());
    channel = params.groups == 1 ? c : channel * double(group_inputs) + c;
  }
  const Sym weight_output = params.groups == 1 ? o : group_outputs == 1 ? b.index(0) : o % double(group_outputs);
  std::vector<Sym> x_index = {b.sym(axes[0]), channel}, w_index = {channel, weight_output};
  Sym meets = b.constant(DType::kBool, 1);
  bool may_miss = false;
  for (size_t i = 0; i < rank; i++) {
    const Sym at = b.sym(axes[2 + i]) + double(window.pad_begin[i]);
    x_index.push_back(taps[i].input(at, tap[i]));
    w_index.push_back(taps[i].weight(at, tap[i]));
    if (taps[i].may_miss()) meets = both(meets, taps[i].meets(at, tap[i]));
    may_miss = may_miss || taps[i].may_miss();
  }
  const Sym x_value = b.at(padded, x_index), w_value = b.at(w, w_index);
  const Sym product = x_value * w_value;
  return b.reduce("Y", axes, reduce_axes, Fold::kSum, may_miss ? select(meets, product, product.number(0)) : product);
}

}  // namespace hone::te
