// Beside: what is computed of each element of a Compute next to what the Compute gives.
#pragma once
#include "codegen/te/builder.h"

namespace hone::te {

// Over the Compute's own axes and variables.
struct Beside {
  Expr failed = nullptr;         // bool. Null: it never is
  std::optional<Reduce> reduce;  // what `failed` is asked of, as a finish; none: it is asked of every place of all the Compute's axes
  std::vector<Expr> value;       // of `reduce`
};

// 1 or 0 as i32.
Expr flag(ir::Arena& arena, Expr condition);

// Appends Computes that give [1] of i32: 1 where any is `failed`, else 0, or the least number where there is no element. Axes and variables are new ones.
Tensor append_beside(Builder& b, const Compute& compute, const Beside& beside);

}  // namespace hone::te
