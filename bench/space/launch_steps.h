// What a launch executes, in the order in which it does: straight code, loops, conditions and barriers, with what each piece of straight
// code computes and touches. Read from the lowered IR alone.
#pragma once
#include <vector>

#include "codegen/ir/stmt.h"

namespace hone::bench {

// Of one thread that executes a piece once; a vector operation is as many as it has lanes.
struct Operations {
  double products = 0;   // floating point: multiply-adds, sums, comparisons, selections
  double integers = 0;   // of indices, too
  double specials = 0;   // exponentials, roots, reciprocals
  double exchanges = 0;  // with another lane of the subgroup
  double accesses = 0;   // instructions that load or store

  Operations& operator+=(const Operations& other);
};

struct MemoryAccess {
  ir::Buffer buffer = nullptr;
  ir::Expr index = nullptr, mask = nullptr;  // of elements; mask null: always
  bool is_store = false;                     // or an atomic
};

enum class StepKind : uint8_t { kStraight, kLoop, kCondition, kBarrier };

struct LaunchStep {
  StepKind kind = StepKind::kStraight;
  ir::Stmt source = nullptr;           // of a loop or a condition
  Operations operations;               // straight code; of a condition what decides it
  std::vector<MemoryAccess> accesses;  // as operations; registers are none
  std::vector<LaunchStep> body, otherwise;
};

// The launch is one of the stage kLaunched. What a compiler does is assumed done: an index is computed once in a piece of straight code,
// and an argument's element is loaded once.
std::vector<LaunchStep> launch_steps(ir::Stmt body);

// Registers that a thread needs at least, in words: its buffers, and the most values that are live at a time.
double live_words_max(ir::Stmt body);

}  // namespace hone::bench
