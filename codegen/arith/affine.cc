#include "codegen/arith/affine.h"

#include <algorithm>

namespace hone::arith {

using ir::ExprKind;

void Affine::add(Expr atom, int64_t coefficient) {
  if (coefficient == 0) return;
  auto it =
      std::lower_bound(terms.begin(), terms.end(), atom, [](const Term& t, Expr a) { return t.atom->id < a->id; });
  if (it != terms.end() && it->atom == atom) {
    it->coefficient += coefficient;
    if (it->coefficient == 0) terms.erase(it);
  } else {
    terms.insert(it, {atom, coefficient});
  }
}

void Affine::add(const Affine& other, int64_t factor) {
  for (const Term& t : other.terms) add(t.atom, t.coefficient * factor);
  constant += other.constant * factor;
}

int64_t Affine::coefficient_of(Expr atom) const {
  for (const Term& t : terms)
    if (t.atom == atom) return t.coefficient;
  return 0;
}

namespace {
void accumulate(Expr e, int64_t factor, Affine& out) {
  switch (e->kind) {
    case ExprKind::kConst:
      out.constant += e->ival * factor;
      return;
    case ExprKind::kAdd:
      accumulate(e->args[0], factor, out);
      accumulate(e->args[1], factor, out);
      return;
    case ExprKind::kSub:
      accumulate(e->args[0], factor, out);
      accumulate(e->args[1], -factor, out);
      return;
    case ExprKind::kMul:
      if (is_const(e->args[1])) return accumulate(e->args[0], factor * e->args[1]->ival, out);
      if (is_const(e->args[0])) return accumulate(e->args[1], factor * e->args[0]->ival, out);
      break;
    default:
      break;
  }
  out.add(e, factor);
}

Expr times(ir::Arena& arena, Expr atom, int64_t factor) {
  return factor == 1 ? atom : arena.mul(atom, arena.index(factor));
}
}  // namespace

Affine to_affine(Expr e) {
  Affine out;
  accumulate(e, 1, out);
  return out;
}

Expr from_affine(ir::Arena& arena, const Affine& affine) {
  Expr sum = nullptr;
  // Positive terms first, so that differences print as a - b.
  for (bool negative : {false, true})
    for (const Term& t : affine.terms) {
      if ((t.coefficient < 0) != negative) continue;
      if (negative && sum) sum = arena.sub(sum, times(arena, t.atom, -t.coefficient));
      else if (Expr term = times(arena, t.atom, t.coefficient); true) sum = sum ? arena.add(sum, term) : term;
    }
  if (!sum) return arena.index(affine.constant);
  if (affine.constant < 0) return arena.sub(sum, arena.index(-affine.constant));
  return arena.add(sum, arena.index(affine.constant));
}

}  // namespace hone::arith
