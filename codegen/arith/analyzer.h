// Analyzer: intervals, proofs and canonical forms of scalar index expressions. A variable's own range, and what `learn` was told, is all the
// context there is, so results are remembered by node. Only `index` arithmetic and boolean structure are rewritten; floats and machine integers stay as they are.
#pragma once
#include <unordered_map>

#include "codegen/arith/affine.h"
#include "codegen/ir/mutator.h"

namespace hone::arith {

// Inclusive. kUnbounded stands for "not known".
struct Interval {
  static constexpr int64_t kUnbounded = int64_t{1} << 40;
  int64_t lo = -kUnbounded, hi = kUnbounded;
  bool bounded() const { return lo > -kUnbounded && hi < kUnbounded; }
  bool within(int64_t low, int64_t high) const { return lo >= low && hi <= high; }
};

class Analyzer final : private ir::Mutator {
 public:
  explicit Analyzer(ir::Arena& arena) : Mutator(arena) {}
  Interval bounds(Expr e);
  // What is known of a variable that has no range of its own: of one that a `let` defines. Before it is asked for.
  void learn(Expr var, Interval range) { known_[var] = range; }
  Expr simplify(Expr e) { return mutate(e); }
  ir::Stmt simplify(ir::Stmt s) { return mutate(s); }
  // Is the condition true for all values of its variables?
  bool prove(Expr condition);
  // Is e a multiple of n for all values of its variables?
  bool multiple_of(Expr e, int64_t n);

 protected:
  Expr expr(Expr e) override;

 private:
  Interval compute_bounds(Expr e);
  Expr divide(Expr e, int64_t d);
  Expr modulo(Expr e, int64_t d);
  Expr compare(Expr e);
  void drop_fine_terms(Affine& d, int64_t limit);
  Interval bounds(const Affine& a);
  Expr recombine(Expr e);
  std::unordered_map<Expr, Interval> known_;
};

}  // namespace hone::arith
