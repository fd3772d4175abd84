#include <unordered_map>

#include "codegen/arith/analyzer.h"
#include "codegen/lower/passes.h"

namespace hone::lower {

using ir::Buffer;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

namespace {

struct Use {
  int widest = 1;  // lanes of the widest aligned contiguous access
  bool narrow_store = false;
};

bool is_texture(Buffer b) { return b->shape.size() == 3; }

class Widths {
 public:
  explicit Widths(arith::Analyzer& analyzer) : analyzer_(analyzer) {}

  void visit(const ir::Kernel& kernel) {
    for (const ir::Launch& launch : kernel.launches)
      ir::for_each_stmt(launch.body, [&](Stmt s) {
        ir::NodeSet seen;
        auto load = [&](Expr e) {
          if (e->kind == ExprKind::kLoad) access(e->buffer, e->args.back(), false);
        };
        for (Expr i : s->indices) ir::for_each_node(i, seen, load);
        ir::for_each_node(s->value, seen, load);
        ir::for_each_node(s->mask, seen, load);
        if (s->kind == StmtKind::kStore) access(s->buffer, s->indices.back(), true);
      });
  }

  int width(Buffer b) const {
    if (is_texture(b)) return 4;
    auto it = uses_.find(b);
    if (it == uses_.end()) return 1;
    const Use& use = it->second;
    if (use.widest == 1 || b->shape[0] % use.widest != 0) return 1;
    // A store of a part of a shared element would race with the other parts' writers; registers belong to one thread, but a
    // variable of vector type is written whole as well.
    if (mixed_stores_.count(b)) return 1;
    const auto stored = store_lanes_.find(b);  // another launch may read wider vectors than were written
    return stored == store_lanes_.end() ? use.widest : std::min(use.widest, stored->second);
  }

 private:
  void access(Buffer b, Expr index, bool store) {
    Use& use = uses_[b];
    bool contiguous = index->kind == ExprKind::kRamp && ir::is_const_int(index->args[1], 1);
    int lanes = contiguous && analyzer_.multiple_of(index->args[0], index->type.lanes) ? index->type.lanes : 1;
    if (store) {
      auto [it, fresh] = store_lanes_.try_emplace(b, lanes);
      if (!fresh && it->second != lanes) mixed_stores_.insert(b);
      if (lanes == 1) mixed_stores_.insert(b);
    }
    use.widest = std::max(use.widest, lanes);
  }

  arith::Analyzer& analyzer_;
  std::unordered_map<Buffer, Use> uses_;
  std::unordered_map<Buffer, int> store_lanes_;
  std::unordered_set<Buffer> mixed_stores_;
};

class Rewrite final : public ir::Mutator {
 public:
  Rewrite(ir::Arena& arena, arith::Analyzer& analyzer, const Widths& widths)
      : Mutator(arena), analyzer_(analyzer), widths_(widths) {}

  Buffer planned(Buffer b) {
    auto [it, fresh] = planned_.try_emplace(b, nullptr);
    if (fresh) {
      int lanes = widths_.width(b);
      ir::Shape shape = b->shape;
      shape.back() /= lanes;
      it->second = lanes == b->lanes ? b : arena_.buffer(b->name, b->dtype, shape, b->scope, {}, lanes);
    }
    return it->second;
  }

  // Was a store of less than a texel met?
  bool failed() const { return failed_; }

 protected:
  Expr expr(Expr e) override {
    Expr r = rebuild(e);
    if (r->kind != ExprKind::kLoad) return r;
    Expr index = r->args.back();
    Buffer b = planned(e->buffer);
    if (index->type.lanes == 1) return scalar(b, index, r);
    bool whole = index->kind == ExprKind::kRamp && ir::is_const_int(index->args[1], 1) &&
                 index->type.lanes == b->lanes && analyzer_.multiple_of(index->args[0], b->lanes);
    if (whole) return arena_.load(b, at(r->args, element(index->args[0], b->lanes)), r->mask, r->other, r->any_value);
    std::vector<Expr> parts;
    for (int i = 0; i < index->type.lanes; i++) {
      Expr other = r->other ? arena_.extract(r->other, i) : nullptr;
      parts.push_back(scalar(b, analyzer_.simplify(arena_.extract(index, i)), r, other));
    }
    return arena_.concat(std::move(parts));
  }

  Stmt stmt(Stmt s) override {
    Stmt r = rebuild(s);
    if (r->kind == StmtKind::kAlloc) return arena_.alloc(planned(r->buffer));
    if (r->kind != StmtKind::kStore) return r;
    Buffer b = planned(s->buffer);
    Expr index = r->indices.back();
    if (is_texture(b) && !whole_texel(index)) failed_ = true;
    if (index->type.lanes == 1) return arena_.store(b, r->indices, r->value, r->mask);
    if (index->type.lanes == b->lanes)
      return arena_.store(b, at(r->indices, element(index->args[0], b->lanes)), r->value, r->mask);
    std::vector<Stmt> parts;
    for (int i = 0; i < index->type.lanes; i++)
      parts.push_back(arena_.store(b, at(r->indices, analyzer_.simplify(arena_.extract(index, i))),
                                   arena_.extract(r->value, i), r->mask));
    return arena_.block(std::move(parts));
  }

 private:
  bool whole_texel(Expr index) {
    return index->kind == ExprKind::kRamp && index->type.lanes == 4 && ir::is_const_int(index->args[1], 1) &&
           analyzer_.multiple_of(index->args[0], 4);
  }

  static std::vector<Expr> at(std::vector<Expr> index, Expr innermost) {
    index.back() = innermost;
    return index;
  }

  Expr element(Expr base, int lanes) { return analyzer_.simplify(arena_.div(base, arena_.index(lanes))); }

  Expr scalar(Buffer b, Expr index, Expr load, Expr other = nullptr) {
    if (!other) other = load->other && load->other->type.lanes == 1 ? load->other : nullptr;
    if (b->lanes == 1) return arena_.load(b, at(load->args, index), load->mask, other, load->any_value);
    Expr lane = analyzer_.simplify(arena_.mod(index, arena_.index(b->lanes)));
    Expr whole = arena_.load(b, at(load->args, element(index, b->lanes)), load->mask,
                             other ? arena_.broadcast(other, b->lanes) : nullptr, load->any_value);
    return arena_.extract_dynamic(whole, lane);
  }

  arith::Analyzer& analyzer_;
  const Widths& widths_;
  std::unordered_map<Buffer, Buffer> planned_;
  bool failed_ = false;
};

}  // namespace

Result<ir::Kernel> plan_vectors(const ir::Kernel& kernel) {
  arith::Analyzer analyzer(*kernel.arena);
  Widths widths(analyzer);
  widths.visit(kernel);
  Rewrite rewrite(*kernel.arena, analyzer, widths);
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches) launch.body = rewrite.mutate(launch.body);
  if (rewrite.failed())
    return Error{
        ErrorCode::kIllegalSchedule,
        "a fragment writes less than a texel; vectorise 4 numbers of a row, the first of which is a multiple of 4"};
  for (Buffer& b : out.args) b = rewrite.planned(b);
  for (Buffer& b : out.temps) b = rewrite.planned(b);
  return out;
}

}  // namespace hone::lower
