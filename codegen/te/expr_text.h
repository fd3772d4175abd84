// Expressions as text for people and for hashes: infix, fully parenthesised where it matters. The caller names variables and tensors.
#pragma once
#include <functional>
#include <string>

#include "codegen/te/program.h"

namespace hone::te {

struct ExprNames {
  std::function<std::string(Var)> var;
  std::function<std::string(Tensor)> tensor;
  bool types = false;  // constants carry their type: canonical texts need it
};

// Of an expression of 65,536 nodes at most, written out as often as they are read; of more, what is read several times is written once, and has a number.
std::string expr_text(Expr e, const ExprNames& names);

}  // namespace hone::te
