#include "codegen/lower/move_steps.h"

#include <algorithm>

#include "codegen/ir/mutator.h"

namespace hone::lower {

namespace {

using ir::Expr;
using ir::ExprKind;

bool is_step(Expr e) {
  if (e->kind != ExprKind::kCall || !ir::is_float(e->type.dtype)) return false;
  return e->intrinsic == ir::Intrinsic::kFloor || e->intrinsic == ir::Intrinsic::kCeil ||
         e->intrinsic == ir::Intrinsic::kRound || e->intrinsic == ir::Intrinsic::kTrunc;
}

// Known without a rounding: what an input holds, a constant, a whole number as a float.
class Exact {
 public:
  explicit Exact(const ir::Kernel& kernel) : kernel_(kernel) {}
  bool operator()(Expr e) const {
    switch (e->kind) {
      case ExprKind::kConst: return true;
      case ExprKind::kLoad: return is_input(e->buffer);
      case ExprKind::kCast: return !ir::is_float(e->args[0]->type.dtype) || (*this)(e->args[0]);
      case ExprKind::kCall: return is_step(e);
      default: return false;
    }
  }

 private:
  bool is_input(ir::Buffer buffer) const {
    const auto end = kernel_.args.begin() + kernel_.input_count;
    return std::find(kernel_.args.begin(), end, buffer) != end;
  }
  const ir::Kernel& kernel_;
};

class MoveSteps : public ir::Mutator {
 public:
  MoveSteps(ir::Arena& arena, const ir::Kernel& kernel, double by) : Mutator(arena), exact_(kernel), by_(by) {}
  bool found() const { return found_; }

 protected:
  Expr expr(Expr e) override {
    if (!is_step(e) || exact_(e->args[0])) return rebuild(e);
    found_ = true;
    const Expr argument = mutate(e->args[0]);
    return arena_.call(e->intrinsic, {arena_.add(argument, arena_.constant(argument->type, by_))});
  }

 private:
  const Exact exact_;
  const double by_;
  bool found_ = false;
};

}  // namespace

bool has_steps(const ir::Kernel& kernel) {
  MoveSteps steps(*kernel.arena, kernel, 0);
  for (const ir::Launch& launch : kernel.launches) steps.mutate(launch.body);
  return steps.found();
}

ir::Kernel with_steps_moved(const ir::Kernel& kernel, double by) {
  MoveSteps steps(*kernel.arena, kernel, by);
  ir::Kernel moved = kernel;
  for (ir::Launch& launch : moved.launches) launch.body = steps.mutate(launch.body);
  return moved;
}

}  // namespace hone::lower
