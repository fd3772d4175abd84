#include "tests/kernel_mutants/mutations.h"

#include <algorithm>

#include "codegen/ir/mutator.h"

namespace hone::kernel_mutants {
namespace {

using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

bool is_index(Expr e) { return e->type.dtype == DType::kIndex; }
bool is_small(DType d) { return d == DType::kI8 || d == DType::kU8 || d == DType::kI16 || d == DType::kU16; }

DType other_sign(DType d) {
  switch (d) {
    case DType::kI8: return DType::kU8;
    case DType::kU8: return DType::kI8;
    case DType::kI16: return DType::kU16;
    default: return DType::kI16;
  }
}

// Of one launch.
class Sites {
 public:
  Sites(ir::Arena& arena, size_t launch, std::vector<Site>& out) : a_(arena), launch_(launch), out_(out) {}

  void visit(Stmt s) {
    at_ = s;
    switch (s->kind) {
      case StmtKind::kBarrier: add(Kind::kBarrierOut); break;
      case StmtKind::kFor:
        if (s->extent > 1) add(Kind::kEdgeOff);
        break;
      case StmtKind::kStore:
        if (s->buffer->scope == ir::Scope::kRegister && holds_no_load(s->value)) add(Kind::kStaleLane);
        break;
      default: break;
    }
    for (Expr index : s->indices) strides(index);
    if (s->value) ir::for_each_node(s->value, [&](Expr e) { visit(e); });
  }

 private:
  void add(Kind kind, Expr from = nullptr, Expr to = nullptr) { out_.push_back({kind, launch_, at_, from, to}); }

  static bool holds_no_load(Expr value) {
    while (value->kind == ExprKind::kBroadcast) value = value->args[0];
    return ir::is_const(value);
  }

  void visit(Expr e) {
    if (e->kind == ExprKind::kLoad)
      for (Expr index : e->args) strides(index);
    if (is_index(e)) return;
    switch (e->kind) {
      case ExprKind::kAdd: return add(Kind::kTermDropped, e, e->args[0]);
      case ExprKind::kMad: return add(Kind::kTermDropped, e, e->args[2]);
      case ExprKind::kMin:
      case ExprKind::kMax: return bound(e);
      case ExprKind::kLt: return edge(e);
      case ExprKind::kCast: return sign(e);
      case ExprKind::kExtract: return lane(e);
      case ExprKind::kCall: return product(e);
      default: return;
    }
  }

  void bound(Expr e) {
    for (size_t i = 0; i < 2; i++)
      if (ir::is_number(e->args[i]) && !ir::is_number(e->args[1 - i])) add(Kind::kUnsaturated, e, e->args[1 - i]);
  }

  void edge(Expr e) {
    const Expr n = e->args[1];
    if (!is_index(n) || !ir::is_const(n) || n->type.lanes != 1) return;
    add(Kind::kEdgeOff, e, a_.lt(e->args[0], a_.index(n->ival - 1)));
  }

  void sign(Expr e) {
    const ir::Type from = e->args[0]->type;
    if (!is_small(from.dtype) || e->type.dtype == DType::kBool || ir::size_bytes(e->type.dtype) <= ir::size_bytes(from.dtype)) return;
    add(Kind::kOtherSign, e, a_.cast(e->type, a_.cast({other_sign(from.dtype), from.lanes}, e->args[0])));
  }

  void product(Expr e) {
    if (e->intrinsic != ir::Intrinsic::kDot4) return;
    const ir::Type from = e->args[0]->type, to{other_sign(from.dtype), from.lanes};
    const Expr other = a_.call(ir::Intrinsic::kDot4, {a_.bitcast(to, e->args[0]), a_.bitcast(to, e->args[1])});
    add(Kind::kOtherSign, e, a_.cast(e->type, other));
  }

  void lane(Expr e) {
    if (e->args.size() != 1 || e->args[0]->type.lanes < 2) return;
    add(Kind::kStaleLane, e, a_.extract(e->args[0], (e->lane() + 1) % e->args[0]->type.lanes));
  }

  // i·a + j·b → i·b + j·a
  void strides(Expr index) {
    std::vector<Expr> products;
    ir::for_each_node(index, [&](Expr e) {
      if (e->kind == ExprKind::kMul && is_index(e) && ir::is_const(e->args[1])) products.push_back(e);
    });
    for (size_t i = 1; i < products.size(); i++) {
      const Expr x = products[i - 1], y = products[i];
      if (x->args[1] != y->args[1]) add(Kind::kStrideSwapped, x, a_.mul(x->args[0], y->args[1]));
    }
  }

  ir::Arena& a_;
  const size_t launch_;
  std::vector<Site>& out_;
  Stmt at_ = nullptr;
};

class ReplaceExpr final : public ir::Mutator {
 public:
  ReplaceExpr(ir::Arena& arena, Expr from, Expr to) : Mutator(arena), from_(from), to_(to) {}

 protected:
  Expr expr(Expr e) override { return e == from_ ? to_ : rebuild(e); }

 private:
  const Expr from_, to_;
};

class ReplaceStmt final : public ir::Mutator {
 public:
  ReplaceStmt(ir::Arena& arena, const Site& site) : Mutator(arena), site_(site) {}

 protected:
  Stmt stmt(Stmt s) override { return s == site_.at ? changed(s) : rebuild(s); }

 private:
  Stmt changed(Stmt s) {
    if (!site_.from) return s->kind == StmtKind::kFor ? arena_.loop(s->var, s->extent - 1, s->place, s->body[0]) : arena_.block({});
    ReplaceExpr replace(arena_, site_.from, site_.to);
    if (s->kind != StmtKind::kIf) return replace.mutate(s);
    return arena_.if_then(replace.mutate(s->value), s->body[0], s->body.size() > 1 ? s->body[1] : nullptr);
  }
  const Site& site_;
};

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[kKinds] = {"term dropped",  "edge off by one", "barrier left out", "signed for unsigned",
                                              "no saturation", "strides swapped", "stale lane"};
  return names[static_cast<size_t>(kind)];
}

std::vector<Site> sites_of(const ir::Kernel& kernel) {
  std::vector<Site> out;
  for (size_t i = 0; i < kernel.launches.size(); i++) {
    Sites sites(*kernel.arena, i, out);
    ir::for_each_stmt(kernel.launches[i].body, [&](Stmt s) { sites.visit(s); });
  }
  return out;
}

ir::Kernel mutated(const ir::Kernel& kernel, const Site& site) {
  ir::Kernel out = kernel;
  Stmt& body = out.launches[site.launch].body;
  body = ReplaceStmt(*kernel.arena, site).mutate(body);
  return out;
}

}  // namespace hone::kernel_mutants
