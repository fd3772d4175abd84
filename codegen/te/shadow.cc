#include "codegen/te/shadow.h"

#include <algorithm>
#include <limits>

namespace hone::te {

using ir::DType;
using ir::ExprKind;
using ir::Intrinsic;

namespace {

// Of f32, relative, with room for the rounding of the error itself.
constexpr double kShadowRounding = 0x1p-23;
// Whole numbers up to it are exact in f32.
constexpr double kExactMax = 0x1p24;
// Beyond it a shadow is only known to be far out of range; products of two stay finite in f32.
constexpr double kFar = 0x1p63;
// Half of what wrapping changes a number by, and a shadow's error from which on it tells nothing.
constexpr double kHalfWrap = 0x1p31, kErrorMax = 0x1p30;
// A number within half a wrap of one of 32 bits is less than 2³³: so is its error less than kErrorMax where it is no more of it.
constexpr double kRelativeMax = 0x1p-10;
constexpr double kUnknown = std::numeric_limits<double>::infinity();

constexpr ir::Type kFloat{DType::kF32, 1};

bool is_sum(ExprKind kind) { return kind == ExprKind::kAdd || kind == ExprKind::kSub || kind == ExprKind::kMul || kind == ExprKind::kMad; }
bool is_comparison(ExprKind kind) { return kind == ExprKind::kEq || kind == ExprKind::kLt || kind == ExprKind::kLe; }

}  // namespace

Expr Shadows::either(Expr a, Expr b) { return !a ? b : !b ? a : arena_.logical_or(a, b); }
Expr Shadows::plus(Expr a, Expr b) { return !a ? b : !b ? a : arena_.add(a, b); }
Expr Shadows::times(Expr a, Expr b) { return !a || !b ? nullptr : arena_.mul(a, b); }
Expr Shadows::within(Expr value) { return arena_.max(arena_.min(value, f32(kFar)), f32(-kFar)); }

Shadow Shadows::of(Expr e) {
  if (const auto it = known_.find(e); it != known_.end()) return it->second;
  const Shadow out = compute(e);
  return known_[e] = out;
}

Shadow Shadows::compute(Expr e) {
  switch (e->kind) {
    case ExprKind::kConst: return {.failed = is_wide(e->type.dtype) && !fits(e) ? arena_.boolean(true) : nullptr};
    case ExprKind::kVar: return {};
    case ExprKind::kCast: return cast(e);
    case ExprKind::kSelect: return select(e);
    default: return is_wide(e->type.dtype) && is_sum(e->kind) ? sum(e) : use(e);
  }
}

Shadow Shadows::followed(Expr e) {
  const Shadow known = of(e);
  if (known.value) return known;
  const Expr value = arena_.cast(kFloat, e);
  const double size = intervals_.settled(e).magnitude(), relative = size <= kExactMax ? 0 : kShadowRounding;
  return {value, relative == 0 ? nullptr : arena_.mul(arena_.call(Intrinsic::kAbs, {value}), f32(relative)), known.failed, size, size * relative, relative};
}

Shadow Shadows::joined(ExprKind kind, Shadow a, Shadow b) {
  const auto magnitude = [&](Expr value) { return arena_.call(Intrinsic::kAbs, {value}); };
  Shadow out{.failed = either(a.failed, b.failed)};
  if (kind == ExprKind::kMul) {
    out.value = arena_.mul(a.value, b.value);
    out.error = plus(plus(times(a.error, magnitude(b.value)), times(b.error, magnitude(a.value))), times(a.error, b.error));
    out.size = a.size * b.size;
    out.off = a.off * b.size + b.off * a.size + a.off * b.off;
    out.relative = a.relative + b.relative + a.relative * b.relative + 2 * kShadowRounding;
  } else {
    out.value = kind == ExprKind::kAdd ? arena_.add(a.value, b.value) : arena_.sub(a.value, b.value);
    out.error = plus(a.error, b.error);
    out.size = a.size + b.size;
    out.off = a.off + b.off;
    out.relative = kUnknown;
  }
  out.off += kShadowRounding * out.size;
  if (!(out.size <= kFar)) out = {within(out.value), out.error, out.failed, kFar, kUnknown, kUnknown};
  out.error = plus(out.error, arena_.mul(magnitude(out.value), f32(kShadowRounding)));
  if (!(out.off <= kFar)) out.error = arena_.min(out.error, f32(kFar));
  return out;
}

// Each of the sums on the way is rounded.
Shadow Shadows::accumulated(ExprKind kind, const Shadow& shadow, double count) {
  if (kind == ExprKind::kMul) return {.size = kUnknown, .off = kUnknown, .relative = kUnknown};
  const double size = shadow.size * count;
  return {.size = size, .off = (shadow.off + kShadowRounding * size) * count, .relative = kUnknown};
}

bool Shadows::needs_error(const Shadow& shadow) { return !(shadow.off < kErrorMax) && !(shadow.relative <= kRelativeMax); }

Shadow Shadows::sum(Expr e) {
  bool is_clean = fits(e);
  Expr failed = nullptr;
  for (Expr a : e->args) {
    const Shadow part = of(a);
    is_clean = is_clean && !part.value;
    failed = either(failed, part.failed);
  }
  if (is_clean) return {.failed = failed};
  if (e->kind != ExprKind::kMad) return joined(e->kind, followed(e->args[0]), followed(e->args[1]));
  return joined(ExprKind::kAdd, joined(ExprKind::kMul, followed(e->args[0]), followed(e->args[1])), followed(e->args[2]));
}

// What is chosen counts alone.
Shadow Shadows::select(Expr e) {
  const Expr condition = e->args[0], never = arena_.boolean(false);
  const Shadow yes = of(e->args[1]), no = of(e->args[2]);
  Shadow out{.failed = failure(condition)};
  if (yes.failed || no.failed) out.failed = either(out.failed, arena_.select(condition, yes.failed ? yes.failed : never, no.failed ? no.failed : never));
  if (!yes.value && !no.value) return out;
  const Shadow a = followed(e->args[1]), b = followed(e->args[2]);
  out.value = arena_.select(condition, a.value, b.value);
  out.size = std::max(a.size, b.size), out.off = std::max(a.off, b.off), out.relative = std::max(a.relative, b.relative);
  if (a.error || b.error) out.error = arena_.select(condition, a.error ? a.error : f32(0), b.error ? b.error : f32(0));
  return out;
}

// From 64 bits to fewer the last ones are kept, as they should be; a float beyond the range saturates.
Shadow Shadows::cast(Expr e) {
  const Expr x = e->args[0];
  const DType from = x->type.dtype, to = e->type.dtype;
  if (is_wide(from) && ir::is_int(to) && !is_wide(to) && to != DType::kIndex) return {.failed = of(x).failed};
  if (!is_wide(to)) return {.failed = failure(x)};
  if (is_wide(from) && of(x).value) return of(x);
  const Expr failed = is_wide(from) ? of(x).failed : failure(x);
  if (fits(e)) return {.failed = failed};
  if (!ir::is_float(from)) {
    Shadow out = followed(x);
    out.failed = failed;
    return out;
  }
  const Interval range = device_range(to);
  const Expr above = arena_.le(arena_.constant(x->type, range.high + 1), x);
  const Expr below = to == DType::kU64 ? arena_.le(x, arena_.constant(x->type, -1)) : arena_.lt(x, arena_.constant(x->type, range.low));
  return {.failed = either(failed, either(above, below))};
}

// What is no sum or product of whole numbers of 64 bits.
Shadow Shadows::use(Expr e) {
  Shadow out;
  const bool is_pair = e->args.size() == 2 && is_wide(e->args[0]->type.dtype) && (is_comparison(e->kind) || e->kind == ExprKind::kMin || e->kind == ExprKind::kMax);
  for (size_t i = 0; i < e->args.size(); i++) out.failed = either(out.failed, is_pair ? failure_beside(e->args[i], e->args[1 - i], is_comparison(e->kind)) : failure(e->args[i]));
  for (Expr part : {e->mask, e->other})
    if (part) out.failed = either(out.failed, failure(part));
  if (!is_wide(e->type.dtype) || e->kind == ExprKind::kLoad || fits(e)) return out;
  out.failed = either(out.failed, e->kind == ExprKind::kDiv ? division_fails(e) : arena_.boolean(true));
  return out;
}

// A constant beyond the range is its nearest end on devices: the smaller or larger of two is the other one, and a comparison is right unless the other one is
// that end.
Expr Shadows::failure_beside(Expr e, Expr other, bool compared) {
  if (!ir::is_const(e) || fits(e)) return failure(e);
  const Interval range = device_range(e->type.dtype);
  const double end = intervals_.of(e).low < 0 ? range.low : range.high;
  return compared ? arena_.eq(other, arena_.constant(e->type, end)) : nullptr;
}

// The lowest number divided by −1.
Expr Shadows::division_fails(Expr e) {
  const Expr lowest = arena_.constant(e->type, device_range(e->type.dtype).low), minus_one = arena_.constant(e->type, -1);
  return arena_.logical_and(arena_.eq(e->args[0], lowest), arena_.eq(e->args[1], minus_one));
}

Expr Shadows::check(Expr e, const Shadow& shadow) {
  const Expr off = arena_.call(Intrinsic::kAbs, {arena_.sub(shadow.value, arena_.cast(kFloat, e))});
  Expr fine = arena_.le(off, f32(kHalfWrap));
  if (shadow.error && needs_error(shadow)) fine = arena_.logical_and(fine, arena_.lt(shadow.error, f32(kErrorMax)));
  return arena_.logical_not(fine);
}

Expr Shadows::failure(Expr e) {
  const Shadow shadow = of(e);
  return shadow.value ? either(shadow.failed, check(e, shadow)) : shadow.failed;
}

}  // namespace hone::te
