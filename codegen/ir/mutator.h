// Mutator: rebuilds expressions and statements whose children change, and only those. Override `expr` or `stmt`, call the base for the rest.
// Expressions are memoised by node: an override must depend on the node alone until `forget` is called.
#pragma once
#include <unordered_map>
#include <unordered_set>

#include "codegen/ir/arena.h"
#include "codegen/ir/node_map.h"

namespace hone::ir {

class Mutator {
 public:
  explicit Mutator(Arena& arena) : arena_(arena) {}
  virtual ~Mutator() = default;
  Expr mutate(Expr e);  // memoised; null stays null
  Stmt mutate(Stmt s);  // null stays null

 protected:
  virtual Expr expr(Expr e) { return rebuild(e); }
  virtual Stmt stmt(Stmt s) { return rebuild(s); }
  Expr rebuild(Expr e);  // children mutated
  Stmt rebuild(Stmt s);
  void forget() { memo_.clear(); }
  Arena& arena_;

 private:
  // The nodes mutated; none while all are as they were: most stay.
  template <class Node>
  std::vector<Node> changed(const std::vector<Node>& nodes);
  NodeMap<Expr> memo_;
};

using VarMap = std::unordered_map<Var, Expr>;
// Replaces variables by expressions.
Expr substitute(Arena& arena, Expr e, const VarMap& map);
Stmt substitute(Arena& arena, Stmt s, const VarMap& map);

// A copy of s that may stand beside the original: variables defined inside (loops, lets) are new; `map` is applied as well.
Stmt fresh_copy(Arena& arena, Stmt s, VarMap map = {});

// What the variables of all lets inside stand for. Needs: each is defined once.
VarMap lets_of(Stmt s);

using VarSet = std::unordered_set<Var>;
// Adds every variable that occurs in e.
void collect_vars(Expr e, VarSet& out);
bool uses_var(Expr e, Var var);
// Calls visit(node) once for each distinct node of e, children first.
template <class Visit>
void for_each_node(Expr e, NodeSet& seen, const Visit& visit) {
  if (!e || !seen.insert(e)) return;
  for (Expr a : e->args) for_each_node(a, seen, visit);
  for_each_node(e->mask, seen, visit);
  for_each_node(e->other, seen, visit);
  visit(e);
}
template <class Visit>
void for_each_node(Expr e, const Visit& visit) {
  NodeSet seen;
  for_each_node(e, seen, visit);
}
// Calls visit(statement) for each statement, parents first.
template <class Visit>
void for_each_stmt(Stmt s, const Visit& visit) {
  if (!s) return;
  visit(s);
  for (Stmt b : s->body) for_each_stmt(b, visit);
}

}  // namespace hone::ir
