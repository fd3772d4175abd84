#include "codegen/arith/analyzer.h"

#include <algorithm>
#include <numeric>

namespace hone::arith {

using ir::DType;
using ir::ExprKind;

namespace {

int64_t clamp_bound(int64_t v) { return std::clamp(v, -Interval::kUnbounded, Interval::kUnbounded); }

int64_t scale(int64_t v, int64_t factor) {
  if (v == 0 || factor == 0) return 0;
  if (std::abs(v) >= Interval::kUnbounded || std::abs(v) > Interval::kUnbounded / std::abs(factor))
    return (v < 0) == (factor < 0) ? Interval::kUnbounded : -Interval::kUnbounded;
  return v * factor;
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

bool is_index(Expr e) { return e->type.dtype == DType::kIndex; }

// The terms that d does not divide, and the constant modulo d; `quotient` receives the rest divided by d.
Affine split_multiples(const Affine& a, int64_t d, Affine* quotient) {
  Affine rest;
  for (const Term& t : a.terms) {
    if (t.coefficient % d == 0) quotient->add(t.atom, t.coefficient / d);
    else rest.terms.push_back(t);
  }
  quotient->constant = floor_div(a.constant, d);
  rest.constant = floor_mod(a.constant, d);
  return rest;
}

int64_t common_factor(const Affine& a, int64_t d) {
  int64_t g = d;
  for (const Term& t : a.terms) g = std::gcd(g, t.coefficient);
  return g;
}

Affine divided(const Affine& a, int64_t g) {
  Affine out;
  for (const Term& t : a.terms) out.terms.push_back({t.atom, t.coefficient / g});
  out.constant = floor_div(a.constant, g);
  return out;
}

// The largest c that divides d such that the terms which c does not divide, with the constant's part below c, lie in [0, c): for
// a = c·x + fine, a / d = x / (d / c) and a % d = c·(x % (d / c)) + fine.
int64_t coarse_factor(Analyzer& analyzer, ir::Arena& arena, const Affine& a, int64_t d, Affine* fine) {
  int64_t best = 1;
  for (const Term& t : a.terms) {
    int64_t c = std::gcd(d, t.coefficient);
    if (c <= best || c == d) continue;
    Affine rest;
    for (const Term& u : a.terms)
      if (u.coefficient % c != 0) rest.terms.push_back(u);
    rest.constant = floor_mod(a.constant, c);
    if (rest.terms.empty() || !analyzer.bounds(from_affine(arena, rest)).within(0, c - 1)) continue;
    best = c;
    *fine = rest;
  }
  return best;
}

// a single atom with coefficient 1 and no constant, or null
Expr sole_atom(const Affine& a) {
  return a.terms.size() == 1 && a.terms[0].coefficient == 1 && a.constant == 0 ? a.terms[0].atom : nullptr;
}

}  // namespace

Interval Analyzer::bounds(Expr e) {
  if (auto it = known_.find(e); it != known_.end()) return it->second;
  Interval i = compute_bounds(e);
  i.lo = clamp_bound(i.lo);
  i.hi = clamp_bound(i.hi);
  return known_[e] = i;
}

Interval Analyzer::bounds(const Affine& a) {
  Interval sum{a.constant, a.constant};
  for (const Term& t : a.terms) {
    Interval i = bounds(t.atom);
    sum.lo = clamp_bound(sum.lo + (t.coefficient > 0 ? scale(i.lo, t.coefficient) : scale(i.hi, t.coefficient)));
    sum.hi = clamp_bound(sum.hi + (t.coefficient > 0 ? scale(i.hi, t.coefficient) : scale(i.lo, t.coefficient)));
  }
  return sum;
}

Interval Analyzer::compute_bounds(Expr e) {
  switch (e->kind) {
    case ExprKind::kConst:
      return {e->ival, e->ival};
    case ExprKind::kVar:
      return is_index(e) && e->bound() > 0 ? Interval{0, e->bound() - 1} : Interval{};
    case ExprKind::kAdd:
    case ExprKind::kSub:
    case ExprKind::kMul: {
      Affine a = to_affine(e);
      if (a.terms.size() == 1 && a.terms[0].atom == e) break;  // a product of two unknowns
      return bounds(a);
    }
    case ExprKind::kDiv: {
      if (!is_const(e->args[1]) || e->args[1]->ival <= 0) break;
      Interval i = bounds(e->args[0]);
      return {i.lo <= -Interval::kUnbounded ? i.lo : floor_div(i.lo, e->args[1]->ival),
              i.hi >= Interval::kUnbounded ? i.hi : floor_div(i.hi, e->args[1]->ival)};
    }
    case ExprKind::kMod: {
      if (!is_const(e->args[1]) || e->args[1]->ival <= 0) break;
      Interval i = bounds(e->args[0]);
      int64_t d = e->args[1]->ival;
      if (i.within(0, d - 1)) return i;
      return {0, d - 1};
    }
    case ExprKind::kMin: {
      Interval a = bounds(e->args[0]), b = bounds(e->args[1]);
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    }
    case ExprKind::kMax: {
      Interval a = bounds(e->args[0]), b = bounds(e->args[1]);
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case ExprKind::kSelect: {
      Interval a = bounds(e->args[1]), b = bounds(e->args[2]);
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    default:
      break;
  }
  return {};
}

bool Analyzer::prove(Expr condition) { return ir::is_true(simplify(condition)); }

bool Analyzer::multiple_of(Expr e, int64_t n) {
  if (n == 1) return true;
  Affine a = to_affine(simplify(e));
  if (a.constant % n != 0) return false;
  return std::all_of(a.terms.begin(), a.terms.end(), [&](const Term& t) { return t.coefficient % n == 0; });
}

Expr Analyzer::divide(Expr e, int64_t d) {
  if (d == 1) return e;
  Affine quotient, rest = split_multiples(to_affine(e), d, &quotient);
  Interval i = bounds(rest);
  if (i.bounded() && floor_div(i.lo, d) == floor_div(i.hi, d)) {
    quotient.constant += floor_div(i.lo, d);
    return from_affine(arena_, quotient);
  }
  Affine fine;
  if (int64_t c = coarse_factor(*this, arena_, rest, d, &fine); c > 1) rest.add(fine, -1);
  int64_t g = common_factor(rest, d);
  rest = divided(rest, g);
  d /= g;
  Expr atom;
  Expr inner = sole_atom(rest);
  if (d == 1) {
    quotient.add(rest, 1);
    return from_affine(arena_, quotient);
  }
  if (inner && inner->kind == ExprKind::kDiv && is_const(inner->args[1]) && inner->args[1]->ival > 0) {
    atom = divide(inner->args[0], inner->args[1]->ival * d);
  } else if (inner && inner->kind == ExprKind::kMod && is_const(inner->args[1]) && inner->args[1]->ival > 0 &&
             inner->args[1]->ival % d == 0) {
    atom = modulo(divide(inner->args[0], d), inner->args[1]->ival / d);
  } else {
    atom = arena_.div(from_affine(arena_, rest), arena_.index(d));
  }
  quotient.add(to_affine(atom), 1);
  return from_affine(arena_, quotient);
}

Expr Analyzer::modulo(Expr e, int64_t d) {
  if (d == 1) return arena_.index(0);
  Affine quotient, rest = split_multiples(to_affine(e), d, &quotient);
  Interval i = bounds(rest);
  if (i.bounded() && floor_div(i.lo, d) == floor_div(i.hi, d)) {
    rest.constant -= floor_div(i.lo, d) * d;
    return from_affine(arena_, rest);
  }
  Affine fine;
  if (int64_t c = coarse_factor(*this, arena_, rest, d, &fine); c > 1) {
    rest.add(fine, -1);
    fine.add(to_affine(modulo(from_affine(arena_, rest), d)), 1);
    return from_affine(arena_, fine);
  }
  int64_t g = common_factor(rest, d);
  if (g > 1) {
    Affine scaled;
    scaled.constant = floor_mod(rest.constant, g);
    scaled.add(to_affine(modulo(from_affine(arena_, divided(rest, g)), d / g)), g);
    return from_affine(arena_, scaled);
  }
  Expr inner = sole_atom(rest);
  if (inner && inner->kind == ExprKind::kMod && is_const(inner->args[1]) && inner->args[1]->ival > 0 &&
      inner->args[1]->ival % d == 0)
    return modulo(inner->args[0], d);
  return arena_.mod(from_affine(arena_, rest), arena_.index(d));
}

// x/d·(c·d) + x%d·c = x·c, as row-major addressing of fused axes produces.
Expr Analyzer::recombine(Expr e) {
  Affine a = to_affine(e);
  for (bool again = true; again;) {
    again = false;
    for (const Term t : a.terms) {  // a copy: a.add moves the terms
      if (t.atom->kind != ExprKind::kMod || !is_const(t.atom->args[1]) || t.atom->args[1]->ival <= 0) continue;
      int64_t d = t.atom->args[1]->ival, c = t.coefficient;
      Affine quotient = to_affine(divide(t.atom->args[0], d));
      if (quotient.terms.empty()) continue;
      bool all = std::all_of(quotient.terms.begin(), quotient.terms.end(),
                             [&](const Term& q) { return a.coefficient_of(q.atom) == q.coefficient * c * d; });
      if (!all) continue;
      Affine whole = to_affine(t.atom->args[0]);
      a.add(quotient, -c * d);
      a.add(t.atom, -c);
      a.add(whole, c);
      again = true;
      break;
    }
  }
  return from_affine(arena_, a);
}

// c·x + r < c·n with 0 ≤ r < c says x < n: a tile whose factor divides the extent needs no test of its inner loops.
void Analyzer::drop_fine_terms(Affine& d, int64_t limit) {
  int64_t best = 0;
  for (const Term& t : d.terms) {
    int64_t c = std::abs(t.coefficient);
    if (c <= best || c <= 1 || limit % c != 0) continue;
    Affine fine;
    for (const Term& u : d.terms)
      if (u.coefficient % c != 0) fine.terms.push_back(u);
    if (!fine.terms.empty() && bounds(fine).within(0, c - 1)) best = c;
  }
  if (best == 0) return;
  std::vector<Term> coarse;
  for (const Term& t : d.terms)
    if (t.coefficient % best == 0) coarse.push_back(t);
  d.terms = std::move(coarse);
}

// Comparisons of index expressions in the form Σ < constant (or constant < Σ where all coefficients are negative).
Expr Analyzer::compare(Expr e) {
  Affine d = to_affine(e->args[0]);
  d.add(to_affine(e->args[1]), -1);
  if (e->kind == ExprKind::kEq) {
    Interval i = bounds(d);
    if (i.lo == 0 && i.hi == 0) return arena_.boolean(true);
    if (i.lo > 0 || i.hi < 0) return arena_.boolean(false);
    return arena_.eq(e->args[0], e->args[1]);
  }
  if (e->kind == ExprKind::kLe) d.constant -= 1;  // a <= b  ⇔  a - b - 1 < 0
  Interval i = bounds(d);
  if (i.hi < 0) return arena_.boolean(true);
  if (i.lo >= 0) return arena_.boolean(false);
  int64_t limit = -d.constant;  // Σ terms < limit
  d.constant = 0;
  drop_fine_terms(d, limit);
  int64_t g = common_factor(d, 0);
  if (g > 1) {
    d = divided(d, g);
    limit = -floor_div(-limit, g);
  }
  bool negative = std::all_of(d.terms.begin(), d.terms.end(), [](const Term& t) { return t.coefficient < 0; });
  if (!negative) return arena_.lt(from_affine(arena_, d), arena_.index(limit));
  Affine flipped;
  flipped.add(d, -1);
  return arena_.lt(arena_.index(-limit), from_affine(arena_, flipped));
}

Expr Analyzer::expr(Expr e) {
  if (e->kind == ExprKind::kVar && is_index(e) && e->bound() == 1) return arena_.index(0);
  Expr r = rebuild(e);
  if (r->args.empty() || r->args[0]->type.lanes != 1) return r;
  bool on_index = is_index(r->args[0]);
  switch (r->kind) {
    case ExprKind::kAdd:
    case ExprKind::kSub:
    case ExprKind::kMul:
      return on_index ? recombine(r) : r;
    case ExprKind::kDiv:
      return on_index && is_const(r->args[1]) && r->args[1]->ival > 0 ? divide(r->args[0], r->args[1]->ival) : r;
    case ExprKind::kMod:
      return on_index && is_const(r->args[1]) && r->args[1]->ival > 0 ? modulo(r->args[0], r->args[1]->ival) : r;
    case ExprKind::kMin:
    case ExprKind::kMax: {
      if (!on_index) return r;
      Interval a = bounds(r->args[0]), b = bounds(r->args[1]);
      bool minimum = r->kind == ExprKind::kMin;
      if (a.hi <= b.lo) return r->args[minimum ? 0 : 1];
      if (b.hi <= a.lo) return r->args[minimum ? 1 : 0];
      return r;
    }
    case ExprKind::kEq:
    case ExprKind::kLt:
    case ExprKind::kLe:
      return on_index ? compare(r) : r;
    default:
      return r;
  }
}

}  // namespace hone::arith
