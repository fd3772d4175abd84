#include "codegen/te/value_ranges.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "codegen/arith/analyzer.h"

namespace hone::te {
namespace {

using ir::DType;
using ir::ExprKind;
using ir::Intrinsic;

// Weakest first.
enum class Use : uint8_t { kCompared, kAny, kSmall, kArgument, kPositive, kIndex };

struct Want {
  Use use = Use::kAny;
  ValueRange range;  // of kCompared, kSmall and kIndex
  auto key() const { return std::tuple(use, range.low, range.high); }
  bool operator<(const Want& other) const { return key() < other.key(); }
};

bool is_narrow_int(DType dtype) { return ir::is_int(dtype) && dtype != DType::kIndex && ir::size_bytes(dtype) < 4; }

ValueRange all_of(DType dtype) {
  const int bits = std::min(32, 8 * ir::size_bytes(dtype));
  const double count = static_cast<double>(int64_t{1} << bits);
  return ir::is_unsigned(dtype) ? ValueRange{0, count - 1} : ValueRange{-count / 2, count / 2 - 1};
}

ValueRange within(ValueRange range, ValueRange limits) {
  return {std::clamp(range.low, limits.low, limits.high), std::clamp(range.high, limits.low, limits.high)};
}

ValueRange range_of(const Want& want, DType dtype) {
  if (ir::is_float(dtype)) return want.use == Use::kPositive ? ValueRange{0.25, 2.25} : ValueRange{};
  const ValueRange all = all_of(dtype);
  switch (want.use) {
    case Use::kIndex:
    case Use::kSmall:
    case Use::kCompared: return within(want.range, all);
    case Use::kPositive: return {1, 15};
    case Use::kArgument: return within({ir::is_unsigned(dtype) ? 0.0 : -8.0, ir::is_unsigned(dtype) ? 15.0 : 7.0}, all);
    case Use::kAny: return all;
  }
  return all;
}

bool has_load(Expr e) {
  bool found = false;
  ir::for_each_node(e, [&](Expr node) { found = found || node->kind == ExprKind::kLoad; });
  return found;
}

class Uses {
 public:
  explicit Uses(const Program& program) : analyzer_(*program.arena) {
    for (const Compute& compute : program.computes) {
      for (Expr e : compute.value) visit(e, {});
      for (Expr e : compute.finish) visit(e, {});
    }
  }

  ValueRange of(Tensor input) const {
    const auto found = strongest_.find(input);
    return range_of(found == strongest_.end() ? Want{} : found->second, input->dtype);
  }

 private:
  void visit(Expr e, const Want& want) {
    if (!seen_[e].insert(want).second) return;
    switch (e->kind) {
      case ExprKind::kLoad: return load(e, want);
      case ExprKind::kCast: return visit(e->args[0], cast(e, want));
      case ExprKind::kCall: return call(e);
      case ExprKind::kDiv:
      case ExprKind::kMod: return quotient(e, want);
      case ExprKind::kEq:
      case ExprKind::kLt:
      case ExprKind::kLe: return comparison(e);
      case ExprKind::kSub:
        visit(e->args[0], want);
        return visit(e->args[1], want.use == Use::kPositive ? Want{} : want);
      case ExprKind::kSelect:
        visit(e->args[0], {});
        visit(e->args[1], want);
        return visit(e->args[2], want);
      case ExprKind::kAdd:
      case ExprKind::kMul:
      case ExprKind::kMad:
      case ExprKind::kMin:
      case ExprKind::kMax: return each(e, want);
      default: return each(e, {});
    }
  }

  void each(Expr e, const Want& want) {
    for (Expr arg : e->args) visit(arg, want);
  }

  void load(Expr e, const Want& want) {
    note(e->buffer, want);
    for (size_t d = 0; d < e->args.size(); d++) {
      const auto extent = static_cast<double>(std::max<int64_t>(1, e->buffer->shape[d]));
      visit(e->args[d], {Use::kIndex, {-extent, extent - 1}});
    }
    if (e->mask) visit(e->mask, {});
    if (e->other) visit(e->other, want);
  }

  static Want cast(Expr e, const Want& want) {
    const bool is_free = want.use == Use::kAny && is_narrow_int(e->type.dtype) && !ir::is_float(e->args[0]->type.dtype);
    return is_free ? Want{Use::kSmall, all_of(e->type.dtype)} : want;
  }

  void call(Expr e) {
    const bool wants_positive = e->intrinsic == Intrinsic::kLog || e->intrinsic == Intrinsic::kSqrt ||
                                e->intrinsic == Intrinsic::kRsqrt || e->intrinsic == Intrinsic::kPow;
    for (size_t i = 0; i < e->args.size(); i++)
      visit(e->args[i], {wants_positive && i == 0 ? Use::kPositive : is_step(e) ? Use::kAny : Use::kArgument, {}});
  }

  static bool is_step(Expr e) {
    return e->intrinsic == Intrinsic::kAbs || e->intrinsic == Intrinsic::kFloor || e->intrinsic == Intrinsic::kCeil ||
           e->intrinsic == Intrinsic::kRound || e->intrinsic == Intrinsic::kTrunc;
  }

  void quotient(Expr e, const Want& want) {
    visit(e->args[0], want);
    visit(e->args[1], {ir::is_float(e->type.dtype) ? Use::kPositive : Use::kArgument, {}});
  }

  void comparison(Expr e) {
    for (size_t i = 0; i < 2; i++) visit(e->args[i], compared_with(e->args[1 - i]));
  }

  Want compared_with(Expr other) {
    if (ir::is_float(other->type.dtype) || has_load(other)) return {};
    const arith::Interval known = whole_bounds(other);
    if (!known.bounded()) return {};
    return {Use::kCompared, {static_cast<double>(known.lo) - 1, static_cast<double>(known.hi) + 1}};
  }

  arith::Interval whole_bounds(Expr e) {
    while (e->kind == ExprKind::kCast && !ir::is_float(e->args[0]->type.dtype)) e = e->args[0];
    if (ir::is_const(e)) return {e->ival, e->ival};
    return e->type.dtype == DType::kIndex ? analyzer_.bounds(e) : arith::Interval{};
  }

  // Of equal uses: of an index the smaller tensor, of a comparison all that is compared with.
  void note(Tensor tensor, const Want& want) {
    const auto [found, is_new] = strongest_.try_emplace(tensor, want);
    Want& known = found->second;
    if (is_new || want.use < known.use) return;
    if (want.use > known.use) {
      known = want;
    } else if (want.use == Use::kCompared) {
      known.range = {std::min(known.range.low, want.range.low), std::max(known.range.high, want.range.high)};
    } else if (want.range.high < known.range.high) {
      known.range = want.range;
    }
  }

  arith::Analyzer analyzer_;
  std::unordered_map<Tensor, Want> strongest_;
  std::unordered_map<Expr, std::set<Want>> seen_;
};

}  // namespace

std::vector<ValueRange> input_ranges(const Program& program) {
  const Uses uses(program);
  std::vector<ValueRange> out;
  for (Tensor input : program.inputs) out.push_back(uses.of(input));
  return out;
}

std::optional<ValueRange> saturation_of(const Program& program, Tensor output) {
  for (const Compute& compute : program.computes)
    for (size_t i = 0; i < compute.outputs.size(); i++) {
      if (compute.outputs[i] != output) continue;
      const Expr stored = compute.finish.empty() ? compute.value[i] : compute.finish[i];
      const DType from = stored->kind == ExprKind::kCast ? stored->args[0]->type.dtype : stored->type.dtype;
      return is_narrow_int(from) ? std::optional(all_of(from)) : std::nullopt;
    }
  return std::nullopt;
}

}  // namespace hone::te
