#include "codegen/emit/opencl/raise.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/emit/c_like/extremes.h"
#include "codegen/emit/c_like/passes.h"
#include "codegen/emit/c_like/whole_division.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::DType;
using ir::Expr;
using ir::ExprKind;

namespace {

bool has_opencl_storage(DType d) {
  return d == DType::kF32 || d == DType::kI32 || d == DType::kU32 || d == DType::kIndex;
}

class RaiseOpenCl final : public ir::Mutator {
 public:
  explicit RaiseOpenCl(ir::Arena& arena) : Mutator(arena), analyzer_(arena) {}

 protected:
  Expr expr(Expr e) override {
    const Expr r = rebuild(e);
    const bool whole = !ir::is_float(r->type.dtype) && r->type.dtype != DType::kIndex;
    if (ir::is_float(r->type.dtype) && (r->kind == ExprKind::kMin || r->kind == ExprKind::kMax))
      return passing_nan(arena_, r, Comparisons::kIeee);
    if (r->kind == ExprKind::kLoad) return r->mask ? masked(r) : r->any_value ? inside(r) : r;
    if (whole && (r->kind == ExprKind::kDiv || r->kind == ExprKind::kMod)) return whole_division(arena_, r);
    if (whole && r->kind == ExprKind::kCast && ir::is_float(r->args[0]->type.dtype)) return whole_of(r);
    if (whole && r->kind == ExprKind::kCall && r->intrinsic == ir::Intrinsic::kAbs) return magnitude(r->args[0]);
    if (r->kind == ExprKind::kCall && r->intrinsic == ir::Intrinsic::kErf) return saturated(r, 4);
    if (r->kind == ExprKind::kCall && r->intrinsic == ir::Intrinsic::kTanh) return saturated(r, 10);
    if (r->kind == ExprKind::kCall && r->intrinsic == ir::Intrinsic::kSin) return near_zero(r, -1.0 / 6, true);
    if (r->kind == ExprKind::kCall && r->intrinsic == ir::Intrinsic::kCos) return near_zero(r, -1.0 / 2, false);
    // Signed products and sums wrap, each by itself.
    if (whole && r->kind == ExprKind::kMad) return arena_.add(arena_.mul(r->args[0], r->args[1]), r->args[2]);
    return r;
  }

 private:
  Expr masked(Expr load) {
    const Expr plain = inside(arena_.load(load->buffer, load->args, nullptr, nullptr, true));
    return arena_.select(load->mask, plain, load->other ? load->other : arena_.constant(load->type, 0));
  }

  Expr inside(Expr load) {
    const int64_t last = std::max<int64_t>(1, load->buffer->shape[0]) - 1;
    const arith::Interval bounds = analyzer_.bounds(load->args[0]);
    Expr index = load->args[0];
    if (bounds.hi > last) index = arena_.min(index, arena_.index(last));
    if (bounds.lo < 0) index = arena_.max(index, arena_.index(0));
    return arena_.load(load->buffer, {index}, nullptr, nullptr, true);
  }

  // OpenCL saturates; it only recommends what a NaN becomes.
  Expr whole_of(Expr cast) {
    if (cast->type.dtype == DType::kBool) return cast;
    const Expr x = cast->args[0];
    return arena_.select(arena_.eq(x, x), cast, arena_.constant(cast->type, 0));
  }

  // ±1 beyond a bound where that is the function's last bit: OpenCL's may be a little off there, and a Gelu of −infinity infinite instead of no
  // number.
  Expr saturated(Expr call, double bound) {
    const Expr x = call->args[0];
    const auto real = [&](double value) { return arena_.constant(call->type, value); };
    const Expr below = arena_.select(arena_.lt(x, real(-bound)), real(-1), call);
    return arena_.select(arena_.lt(real(bound), x), real(1), below);
  }

  // 1 + c·x², times x of an odd function, below 2⁻⁷, where the terms that are left out are less than half a last bit. There pocl 3.1's sine and
  // cosine of eight lanes are wrong by up to 2⁻⁷ if another lane is large.
  Expr near_zero(Expr call, double c, bool odd) {
    const Expr x = call->args[0];
    const auto real = [&](double value) { return arena_.constant(call->type, value); };
    const Expr even_part = arena_.mad(arena_.mul(x, x), real(c), real(1)), series = odd ? arena_.mul(x, even_part) : even_part;
    return arena_.select(arena_.lt(arena_.call(ir::Intrinsic::kAbs, {x}), real(0x1p-7)), series, call);
  }

  // OpenCL's own is unsigned.
  Expr magnitude(Expr x) {
    if (ir::is_unsigned(x->type.dtype)) return x;
    const Expr zero = arena_.constant(x->type, 0);
    return arena_.select(arena_.lt(x, zero), arena_.sub(zero, x), x);
  }

  arith::Analyzer analyzer_;
};

ir::Stmt raise_body(ir::Arena& arena, ir::Stmt body) {
  return raise_signed_indices(arena, share_values(arena, RaiseOpenCl(arena).mutate(body)), IndexSign::kSigned);
}

}  // namespace

Result<ir::Kernel> raise_opencl(const ir::Kernel& lowered) {
  const ir::Kernel kernel = widen_small_integers(lowered);
  for (const auto& list : {kernel.args, kernel.temps})
    for (ir::Buffer b : list)
      if (!has_opencl_storage(b->dtype))
        return Error{ErrorCode::kUnsupported, cat("buffer ", b->name, " has type ", ir::dtype_name(b->dtype),
                                                  "; OpenCL kernels store f32, i32 and u32")};
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches)
    launch.body = raise_body(*kernel.arena, launch.body);
  return out;
}

}  // namespace hone::emit
