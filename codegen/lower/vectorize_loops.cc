#include <algorithm>

#include "codegen/arith/analyzer.h"
#include "codegen/lower/passes.h"
#include "codegen/lower/vector_form.h"
#include "codegen/schedule/packed_product.h"

namespace hone::lower {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;
using ir::Var;

namespace {

// One vectorize loop's body. Expressions that do not use the variable stay scalar until they meet one that does.
class Lanes {
 public:
  Lanes(ir::Arena& arena, arith::Analyzer& analyzer, Var var, int lanes)
      : a_(arena), analyzer_(analyzer), var_(var), lanes_(lanes) {}

  Stmt statement(Stmt s) {
    switch (s->kind) {
      case StmtKind::kBlock: {
        std::vector<Stmt> body;
        for (Stmt b : s->body) body.push_back(statement(b));
        return a_.block(std::move(body));
      }
      case StmtKind::kFor:
        return a_.loop(s->var, s->extent, s->place, statement(s->body[0]));
      case StmtKind::kIf:
        if (uses(s->value)) return lane_by_lane(s);
        return a_.if_then(s->value, statement(s->body[0]), s->body.size() > 1 ? statement(s->body[1]) : nullptr);
      case StmtKind::kStore:
        return store(s);
      case StmtKind::kLet:
        return let(s);
      case StmtKind::kAlloc:
      case StmtKind::kBarrier:
        return s;
    }
    return s;
  }

 private:
  // Remembered: what a let defines occurs behind it only, so that no answer changes.
  bool uses(Expr e) {
    if (!e) return false;
    if (const bool* known = uses_.find(e)) return *known;
    const auto is_used = [&](Expr n) { return uses(n); };
    const bool found = e == var_ || lets_.count(e) > 0 || std::any_of(e->args.begin(), e->args.end(), is_used) || uses(e->mask) || uses(e->other);
    uses_.insert(e, found);
    return found;
  }
  ir::VarMap lane_map(int lane) {
    ir::VarMap map{{var_, a_.index(lane)}};
    for (const auto& [narrow, wide] : lets_) map[narrow] = a_.extract(wide, lane);
    return map;
  }
  Expr at_lane(Expr e, int lane) { return e ? analyzer_.simplify(ir::substitute(a_, e, lane_map(lane))) : nullptr; }

  Stmt lane_by_lane(Stmt s) {
    std::vector<Stmt> out;
    for (int i = 0; i < lanes_; i++) out.push_back(analyzer_.simplify(ir::fresh_copy(a_, s, lane_map(i))));
    return a_.block(std::move(out));
  }

  // A value that differs from lane to lane is bound as a vector.
  Stmt let(Stmt s) {
    if (!uses(s->value)) return s;
    Expr value = wide(s->value);
    Var held = a_.var(s->var->name, value->type);
    lets_[s->var] = held;
    return a_.let(held, value);
  }

  // The index with a ramp in its innermost part; empty when the lanes do not lie side by side.
  std::vector<Expr> contiguous(std::vector<Expr> index) {
    arith::Affine affine = arith::to_affine(analyzer_.simplify(index.back()));
    if (affine.coefficient_of(var_) != 1) return {};
    affine.add(var_, -1);
    Expr base = arith::from_affine(a_, affine);
    index.back() = base;
    for (Expr part : index)
      if (uses(part)) return {};
    index.back() = a_.ramp(base, a_.index(1), lanes_);
    return index;
  }

  // A sum of packed products over the lanes, added to what is the same for all of them; null where s is none.
  Stmt packed_sum(Stmt s) {
    const auto varies = [&](Expr e) { return uses(e); };
    if (lanes_ != schedule::kPackedProducts || s->value->kind != ExprKind::kAdd || uses(s->mask)) return nullptr;
    if (std::any_of(s->indices.begin(), s->indices.end(), varies)) return nullptr;
    const Expr sum = s->value->args[0], product = s->value->args[1];
    if (uses(sum) || product->kind != ExprKind::kMul) return nullptr;
    const Expr a = schedule::widened_byte(product->args[0]), b = schedule::widened_byte(product->args[1]);
    if (!a || !b || a->type != b->type) return nullptr;
    const Expr x = wide(a), y = wide(b);
    const ir::DType summed = ir::is_unsigned(x->type.dtype) ? ir::DType::kU32 : ir::DType::kI32;
    return a_.store(s->buffer, s->indices, a_.add(sum, a_.cast(sum->type, a_.dot4({summed, 1}, x, y))), s->mask);
  }

  Stmt store(Stmt s) {
    if (const Stmt sum = packed_sum(s)) return sum;
    const std::vector<Expr> index = contiguous(s->indices);
    if (uses(s->mask) || index.empty()) return lane_by_lane(s);
    Expr value = wide(s->value);
    return a_.store(s->buffer, index, value, s->mask);
  }

  Expr wide(Expr e) {
    Expr v = vector(e);
    return v->type.lanes == lanes_ ? v : a_.broadcast(v, lanes_);
  }

  Expr gather(Expr e) {
    std::vector<Expr> parts;
    for (int i = 0; i < lanes_; i++) parts.push_back(at_lane(e, i));
    return a_.concat(std::move(parts));
  }

  // e as a vector, or as a scalar when it is the same in all lanes.
  Expr vector(Expr e) {
    if (!uses(e)) return e;
    if (const Expr* known = vectors_.find(e)) return *known;
    const Expr made = make_vector(e);
    vectors_.insert(e, made);
    return made;
  }

  Expr make_vector(Expr e) {
    if (e->kind == ExprKind::kLoad) return load(e);
    if (const auto held = lets_.find(e); held != lets_.end()) return held->second;
    if (e->intrinsic == ir::Intrinsic::kLaneRead && !uses(e->args[1])) return a_.lane_read(wide(e->args[0]), e->args[1], e->subgroup_size());
    if (e->intrinsic == ir::Intrinsic::kLaneRead || !has_vector_form(e)) return gather(e);
    if (e->kind == ExprKind::kCast) return a_.cast(e->type.with_lanes(lanes_), wide(e->args[0]));
    if (e->kind == ExprKind::kSelect) return a_.select(vector(e->args[0]), wide(e->args[1]), wide(e->args[2]));
    std::vector<Expr> args;
    for (Expr a : e->args) args.push_back(wide(a));
    return a_.with_args(e, std::move(args), nullptr, nullptr);
  }

  Expr load(Expr e) {
    const std::vector<Expr> index = contiguous(e->args);
    if (uses(e->mask) || index.empty()) return gather(e);
    Expr other = e->other ? wide(e->other) : nullptr;
    return a_.load(e->buffer, index, e->mask, other, e->any_value);
  }

  ir::Arena& a_;
  arith::Analyzer& analyzer_;
  Var var_;
  int lanes_;
  ir::VarMap lets_;  // scalars of one lane → the vector of all
  ir::NodeMap<bool> uses_;
  ir::NodeMap<Expr> vectors_;
};

class Vectorize final : public ir::Mutator {
 public:
  explicit Vectorize(ir::Arena& arena) : Mutator(arena), analyzer_(arena) {}

 protected:
  Stmt stmt(Stmt s) override {
    Stmt r = rebuild(s);
    if (r->kind != StmtKind::kFor || r->place != ir::Place::kVectorize) return r;
    return Lanes(arena_, analyzer_, r->var, static_cast<int>(r->extent)).statement(r->body[0]);
  }

 private:
  arith::Analyzer analyzer_;
};

}  // namespace

Result<ir::Kernel> vectorize_loops(const ir::Kernel& kernel) {
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches) launch.body = Vectorize(*kernel.arena).mutate(launch.body);
  return out;
}

}  // namespace hone::lower
