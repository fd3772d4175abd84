#include "codegen/te/beside.h"

#include "base/cat.h"
#include "codegen/ir/mutator.h"

namespace hone::te {
namespace {

class Renewal {
 public:
  explicit Renewal(Builder& b) : b_(b), arena_(*b.program().arena) {}
  Expr of(Expr e) { return ir::substitute(arena_, e, map_); }

  std::vector<Axis> of(const std::vector<Axis>& axes) {
    std::vector<Axis> out;
    for (const Axis& axis : axes) {
      out.push_back(b_.axis(axis.name, axis.extent));
      map_[axis.var] = out.back().var;
    }
    return out;
  }

  Combiner of(const Combiner& combiner) {
    Combiner out = combiner;
    for (auto* vars : {&out.acc, &out.val})
      for (Var& var : *vars) {
        const Var old = var;
        map_[old] = var = arena_.var(old->name, old->type);
      }
    for (Expr& e : out.combine) e = of(e);
    return out;
  }

 private:
  Builder& b_;
  ir::Arena& arena_;
  ir::VarMap map_;
};

// Over all places of the axes.
Tensor any_of(Builder& b, const std::string& name, std::vector<Axis> axes, Expr failed) {
  const Sym set{b.program().arena.get(), flag(*b.program().arena, failed)};
  const std::vector<Axis> one = b.axes({"any"}, {1});
  return axes.empty() ? b.map(name, one, set) : b.reduce(name, one, std::move(axes), Fold::kMax, set);
}

Tensor of_every_place(Builder& b, const Compute& compute, const Beside& beside) {
  Renewal renewed(b);
  std::vector<Axis> axes = renewed.of(compute.axes);
  if (compute.reduce)
    for (Axis& axis : renewed.of(compute.reduce->axes)) axes.push_back(std::move(axis));
  return any_of(b, cat(compute.name, "_leaves"), std::move(axes), renewed.of(beside.failed));
}

}  // namespace

Expr flag(ir::Arena& arena, Expr condition) { return arena.select(condition, arena.integer(DType::kI32, 1), arena.integer(DType::kI32, 0)); }

Tensor append_beside(Builder& b, const Compute& compute, const Beside& beside) {
  if (!beside.reduce) return of_every_place(b, compute, beside);
  ir::Arena& arena = *b.program().arena;
  Renewal renewed(b), again(b);
  std::vector<Axis> axes = renewed.of(compute.axes), all = again.of(compute.axes);
  Reduce reduce{renewed.of(beside.reduce->axes), renewed.of(beside.reduce->combiner)};
  std::vector<Expr> value;
  for (Expr e : beside.value) value.push_back(renewed.of(e));
  const Expr finish = flag(arena, renewed.of(beside.failed));
  const Tensor each = b.reduce_tuple(cat(compute.name, "_sums"), std::move(axes), std::move(reduce), std::move(value), {finish})[0];
  const Expr set = arena.lt(arena.integer(DType::kI32, 0), b.at(each, b.syms(all)).expr);
  return any_of(b, cat(compute.name, "_leaves"), std::move(all), set);
}

}  // namespace hone::te
