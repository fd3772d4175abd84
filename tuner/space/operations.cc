#include "tuner/space/operations.h"

#include <algorithm>

#include "codegen/arith/affine.h"
#include "codegen/ir/mutator.h"
#include "codegen/lower/vector_form.h"

namespace hone::tuner {

namespace {

using ir::ExprKind;

class Counter {
 public:
  explicit Counter(const std::vector<ir::Var>& lanes) : lanes_(lanes) {}

  // alone: for a lane, of what is done lane by lane.
  void add(ir::Expr e, bool alone) {
    if (!e || !(alone && differs(e) ? alone_ : together_).insert(e)) return;
    if (e->kind == ExprKind::kLoad) return add_load(e, alone);
    const bool each = differs(e) && (alone || !lower::has_vector_form(e));
    for (ir::Expr arg : e->args) add(arg, each);
    if (e->args.empty()) return;
    count.joined += each && !alone ? 1 : 0;
    (each ? count.by_lane : ir::is_float(e->type.dtype) ? count.floats : count.wholes) += 1;
  }

  Operations count;

 private:
  bool differs(ir::Expr e) {
    if (const bool* known = differs_.find(e)) return *known;
    const auto differ = [this](ir::Expr part) { return part && differs(part); };
    const bool found = std::find(lanes_.begin(), lanes_.end(), e) != lanes_.end() || std::any_of(e->args.begin(), e->args.end(), differ) || differ(e->mask) || differ(e->other);
    differs_.insert(e, found);
    return found;
  }

  // One load for all lanes that lie side by side.
  bool lies_along(ir::Expr load) const {
    return !load->mask && std::any_of(load->args.begin(), load->args.end(), [this](ir::Expr index) {
      const arith::Affine affine = arith::to_affine(index);
      return std::any_of(lanes_.begin(), lanes_.end(), [&affine](ir::Var lane) { return affine.coefficient_of(lane) == 1; });
    });
  }

  void add_load(ir::Expr load, bool alone) {
    const bool each = differs(load) && (alone || !lies_along(load));
    (each ? count.loads_by_lane : count.loads) += 1;
    for (ir::Expr index : load->args) each ? add(index, true) : add_base(index);
    add(load->mask, each);
    add(load->other, each);
  }

  // What is left of the index of the first lane is the same for all.
  void add_base(ir::Expr index) {
    ir::for_each_node(index, together_, [this](ir::Expr e) {
      if (!e->args.empty()) (e->kind == ExprKind::kLoad ? count.loads : count.wholes) += 1;
    });
  }

  const std::vector<ir::Var>& lanes_;
  ir::NodeMap<bool> differs_;
  ir::NodeSet alone_, together_;
};

}  // namespace

Operations operations_of(const std::vector<ir::Expr>& values, const std::vector<ir::Var>& lanes) {
  Counter counter(lanes);
  for (ir::Expr value : values) counter.add(value, false);
  return counter.count;
}

}  // namespace hone::tuner
