// The index arithmetic of one workgroup, over all its threads at once. Internal to ir.
//
// A value is kept until a loop that it depends on advances, so a walk over a body pays for what changes. Numbers are of 32 bits and wrap;
// arith/verify_bounds.h has judged before that indices do not.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "codegen/ir/mutator.h"
#include "codegen/ir/stmt.h"

namespace hone::ir {

class ThreadValues {
 public:
  // block: which workgroup of the grid. The launch is one of the stage kLaunched.
  ThreadValues(const Launch& launch, const Dims& block);

  int64_t threads() const { return threads_; }
  int64_t computed() const { return computed_; }  // numbers so far: what this took, and more than it holds
  // What e is in each thread: [lanes of e][threads], row-major; booleans are 0 or 1. Null where that depends on what memory holds, or is no whole
  // number. Valid until a loop advances.
  const int32_t* of(Expr e);
  void enter(Var loop_var);                      // its value is set by `advance`
  void advance(Var loop_var, int64_t iteration);  // of the loop entered last
  void leave();

 private:
  struct Entry {
    int depth = 0;        // loops around the innermost variable that the value depends on
    uint64_t stamp = 0;   // of that loop's iteration as the value was computed
    bool is_known = false;
    std::vector<int32_t> numbers;
  };
  void collect(Stmt s);
  void place(Var var, int64_t apart, int64_t extent);
  Entry& entry(Expr e);
  bool compute(Expr e, std::vector<int32_t>& out);
  bool compute_lanes(Expr e, std::vector<int32_t>& out);
  template <class Function>
  bool each(Expr e, std::vector<int32_t>& out, const Function& function);
  bool combine(Expr e, std::vector<int32_t>& out);
  size_t count(Expr e) const { return static_cast<size_t>(e->type.lanes * threads_); }

  const int64_t threads_;
  const VarMap lets_;
  std::unordered_map<Expr, Entry> entries_;  // references to entries last
  std::vector<uint64_t> stamps_{1};          // by depth
  uint64_t stamps_given_ = 1;
  int64_t computed_ = 0;
};

}  // namespace hone::ir
