#include "codegen/te/ops/quantize.h"

#include <algorithm>
#include <numeric>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/narrowing.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

using Syms = std::vector<Sym>;

Error misfit(const Operand& o, const Shape& x, int64_t axis) {
  return bad_model(
      cat("scale or zero point of shape ", shape_text(o.shape), " does not fit axis ", axis, " of ", shape_text(x)));
}

// One number for all, or one along the axis, in x's rank.
Result<Operand> along_axis(Builder& b, const Operand& o, const Shape& x, int64_t axis) {
  const int64_t count = ir::element_count(o.shape), rank = static_cast<int64_t>(x.size());
  const bool fits = o.shape.size() == 1 && axis < rank && o.shape[0] == x[static_cast<size_t>(axis)];
  if (count != 1 && !fits) return misfit(o, x, axis);
  Shape shape;
  if (count != 1) {
    shape.assign(x.size() - static_cast<size_t>(axis), 1);
    shape[0] = count;
  }
  if (!o.tensor) return Operand::of(o.dtype, o.number, shape);
  HONE_ASSIGN(aligned, reshape(b, o.tensor, shape));
  return Operand::of(aligned);
}

Status check_blocks(const Operand& o, const Shape& x, const Scaling& s) {
  const auto axis = static_cast<size_t>(s.axis);
  Shape expected = x;
  if (axis < x.size()) expected[axis] = x[axis] / s.block + (x[axis] % s.block != 0);
  return (axis < x.size() && o.shape == expected) || (!o.tensor && o.shape.empty()) ? ok_status() : Status(misfit(o, x, s.axis));
}

using Formula = std::function<Sym(const Syms&)>;

Result<Tensor> scaled_by_blocks(Builder& b, Tensor x, const Scaling& s, const Formula& f) {
  HONE_TRY(check_blocks(s.scale, x->shape, s));
  HONE_TRY(check_blocks(s.zero, x->shape, s));
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  const Syms index = b.syms(axes);
  Syms block = index;
  block[static_cast<size_t>(s.axis)] = index[static_cast<size_t>(s.axis)] / b.index(s.block);
  const auto at = [&](const Operand& o) { return o.tensor ? b.at(o.tensor, block) : b.constant(o.dtype, o.number); };
  const Sym value = b.at(x, index), scale = at(s.scale), zero = at(s.zero);
  return b.map("Y", axes, f({value, scale, zero}));
}

bool holds_quantized(DType d) { return ir::is_int(d) || (ir::is_float(d) && ir::is_model_only(d)); }

Result<Tensor> scaled(Builder& b, Tensor x, const Scaling& s, const Formula& f) {
  if (!ir::is_float(s.scale.dtype) || !holds_quantized(s.zero.dtype))
    return bad_model("expected a scale of a float type, and a zero point of whole numbers or of floats of 8 bits");
  if (s.block > 0) return scaled_by_blocks(b, x, s, f);
  HONE_ASSIGN(scale, along_axis(b, s.scale, x->shape, s.axis));
  HONE_ASSIGN(zero, along_axis(b, s.zero, x->shape, s.axis));
  return elementwise(b, "Y", {Operand::of(x), scale, zero}, f);
}

DType computed_type(DType scale) { return ir::is_model_only(scale) ? DType::kF32 : scale; }

// A float beyond the type's range becomes its nearest number.
Sym nearest(Sym x, Sym scale, Sym zero, bool saturates) {
  const DType type = computed_type(scale.type().dtype), stored = zero.type().dtype;
  const Sym steps = cast(type, x) / cast(type, scale), offset = cast(type, zero);
  if (ir::is_float(stored)) return as_small_float(stored, steps + offset, {saturates});
  return saturated(stored, rounded(steps) + offset);
}

}  // namespace

Result<Tensor> quantize(Builder& b, Tensor x, const Scaling& scaling) {
  return scaled(b, x, scaling, [&](const Syms& v) { return nearest(v[0], v[1], v[2], scaling.saturates); });
}

Result<Tensor> dequantize(Builder& b, Tensor q, const Scaling& scaling) {
  if (q->dtype != scaling.zero.dtype) return bad_model("the numbers and their zero point have different types");
  return scaled(b, q, scaling, [](const Syms& v) {
    const DType type = computed_type(v[1].type().dtype);
    const auto number = [&](Sym q) { return ir::is_float(q.type().dtype) ? cast(type, q) : summable(q); };
    const Sym value = number(v[0]), zero = number(v[2]);
    return cast(type, value - zero) * cast(type, v[1]);
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

Result<Tensor> requantize(Builder& b, Tensor sums, const std::vector<Operand>& factors, const Scaling& y) {
  std::vector<Operand> operands = {Operand::of(sums), y.scale, y.zero};
  operands.insert(operands.end(), factors.begin(), factors.end());
  const bool scales_are_floats = std::all_of(factors.begin(), factors.end(), [](const Operand& o) { return ir::is_float(o.dtype); });
  if (!scales_are_floats || !ir::is_float(y.scale.dtype) || !ir::is_int(y.zero.dtype) || !ir::is_int(sums->dtype))
    return bad_model("expected whole numbers with scales of float types and whole zero points");
  return elementwise(b, "scaled", operands, [](const Syms& v) {
    const auto real = [](Sym x) { return cast(DType::kF32, x); };
    Sym scale = real(v[3]);
    for (size_t i = 4; i < v.size(); i++) scale = scale * real(v[i]);
    const Sym steps = real(v[0]) * (scale / real(v[1]));
    return saturated(v[2].type().dtype, rounded(steps) + real(v[2]));
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
  HONE_ASSIGN(y, quantize(b, x, {Operand::of(scale), Operand::of(zero)}));
  return Quantized{y, scale, zero};
}

namespace {

Status check_blocks(const PackedBlocks& p) {
  const bool in_range = (p.bits == 2 || p.bits == 4 || p.bits == 8) && p.block >= 8 && p.block <= kExtentMax && p.rows >= 1 && p.rows <= kExtentMax && p.columns >= 1 && p.columns <= kExtentMax;
  if (!in_range) return bad_model(cat(p.columns, " by ", p.rows, " numbers of ", p.bits, " bits in blocks of ", p.block, " are not defined; expected 2, 4 or 8 bits"));
  const int64_t blocks = (p.columns + p.block - 1) / p.block, zeros = (blocks * p.bits + 7) / 8;
  if (p.numbers->shape != Shape{p.rows, blocks, p.block * p.bits / 8} || p.numbers->dtype != DType::kU8 || ir::element_count(p.scale->shape) != p.rows * blocks || !ir::is_float(p.scale->dtype))
    return bad_model(cat("packed numbers and scales of shapes ", shape_text(p.numbers->shape), " and ", shape_text(p.scale->shape), " do not fit; expected ", shape_text({p.rows, blocks, p.block * p.bits / 8}),
                         " of uint8, and a scale for each block"));
  if (!p.zero) return ok_status();
  const bool packed = p.zero->dtype == DType::kU8, whole = p.zero->dtype == p.scale->dtype;
  if ((packed && ir::element_count(p.zero->shape) == p.rows * zeros) || (whole && ir::element_count(p.zero->shape) == p.rows * blocks)) return ok_status();
  return bad_model(cat("zeros of shape ", shape_text(p.zero->shape), " do not fit"));
}

// Number `place` of those that share the byte.
Sym number_in(Sym byte, Sym place, int64_t bits) {
  const Sym count = cast(DType::kI32, place % double(8 / bits)) * double(bits), value = cast(DType::kI32, byte);
  return bits == 8 ? value : bitwise_and(shifted_right(value, count), value.number(double((1 << bits) - 1)));
}

}  // namespace

Result<Tensor> unpacked_blocks(Builder& b, const PackedBlocks& p) {
  HONE_TRY(check_blocks(p));
  const int64_t blocks = (p.columns + p.block - 1) / p.block, each = 8 / p.bits, zeros = (blocks * p.bits + 7) / 8;
  HONE_ASSIGN(scales, reshape(b, p.scale, {p.rows, blocks}));
  Tensor zero = nullptr;
  if (p.zero) {
    HONE_ASSIGN(rows, reshape(b, p.zero, {p.rows, p.zero->dtype == DType::kU8 ? zeros : blocks}));
    zero = rows;
  }
  const std::vector<Axis> axes = b.axes({"k", "n"}, {p.columns, p.rows});
  const Sym k = b.sym(axes[0]), n = b.sym(axes[1]), block = k / double(p.block), place = k % double(p.block);
  const Sym byte = b.at(p.numbers, {n, block, place / double(each)}), scale = b.at(scales, {n, block});
  Sym offset = scale.number(double(1 << (p.bits - 1)));
  if (zero && zero->dtype == DType::kU8) {
    const Sym of_block = b.at(zero, {n, block / double(each)});
    offset = cast(scale.type().dtype, number_in(of_block, block, p.bits));
  } else if (zero) {
    offset = b.at(zero, {n, block});
  }
  return b.map("unpacked", axes, (cast(scale.type().dtype, number_in(byte, place, p.bits)) - offset) * scale);
}

}  // namespace hone::te
