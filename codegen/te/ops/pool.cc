#include "codegen/te/ops/pool.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/ops/spatial_axes.h"

namespace hone::te {
namespace {

// What maximum and average share: the window made complete, its positions, and the padded input.
struct Sliding {
  Window window;
  Shape positions;
  Tensor padded = nullptr;
  std::vector<Axis> axes, reduce_axes;
  Sym value;
};

Result<Sliding> slide(Builder& b, Tensor x, const PoolParams& params, double fill) {
  if (x->shape.size() < 3 || x->shape.size() > 5)
    return bad_model(
        cat("pooling of an input of shape ", shape_text(x->shape), " is not defined; expected rank 3, 4 or 5"));
  const size_t rank = x->shape.size() - 2;
  const Shape spatial(x->shape.begin() + 2, x->shape.end());
  Sliding out;
  HONE_ASSIGN(window, complete_window(params.window, rank));
  HONE_ASSIGN(positions, window_positions(spatial, window, params.ceil_mode));
  std::vector<int64_t> end(rank);
  for (size_t i = 0; i < rank; i++) {
    const int64_t reach = (positions[i] - 1) * window.stride[i] + (window.kernel[i] - 1) * window.dilation[i] + 1;
    end[i] = positions[i] == 0 ? 0 : std::max(window.pad_end[i], reach - spatial[i] - window.pad_begin[i]);
  }
  out.padded = pad_spatial(b, x, window.pad_begin, end, fill);
  out.axes = {b.axis("n", x->shape[0]), b.axis("c", x->shape[1])};
  for (const Axis& a : b.axes(output_axis_names(rank), positions)) out.axes.push_back(a);
  out.reduce_axes = b.axes(window_axis_names(rank), window.kernel);
  std::vector<Sym> index = {b.sym(out.axes[0]), b.sym(out.axes[1])};
  for (size_t i = 0; i < rank; i++)
    index.push_back(b.sym(out.axes[2 + i]) * double(window.stride[i]) +
                    b.sym(out.reduce_axes[i]) * double(window.dilation[i]));
  out.value = b.at(out.padded, index);
  out.window = std::move(window);
  out.positions = std::move(positions);
  return out;
}

// How many elements the window at each place averages over.
Sym element_count(Builder& b, Tensor x, const Sliding& s, bool include_pad) {
  Sym count = b.index(1);
  for (size_t i = 0; i < s.positions.size(); i++) {
    const int64_t extent = x->shape[2 + i], begin = s.window.pad_begin[i], end = s.window.pad_end[i];
    const int64_t low = include_pad ? 0 : begin,
                  high = begin + extent + (include_pad ? end : 0);  // in coordinates of the padded input
    const int64_t dilation = s.window.dilation[i];
    const int64_t last = (s.positions[i] - 1) * s.window.stride[i] + (s.window.kernel[i] - 1) * dilation + 1;
    const bool all_inside = low == 0 && last <= high;
    if (all_inside) {
      count = count * double(s.window.kernel[i]);
      continue;
    }
    const Sym start = b.sym(s.axes[2 + i]) * double(s.window.stride[i]);
    if (dilation != 1) {  // taps before `low`, and before `high`
      const auto before = [&](int64_t bound) {
        return min((max(double(bound) - start, 0.0) + double(dilation - 1)) / double(dilation),
                   double(s.window.kernel[i]));
      };
      count = count * (before(high) - before(low));
      continue;
    }
    count = count * (min(start + double(s.window.kernel[i]), double(high)) - max(start, double(low)));
  }
  return count;
}

}  // namespace

Result<Tensor> max_pool(Builder& b, Tensor x, const PoolParams& params) {
  HONE_ASSIGN(s, slide(b, x, params, fold_identity(Fold::kMax, x->dtype)));
  return b.reduce("Y", s.axes, s.reduce_axes, Fold::kMax, s.value);
}

Result<Tensor> max_pool_places(Builder& b, Tensor x, Tensor y, const PoolParams& params, bool column_major) {
  HONE_ASSIGN(s, slide(b, x, params, fold_identity(Fold::kMax, x->dtype)));
  if (y->shape.size() != s.axes.size()) return bad_model(cat("maxima of shape ", shape_text(y->shape), " are not those of ", shape_text(x->shape)));
  const std::vector<Sym> at = b.syms(s.axes), tap = b.syms(s.reduce_axes);
  const size_t rank = tap.size();
  Sym inside = b.constant(DType::kBool, 1), place = at[0] * double(x->shape[1]) + at[1], spatial = b.index(0);
  for (size_t k = 0; k < rank; k++) {
    const size_t i = column_major ? rank - 1 - k : k;  // the dimension that counts most comes first
    const Sym from = at[2 + i] * double(s.window.stride[i]) + tap[i] * double(s.window.dilation[i]) - double(s.window.pad_begin[i]);
    inside = both(inside, both(0.0 <= from, from < double(x->shape[2 + i])));
    spatial = spatial * double(x->shape[2 + i]) + max(min(from, double(x->shape[2 + i] - 1)), 0.0);
    place = place * double(x->shape[2 + i]);
  }
  const Sym best = b.at(y, at), number = cast(DType::kI32, place + spatial);
  return b.reduce("I", s.axes, s.reduce_axes, Fold::kMin, select(both(inside, s.value == best), number, number.number(kExtentMax)), [](Sym acc) { return cast(DType::kI64, acc); });
}

Result<Tensor> average_pool(Builder& b, Tensor x, const PoolParams& params) {
  if (!ir::is_float(x->dtype)) return bad_model("an average needs elements of a float type");
  HONE_ASSIGN(s, slide(b, x, params, 0));
  const Sym count = cast(x->dtype, element_count(b, x, s, params.count_include_pad));
  return b.reduce("Y", s.axes, s.reduce_axes, Fold::kSum, s.value, [&](Sym acc) { return acc / count; });
}

Result<Tensor> length_pool(Builder& b, Tensor x, const PoolParams& params, int64_t order) {
  if (!ir::is_float(x->dtype)) return bad_model("a length needs elements of a float type");
  if (order < 1) return bad_model(cat("a length of order ", order, " is not defined; expected 1 or more"));
  HONE_ASSIGN(s, slide(b, x, params, 0));
  const Sym magnitude = order % 2 == 0 ? s.value : absolute(s.value);
  const Sym part = power(magnitude, magnitude.number(double(order)));
  return b.reduce("Y", s.axes, s.reduce_axes, Fold::kSum, part, [order](Sym acc) { return power(acc, acc.number(1 / double(order))); });
}

Result<Window> global_window(Tensor x) {
  if (x->shape.size() < 3)
    return bad_model(cat("an input of shape ", shape_text(x->shape), " has no spatial dimensions"));
  Window window;
  window.kernel.assign(x->shape.begin() + 2, x->shape.end());
  return window;
}

}  // namespace hone::te
