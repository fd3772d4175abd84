#include "codegen/ir/equal.h"

#include <cstring>
#include <unordered_map>

namespace hone::ir {
namespace {

class Comparer {
 public:
  bool kernels(const Kernel& a, const Kernel& b) {
    if (a.args.size() != b.args.size() || a.temps.size() != b.temps.size() || a.launches.size() != b.launches.size() ||
        a.input_count != b.input_count)
      return false;
    for (size_t i = 0; i < a.args.size(); ++i)
      if (!buffers(a.args[i], b.args[i])) return false;
    for (size_t i = 0; i < a.temps.size(); ++i)
      if (!buffers(a.temps[i], b.temps[i])) return false;
    for (size_t i = 0; i < a.launches.size(); ++i)
      if (!launches(a.launches[i], b.launches[i])) return false;
    return true;
  }

  bool stmts(Stmt a, Stmt b) {
    const std::vector<Stmt> left = flat(a), right = flat(b);
    if (left.size() != right.size()) return false;
    for (size_t i = 0; i < left.size(); ++i)
      if (!stmt(left[i], right[i])) return false;
    return true;
  }

 private:
  static void flatten(Stmt s, std::vector<Stmt>& out) {
    if (!s) return;
    if (s->kind != StmtKind::kBlock) return out.push_back(s);
    for (Stmt child : s->body) flatten(child, out);
  }
  static std::vector<Stmt> flat(Stmt s) {
    std::vector<Stmt> out;
    flatten(s, out);
    return out;
  }

  // Each left identity belongs to one right identity, and the other way round.
  template <class T>
  bool matched(const T* a, const T* b, bool* is_new) {
    *is_new = false;
    if (!a || !b) return a == b;
    auto left = left_.find(a);
    auto right = right_.find(b);
    if (left != left_.end() || right != right_.end())
      return left != left_.end() && right != right_.end() && left->second == b && right->second == a;
    left_[a] = b;
    right_[b] = a;
    return *is_new = true;
  }

  bool buffers(Buffer a, Buffer b) {
    bool is_new;
    if (!matched(a, b, &is_new)) return false;
    return !is_new || (a->dtype == b->dtype && a->shape == b->shape && a->scope == b->scope && a->layout == b->layout &&
                       a->lanes == b->lanes);
  }

  bool vars(Var a, Var b) {
    bool is_new;
    if (!matched(a, b, &is_new)) return false;
    return !is_new || (a->type == b->type && a->bound() == b->bound());
  }

  bool launches(const Launch& a, const Launch& b) {
    if (a.grid != b.grid || a.threads != b.threads || a.sampled != b.sampled) return false;
    for (size_t i = 0; i < 3; ++i)
      if (!vars(a.block_vars[i], b.block_vars[i]) || !vars(a.thread_vars[i], b.thread_vars[i])) return false;
    return vars(a.thread_linear, b.thread_linear) && stmts(a.body, b.body);
  }

  bool exprs(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!expr(a[i], b[i])) return false;
    return true;
  }

  bool expr(Expr a, Expr b) {
    if (!a || !b) return a == b;
    auto seen = equal_.find(a);
    if (seen != equal_.end() && seen->second == b) return true;
    if (a->kind != b->kind || a->type != b->type) return false;
    if (a->kind == ExprKind::kVar) return vars(a, b);
    const bool nan = a->fval != a->fval && b->fval != b->fval;
    if (a->ival != b->ival || a->parameter != b->parameter || (!nan && std::memcmp(&a->fval, &b->fval, sizeof a->fval) != 0)) return false;
    if (a->intrinsic != b->intrinsic || a->any_value != b->any_value || a->lanes != b->lanes) return false;
    if (!buffers(a->buffer, b->buffer) || !expr(a->mask, b->mask) || !expr(a->other, b->other) ||
        !exprs(a->args, b->args))
      return false;
    equal_[a] = b;
    return true;
  }

  bool stmt(Stmt a, Stmt b) {
    if (a->kind != b->kind || a->place != b->place || a->extent != b->extent || a->body.size() != b->body.size())
      return false;
    if (!expr(a->value, b->value) || !vars(a->var, b->var) || !buffers(a->buffer, b->buffer)) return false;
    if (!expr(a->mask, b->mask) || !exprs(a->indices, b->indices)) return false;
    for (size_t i = 0; i < a->body.size(); ++i)
      if (!stmts(a->body[i], b->body[i])) return false;
    return true;
  }

  std::unordered_map<const void*, const void*> left_, right_;
  std::unordered_map<Expr, Expr> equal_;
};

}  // namespace

bool structurally_equal(const Kernel& a, const Kernel& b) { return Comparer().kernels(a, b); }
bool structurally_equal(Stmt a, Stmt b) { return Comparer().stmts(a, b); }

}  // namespace hone::ir
