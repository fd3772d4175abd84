// Kernels with one thing wrong: what a compiler's mistake would make of a right one. They prove that what is compared, and on which inputs, finds it.
#pragma once
#include <string_view>
#include <vector>

#include "codegen/ir/stmt.h"

namespace hone::kernel_mutants {

enum class Kind : uint8_t {
  kTermDropped,   // a + b becomes a, and a·b + c becomes c, in one statement
  kEdgeOff,       // a loop ends one earlier; a < n becomes a < n - 1
  kBarrierOut,    // a barrier is left out
  kOtherSign,     // a small whole number is taken for one of the other signedness
  kUnsaturated,   // min and max with a constant are left out
  kStrideSwapped, // two strides of an index change places
  kStaleLane,     // a lane of a vector is taken from its neighbour, or a value that is set anew keeps what it was
};
std::string_view kind_name(Kind kind);
constexpr int kKinds = 7;

// Where a kernel may be mutated: a statement, and what of it.
struct Site {
  Kind kind;
  size_t launch = 0;
  ir::Stmt at = nullptr;
  ir::Expr from = nullptr, to = nullptr;  // an expression of `at` and what stands for it; null: the statement itself changes
};

// All sites of a lowered kernel, in order. What they hold lies in the kernel's arena.
std::vector<Site> sites_of(const ir::Kernel& kernel);
ir::Kernel mutated(const ir::Kernel& kernel, const Site& site);

}  // namespace hone::kernel_mutants
