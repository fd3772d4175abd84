// Reductions whose terms do not concern every element, as their values say: select(condition, value, identity). Evaluated as they stand, each element
// looks at all terms; these tell how each term finds its element instead.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "codegen/te/program.h"

namespace hone::te {

// A scatter: a term goes to one element along some axes, axis == place and … in the condition.
struct Scattered {
  std::vector<std::pair<Var, Expr>> to;  // axis, place: a whole number of any type, outside of [0, extent) for a term that goes nowhere
  Expr counts = nullptr;                 // what must hold besides; null: nothing
  std::vector<Expr> value;               // of a term, as Compute::value; without these axes
};
std::optional<Scattered> scattered_terms(const Compute& compute, ir::Arena& arena);

// A scan (prefix sum): the elements along an axis join the terms of one reduce axis of its extent up to their own, step <= axis or step < axis.
struct Scan {
  Var axis = nullptr, step = nullptr;
  bool exclusive = false;
  Expr counts = nullptr;
  std::vector<Expr> value;
};
std::optional<Scan> scanned_terms(const Compute& compute, ir::Arena& arena);

}  // namespace hone::te
