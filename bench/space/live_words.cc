// How many registers a thread's values take at most.
#include <algorithm>
#include <cmath>

#include "bench/space/launch_steps.h"
#include "codegen/ir/mutator.h"

namespace hone::bench {

namespace {

using ir::Stmt;
using ir::StmtKind;

double words_of(ir::Type type, double elements) {
  return std::ceil(elements * type.lanes * std::max(ir::size_bytes(type.dtype), 2) / 4.0);
}

// Numbers statements in order. A value lives from its definition to its last use; one that is used in a loop around which it was defined,
// to the end of that loop.
class Lifetimes {
 public:
  double words_max(Stmt body) {
    visit(body);
    std::vector<double> change(static_cast<size_t>(time_) + 2);
    for (const auto& [var, life] : lives_) {
      change[static_cast<size_t>(life.begin)] += life.words;
      change[static_cast<size_t>(life.end) + 1] -= life.words;
    }
    double now = 0, most = 0;
    for (double c : change) most = std::max(most, now += c);
    return buffers_ + most;
  }

 private:
  struct Life {
    int64_t begin = 0, end = 0;
    double words = 0;
    size_t depth = 0;  // loops around the definition
  };

  void visit(Stmt s) {
    if (!s) return;
    ++time_;
    use(s->value);
    use(s->mask);
    for (ir::Expr index : s->indices) use(index);
    if (s->kind == StmtKind::kAlloc && s->buffer->scope == ir::Scope::kRegister)
      buffers_ += words_of({s->buffer->dtype, s->buffer->lanes}, static_cast<double>(ir::element_count(s->buffer->shape)));
    if (s->kind == StmtKind::kLet) lives_[s->var] = {time_, time_, words_of(s->value->type, 1), open_.size()};
    if (s->kind != StmtKind::kFor) {
      for (Stmt child : s->body) visit(child);
      return;
    }
    open_.emplace_back();
    visit(s->body[0]);
    for (ir::Var var : open_.back()) lives_[var].end = time_;
    open_.pop_back();
    lives_[s->var] = {time_, time_, 1, open_.size()};
  }

  void use(ir::Expr e) {
    ir::for_each_node(e, [&](ir::Expr node) {
      const auto found = node->kind == ir::ExprKind::kVar ? lives_.find(node) : lives_.end();
      if (found == lives_.end()) return;
      found->second.end = time_;
      if (open_.size() > found->second.depth) open_[found->second.depth].insert(node);
    });
  }

  int64_t time_ = 0;
  double buffers_ = 0;
  std::unordered_map<ir::Var, Life> lives_;
  std::vector<ir::VarSet> open_;  // for each loop around: what it uses from outside
};

}  // namespace

double live_words_max(Stmt body) { return Lifetimes().words_max(body); }

}  // namespace hone::bench
