// What of a launch touches workgroup memory, or says who does. Internal to ir.
#pragma once
#include <array>
#include <vector>

#include "codegen/ir/stmt.h"

namespace hone::ir {

inline bool is_shared(Buffer buffer) { return buffer && buffer->scope == Scope::kWorkgroup; }

struct SharedStep {
  Stmt source = nullptr;
  std::vector<Expr> loads;   // of workgroup memory
  bool has_barrier = false;  // here or inside
  std::vector<SharedStep> body, otherwise;
};

// In order; statements with nothing of that kind are left out.
std::vector<SharedStep> shared_steps(Stmt body);
// By dimension: does a condition, mask or index of the steps depend on the block's variable, through lets too?
std::array<bool, 3> used_blocks(const Launch& launch, const std::vector<SharedStep>& steps);

}  // namespace hone::ir
