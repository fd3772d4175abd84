#include "codegen/ir/shared_steps.h"

#include "codegen/ir/mutator.h"

namespace hone::ir {
namespace {

class StepMaker {
 public:
  std::vector<SharedStep> steps(Stmt s) {
    std::vector<SharedStep> out;
    append(s, out);
    return out;
  }

 private:
  void append(Stmt s, std::vector<SharedStep>& out) {
    if (!s) return;
    if (s->kind == StmtKind::kBlock) {
      for (Stmt child : s->body) append(child, out);
      return;
    }
    SharedStep step{s, loads_of(s), s->kind == StmtKind::kBarrier, {}, {}};
    if (!s->body.empty()) step.body = steps(s->body[0]);
    if (s->body.size() > 1) step.otherwise = steps(s->body[1]);
    for (const auto* inside : {&step.body, &step.otherwise})
      for (const SharedStep& child : *inside) step.has_barrier |= child.has_barrier;
    if (step.has_barrier || is_shared(s->buffer) || !step.loads.empty() || !step.body.empty() || !step.otherwise.empty())
      out.push_back(std::move(step));
  }

  std::vector<Expr> loads_of(Stmt s) {
    std::vector<Expr> out;
    NodeSet seen;
    const auto note = [&](Expr e) {
      if (e->kind == ExprKind::kLoad && is_shared(e->buffer)) out.push_back(e);
    };
    for_each_node(s->value, seen, note);
    for_each_node(s->mask, seen, note);
    for (Expr index : s->indices) for_each_node(index, seen, note);
    return out;
  }
};

// Which block variables conditions, masks and indices depend on, through lets.
class BlockUse {
 public:
  explicit BlockUse(const Launch& launch) : launch_(launch), lets_(lets_of(launch.body)) {}

  void note(const std::vector<SharedStep>& steps) {
    for (const SharedStep& step : steps) {
      if (step.source->kind == StmtKind::kIf) note(step.source->value);
      if (is_shared(step.source->buffer)) note(step.source->mask, step.source->indices);
      for (Expr load : step.loads) note(load->mask, load->args);
      note(step.body);
      note(step.otherwise);
    }
  }
  const std::array<bool, 3>& used() const { return used_; }

 private:
  void note(Expr mask, const std::vector<Expr>& indices) {
    note(mask);
    for (Expr index : indices) note(index);
  }
  void note(Expr e) {
    for_each_node(e, seen_, [&](Expr node) {
      if (node->kind != ExprKind::kVar) return;
      for (size_t d = 0; d < 3; ++d) used_[d] |= node == launch_.block_vars[d];
      if (const auto let = lets_.find(node); let != lets_.end()) through_.push_back(let->second);
    });
    while (!through_.empty()) {
      Expr value = through_.back();
      through_.pop_back();
      note(value);
    }
  }

  const Launch& launch_;
  const VarMap lets_;
  NodeSet seen_;
  std::vector<Expr> through_;
  std::array<bool, 3> used_{};
};

}  // namespace

std::vector<SharedStep> shared_steps(Stmt body) {
  bool shares = false;
  for_each_stmt(body, [&](Stmt s) { shares |= s->kind == StmtKind::kAlloc && is_shared(s->buffer); });
  return shares ? StepMaker().steps(body) : std::vector<SharedStep>{};
}

std::array<bool, 3> used_blocks(const Launch& launch, const std::vector<SharedStep>& steps) {
  BlockUse blocks(launch);
  blocks.note(steps);
  return blocks.used();
}

}  // namespace hone::ir
