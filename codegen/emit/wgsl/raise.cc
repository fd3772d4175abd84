#include "codegen/emit/wgsl/raise.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/emit/c_like/extremes.h"
#include "codegen/emit/c_like/passes.h"
#include "codegen/emit/c_like/shader_functions.h"
#include "codegen/emit/c_like/whole_division.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::DType;
using ir::Expr;
using ir::ExprKind;

namespace {

bool storable(DType d) { return d == DType::kF32 || d == DType::kI32 || d == DType::kU32 || d == DType::kIndex; }

bool is_output(const ir::Kernel& kernel, ir::Buffer b) {
  return std::find(kernel.args.begin() + kernel.input_count, kernel.args.end(), b) != kernel.args.end();
}

class Raise final : public ir::Mutator {
 public:
  explicit Raise(ir::Arena& arena) : Mutator(arena) {}

 protected:
  Expr expr(Expr e) override {
    Expr r = rebuild(e);
    if (r->kind == ExprKind::kLoad) return r->mask ? masked(r) : r->any_value ? inside(r) : r;
    const bool is_extreme = r->kind == ExprKind::kMin || r->kind == ExprKind::kMax;
    if (is_extreme && ir::is_float(r->type.dtype)) return passing_nan(arena_, r, Comparisons::kFast);
    const bool divides = r->kind == ExprKind::kDiv || r->kind == ExprKind::kMod;
    if (divides && !ir::is_float(r->type.dtype) && r->type.dtype != DType::kIndex) return whole_division(arena_, r);
    if (r->kind == ExprKind::kCast && is_whole(r->type) && r->args[0]->type.dtype == DType::kF32) return whole_of(r);
    if (r->kind == ExprKind::kCast && r->type.dtype == DType::kIndex && r->args[0]->type.dtype == DType::kF32) return index_of(r);
    const Expr function = r->kind == ExprKind::kCall ? shader_function(arena_, r) : nullptr;
    return function ? function : r;
  }

 private:
  static bool is_whole(ir::Type t) { return t.dtype == DType::kI32 || t.dtype == DType::kU32; }

  // WGSL saturates at the largest whole number that a float is, and leaves that of a NaN open.
  Expr whole_of(Expr cast) {
    const bool is_signed = cast->type.dtype == DType::kI32;
    const Expr x = cast->args[0], beyond = arena_.constant(x->type, is_signed ? 0x1p31 : 0x1p32);
    const Expr largest = arena_.constant(cast->type, is_signed ? INT32_MAX : UINT32_MAX);
    const Expr number = arena_.select(arena_.le(beyond, x), largest, cast);
    return arena_.select(arena_.eq(x, x), number, arena_.constant(cast->type, 0));
  }

  // Indices are unsigned in WGSL, where a negative float would be 0.
  Expr index_of(Expr cast) {
    const ir::Type whole{DType::kI32, cast->type.lanes};
    return arena_.bitcast(cast->type, whole_of(arena_.cast(whole, cast->args[0])));
  }

  Expr masked(Expr load) {
    Expr plain = inside(arena_.load(load->buffer, load->args, nullptr, nullptr, true));
    Expr other = load->other ? load->other : arena_.constant(load->type, 0);
    return arena_.select(load->mask, plain, other);
  }

  // WGSL clamps what a thread reads beyond the end, but refuses a constant index that lies there.
  Expr inside(Expr load) {
    Expr index = load->args[0];
    const int64_t last = std::max<int64_t>(1, load->buffer->shape[0]) - 1;
    if (index->kind != ExprKind::kConst || (index->ival >= 0 && index->ival <= last)) return load;
    return arena_.load(load->buffer, {arena_.index(last)}, nullptr, nullptr, true);
  }
};

ir::Stmt raise_body(ir::Arena& arena, ir::Stmt body) {
  return raise_signed_indices(arena, share_values(arena, Raise(arena).mutate(body)), IndexSign::kUnsigned);
}

}  // namespace

Result<ir::Kernel> raise_wgsl(const ir::Kernel& lowered) {
  const ir::Kernel kernel = widen_small_integers(lowered);
  for (const auto& list : {kernel.args, kernel.temps})
    for (ir::Buffer b : list)
      if (!storable(b->dtype) && (b->dtype != DType::kF16 || is_output(kernel, b)))
        return Error{ErrorCode::kUnsupported, cat("buffer ", b->name, " has type ", ir::dtype_name(b->dtype),
                                                  "; WGSL kernels store f32, i32 and u32, but for outputs also f16")};
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches)
    launch.body = raise_body(*kernel.arena, launch.body);
  return out;
}

}  // namespace hone::emit
