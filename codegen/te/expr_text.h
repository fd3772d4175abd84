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

std::string expr_text(Expr e, const ExprNames& names);

}  // namespace hone::te
