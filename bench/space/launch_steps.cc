#include "bench/space/launch_steps.h"

#include <algorithm>

#include "codegen/ir/node_map.h"

namespace hone::bench {

namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

// WebGPU clamps each index to its buffer, and an address is made of it.
constexpr double kIntegersPerAccess = 2;
constexpr double kIntegersPerIteration = 2;  // count and compare
// By a constant that is no power of two: the high half of a product, two sums and a shift (Granlund and Montgomery 1994).
constexpr double kDivisionByConstant = 4, kDivision = 16;

bool is_whole_number(Expr e) { return !ir::is_float(e->type.dtype); }

double division_cost(Expr divisor) {
  if (!ir::is_const(divisor)) return kDivision;
  return divisor->ival > 0 && (divisor->ival & (divisor->ival - 1)) == 0 ? 1 : kDivisionByConstant;
}

// Special operations and others that a call stands for.
Operations cost_of_call(Expr e) {
  switch (e->intrinsic) {
    case ir::Intrinsic::kExp:
    case ir::Intrinsic::kLog:
      return {.products = 1, .specials = 1};
    case ir::Intrinsic::kTanh:
      return {.products = 4, .specials = 2};
    case ir::Intrinsic::kErf:
      return {.products = 10, .specials = 2};
    case ir::Intrinsic::kPow:
      return {.products = 1, .specials = 2};
    case ir::Intrinsic::kFloor:
    case ir::Intrinsic::kCeil:
    case ir::Intrinsic::kRound:
    case ir::Intrinsic::kAbs:
    case ir::Intrinsic::kTrunc:
      return {.products = 1};
    case ir::Intrinsic::kDot4:
      return {.integers = 1};
    case ir::Intrinsic::kLaneXor:
    case ir::Intrinsic::kLaneRead:
      return {.exchanges = 1};
    default:
      return {.specials = 1};
  }
}

// Of one lane.
Operations cost_of_lane(Expr e) {
  switch (e->kind) {
    case ExprKind::kConst:
    case ExprKind::kVar:
    case ExprKind::kBitcast:
    case ExprKind::kBroadcast:
    case ExprKind::kRamp:
    case ExprKind::kExtract:
    case ExprKind::kShuffle:
    case ExprKind::kLoad:
      return {};
    case ExprKind::kCall:
      return cost_of_call(e);
    case ExprKind::kDiv:
    case ExprKind::kMod:
      if (is_whole_number(e)) return {.integers = division_cost(e->args[1])};
      return {.products = 2, .specials = 1};
    default: {
      const bool whole = is_whole_number(e->args.empty() ? e : e->args.back());
      return whole ? Operations{.integers = 1} : Operations{.products = 1};
    }
  }
}

Operations cost_of(Expr e) {
  Operations cost = cost_of_lane(e);
  const double lanes = e->type.lanes;
  cost.products *= lanes;
  cost.integers *= lanes;
  cost.specials *= lanes;
  cost.exchanges *= lanes;
  return cost;
}

bool is_private(ir::Buffer buffer) { return buffer->scope == ir::Scope::kRegister; }

// A register array with an index that is computed lies in memory.
bool is_in_registers(ir::Buffer buffer, Expr index) { return is_private(buffer) && ir::is_const(index); }

// Appends what follows to the last piece, where that is straight code.
class StepReader {
 public:
  std::vector<LaunchStep> read(Stmt s) {
    std::vector<LaunchStep> out;
    ir::NodeSet known;
    append(s, out, known);
    return out;
  }

 private:
  void append(Stmt s, std::vector<LaunchStep>& out, ir::NodeSet& known) {
    if (!s) return;
    switch (s->kind) {
      case StmtKind::kBlock:
        for (Stmt child : s->body) append(child, out, known);
        return;
      case StmtKind::kFor:
        out.push_back({.kind = StepKind::kLoop, .source = s, .body = read(s->body[0])});
        straight(out.back().body).operations.integers += kIntegersPerIteration;
        return;
      case StmtKind::kIf:
        out.push_back({.kind = StepKind::kCondition, .source = s});
        note(s->value, out.back(), known);
        out.back().body = read(s->body[0]);
        if (s->body.size() > 1) out.back().otherwise = read(s->body[1]);
        return;
      case StmtKind::kBarrier:
        out.push_back({.kind = StepKind::kBarrier});
        return;
      case StmtKind::kAlloc:
        return;
      default:
        note_statement(s, straight(out), known);
    }
  }

  static LaunchStep& straight(std::vector<LaunchStep>& steps) {
    if (steps.empty() || steps.back().kind != StepKind::kStraight) steps.emplace_back();
    return steps.back();
  }

  void note_statement(Stmt s, LaunchStep& step, ir::NodeSet& known) {
    note(s->value, step, known);
    note(s->mask, step, known);
    for (Expr index : s->indices) note(index, step, known);
    if (s->buffer) note_access({s->buffer, s->indices[0], s->mask, true}, step);
  }

  void note(Expr e, LaunchStep& step, ir::NodeSet& known) {
    ir::NodeMap<bool> fixed;
    visit(e, step, known, fixed);
  }

  // Does e have one value in this piece of code?
  bool visit(Expr e, LaunchStep& step, ir::NodeSet& known, ir::NodeMap<bool>& fixed) {
    if (!e) return true;
    if (const bool* found = fixed.find(e)) return *found;
    bool is_fixed = true;
    for (Expr child : e->args) is_fixed &= visit(child, step, known, fixed);
    is_fixed &= visit(e->mask, step, known, fixed);
    is_fixed &= visit(e->other, step, known, fixed);
    if (e->kind == ExprKind::kLoad) is_fixed &= e->buffer->scope == ir::Scope::kArg;
    fixed.insert(e, is_fixed);
    if (is_fixed && !known.insert(e)) return true;
    step.operations += cost_of(e);
    if (e->kind == ExprKind::kLoad) note_access({e->buffer, e->args[0], e->mask, false}, step);
    return is_fixed;
  }

  static void note_access(const MemoryAccess& access, LaunchStep& step) {
    if (is_in_registers(access.buffer, access.index)) return;
    step.operations.integers += kIntegersPerAccess;
    step.operations.accesses += access.index->type.lanes;
    step.accesses.push_back(access);
  }
};

}  // namespace

Operations& Operations::operator+=(const Operations& other) {
  products += other.products;
  integers += other.integers;
  specials += other.specials;
  exchanges += other.exchanges;
  accesses += other.accesses;
  return *this;
}

std::vector<LaunchStep> launch_steps(Stmt body) { return StepReader().read(body); }

}  // namespace hone::bench
