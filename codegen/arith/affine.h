// Affine: an index expression as Σ coefficient·atom + constant. Atoms are variables and what is not affine (Div, Mod, Min, Load, …).
#pragma once
#include <vector>

#include "codegen/ir/arena.h"

namespace hone::arith {

using ir::Expr;

struct Term {
  Expr atom = nullptr;
  int64_t coefficient = 0;  // never 0
};

struct Affine {
  std::vector<Term> terms;  // ordered by the atom's id, each atom once
  int64_t constant = 0;

  void add(Expr atom, int64_t coefficient);
  void add(const Affine& other, int64_t factor);
  int64_t coefficient_of(Expr atom) const;
};

// The sum form of a scalar index expression; sums and products with constants are opened, everything else is an atom.
Affine to_affine(Expr e);
Expr from_affine(ir::Arena& arena, const Affine& affine);

}  // namespace hone::arith
