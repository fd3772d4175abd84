#include "codegen/te/interval.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace hone::te {

using ir::DType;
using ir::ExprKind;
using ir::Intrinsic;

namespace {

// 0 · ∞ is 0: an end that is not known stands for numbers.
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Interval of_ends(std::initializer_list<double> ends) {
  if (std::any_of(ends.begin(), ends.end(), [](double end) { return std::isnan(end); })) return {};
  return {std::min(ends), std::max(ends)};
}

Interval multiplied(const Interval& a, const Interval& b) {
  return of_ends({product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
}

Interval divided(bool whole, const Interval& a, const Interval& b) {
  if (b.has(0)) return whole ? hull({-a.magnitude(), a.magnitude()}, {0, 0}) : Interval{};
  const Interval out = of_ends({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
  return whole ? Interval{std::floor(out.low), std::floor(out.high)} : out;
}

Interval remainder(bool whole, const Interval& a, const Interval& b) {
  const double less = whole ? 1 : 0;
  Interval out{std::min(0.0, b.low + less), std::max(0.0, b.high - less)};
  if (a.low >= 0 && b.low > 0) out.high = std::min(out.high, a.high);
  return out;
}

// All numbers of as many bits, of those that are not negative.
double all_bits(double high) { return high < 1 ? 0 : std::exp2(std::floor(std::log2(high)) + 1) - 1; }

Interval of_bits(ExprKind kind, const Interval& a, const Interval& b) {
  const bool both = a.low >= 0 && b.low >= 0;
  if (kind == ExprKind::kBitAnd && (a.low >= 0 || b.low >= 0)) return {0, both ? std::min(a.high, b.high) : a.low >= 0 ? a.high : b.high};
  if (both) return {0, all_bits(std::max(a.high, b.high))};
  const double most = all_bits(std::max({a.high, -1 - a.low, b.high, -1 - b.low}));
  return {-most - 1, most};
}

Interval powers(const Interval& base, const Interval& exponent) {
  if (base.low < 0 || exponent.low < 0) return {};
  return {0, std::max(1.0, std::pow(std::max(base.high, 1.0), exponent.high))};
}

}  // namespace

Interval hull(const Interval& a, const Interval& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
Interval common(const Interval& a, const Interval& b) {
  return {std::clamp(a.low, b.low, b.high), std::clamp(a.high, b.low, b.high)};
}

Interval device_range(DType dtype) {
  if (dtype == DType::kBool) return {0, 1};
  if (ir::is_float(dtype)) return {};
  const int bits = std::min(32, ir::size_bits(dtype));
  const double count = std::exp2(bits);
  return ir::is_unsigned(dtype) ? Interval{0, count - 1} : Interval{-count / 2, count / 2 - 1};
}

Interval joined(ExprKind kind, bool whole, const Interval& a, const Interval& b) {
  switch (kind) {
    case ExprKind::kAdd: return of_ends({a.low + b.low, a.high + b.high});
    case ExprKind::kSub: return of_ends({a.low - b.high, a.high - b.low});
    case ExprKind::kMul: return multiplied(a, b);
    case ExprKind::kDiv: return divided(whole, a, b);
    case ExprKind::kMod: return remainder(whole, a, b);
    case ExprKind::kMin: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case ExprKind::kMax: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case ExprKind::kBitAnd:
    case ExprKind::kBitOr:
    case ExprKind::kBitXor: return of_bits(kind, a, b);
    case ExprKind::kShr: return {std::min(a.low, 0.0), std::max(a.high, 0.0)};
    default: return {};
  }
}

Interval mapped(Intrinsic function, const Interval& a, const Interval& b) {
  switch (function) {
    case Intrinsic::kFloor: return {std::floor(a.low), std::floor(a.high)};
    case Intrinsic::kCeil: return {std::ceil(a.low), std::ceil(a.high)};
    case Intrinsic::kRound:
    case Intrinsic::kTrunc: return {std::floor(a.low), std::ceil(a.high)};
    case Intrinsic::kAbs: return {a.has(0) ? 0 : std::min(std::fabs(a.low), std::fabs(a.high)), a.magnitude()};
    case Intrinsic::kTanh:
    case Intrinsic::kErf:
    case Intrinsic::kSin:
    case Intrinsic::kCos: return {-1, 1};
    case Intrinsic::kExp: return {0, std::exp(a.high)};
    case Intrinsic::kSqrt: return {0, std::sqrt(std::max(a.high, 0.0))};
    case Intrinsic::kPow: return powers(a, b);
    default: return {};
  }
}

Interval widened(const Interval& a, double relative) {
  if (relative == 0) return a;
  return {a.low - std::fabs(a.low) * relative, a.high + std::fabs(a.high) * relative};
}

Interval sum_of(const Interval& a, double count) { return {product(a.low, count), product(a.high, count)}; }

Interval product_of(const Interval& a, double count) {
  if (count == 0) return {1, 1};
  if (a.low >= 0) return of_ends({std::pow(a.low, count), std::pow(a.high, count)});
  const double most = std::max(1.0, std::pow(a.magnitude(), count));
  return {-most, most};
}

}  // namespace hone::te
