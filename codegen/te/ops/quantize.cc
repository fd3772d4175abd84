#include "codegen/te/ops/quantize.h"

#include <numeric>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

using Syms = std::vector<Sym>;

// One number for all, or one along the axis, in x's rank.
Result<Operand> along_axis(Builder& b, const Operand& o, const Shape& x, int64_t axis) {
  const int64_t count = ir::element_count(o.shape), rank = static_cast<int64_t>(x.size());
  const bool fits = o.shape.size() == 1 && axis < rank && o.shape[0] == x[static_cast<size_t>(axis)];
  if (count != 1 && !fits)
    return bad_model(
        cat("scale or zero point of shape ", shape_text(o.shape), " does not fit axis ", axis, " of ", shape_text(x)));
  Shape shape;
  if (count != 1) {
    shape.assign(x.size() - static_cast<size_t>(axis), 1);
    shape[0] = count;
  }
  if (!o.tensor) return Operand::of(o.dtype, o.number, shape);
  HONE_ASSIGN(aligned, reshape(b, o.tensor, shape));
  return Operand::of(aligned);
}

Result<Tensor> scaled(Builder& b, Tensor x, const Scaling& s, const std::function<Sym(const Syms&)>& f) {
  if (!ir::is_float(s.scale.dtype) || !ir::is_int(s.zero.dtype))
    return bad_model("expected a scale of a float type and a whole zero point");
  HONE_ASSIGN(scale, along_axis(b, s.scale, x->shape, s.axis));
  HONE_ASSIGN(zero, along_axis(b, s.zero, x->shape, s.axis));
  return elementwise(b, "Y", {Operand::of(x), scale, zero}, f);
}

// A float beyond the type's range becomes its nearest number.
Sym nearest(Sym x, Sym scale, Sym zero) {
  const Sym steps = rounded(cast(scale.type().dtype, x) / scale), offset = cast(scale.type().dtype, zero);
  return cast(zero.type().dtype, steps + offset);
}

}  // namespace

Result<Tensor> quantize(Builder& b, Tensor x, const Scaling& scaling) {
  return scaled(b, x, scaling, [](const Syms& v) { return nearest(v[0], v[1], v[2]); });
}

Result<Tensor> dequantize(Builder& b, Tensor q, const Scaling& scaling) {
  if (q->dtype != scaling.zero.dtype) return bad_model("the numbers and their zero point have different types");
  return scaled(b, q, scaling, [](const Syms& v) {
    const Sym number = summable(v[0]), zero = summable(v[2]);
    return cast(v[1].type().dtype, number - zero) * v[1];
  });
}

Result<Tensor> without_zero(Builder& b, std::string_view name, Tensor q, const Operand& zero) {
  if (!zero.tensor && zero.number == 0) return q;
  if (zero.dtype != q->dtype) return bad_model("the numbers and their zero point have different types");
  return elementwise(b, name, {Operand::of(q), zero}, [](const Syms& v) {
    const Sym number = summable(v[0]), offset = summable(v[1]);
    return number - offset;
  });
}

Result<Quantized> quantize_by_range(Builder& b, Tensor x) {
  constexpr double kSteps = 255;
  if (x->dtype != DType::kF32) return bad_model("expected elements of type f32");
  std::vector<int64_t> all(x->shape.size());
  std::iota(all.begin(), all.end(), 0);
  HONE_ASSIGN(low, reduce_over(b, "low", x, {all, false},
                               {Fold::kMin, nullptr, [](Sym acc, double) { return min(acc, 0.0); }}));
  HONE_ASSIGN(high, reduce_over(b, "high", x, {all, false},
                                {Fold::kMax, nullptr, [](Sym acc, double) { return max(acc, 0.0); }}));
  const Operand lowest = Operand::of(low), highest = Operand::of(high);
  HONE_ASSIGN(scale, elementwise(b, "scale", {lowest, highest}, [](const Syms& v) { return (v[1] - v[0]) / kSteps; }));
  HONE_ASSIGN(zero, elementwise(b, "zero", {lowest, Operand::of(scale)}, [](const Syms& v) {
                const Sym steps = min(max((-v[0]) / v[1], 0.0), kSteps);
                return cast(DType::kU8, rounded(steps));
              }));
  HONE_ASSIGN(y, quantize(b, x, {Operand::of(scale), Operand::of(zero), 0}));
  return Quantized{y, scale, zero};
}

}  // namespace hone::te
