// Between which numbers the values of a program lie, Compute by Compute. Whole numbers of 64 bits are those of mathematics until they are stored, or used by
// what is no sum or product (settled): there they are what devices hold of them, since what leaves that is told (overflow.h). Smaller ones wrap.
#pragma once
#include <unordered_map>

#include "codegen/te/interval.h"
#include "codegen/te/program.h"

namespace hone::te {

// How many places axes have together.
double places_of(const std::vector<Axis>& axes);
// How the component of a combiner joins: kAdd or kMul where that is all that it does with what it has and what comes; else kConst.
ir::ExprKind joins_by(const Combiner& combiner, size_t component);

class Intervals {
 public:
  // What is known of an input of the program; all that its type holds where nothing is said.
  void learn(Tensor tensor, Interval interval) { tensors_[tensor] = interval; }

  // Follows the Compute, whose inputs have been followed. Until the next one is, of() answers for its expressions, those of its combiner left out.
  void follow(const Compute& compute);

  Interval of(Expr e);
  Interval of(Tensor tensor) const;
  // What a device has of it at most. A constant beyond that stays what it is.
  Interval settled(Expr e) { return is_wide(e->type.dtype) && !ir::is_const(e) ? common(of(e), device_range(e->type.dtype)) : of(e); }

 private:
  Interval compute(Expr e);
  Interval cast(Expr e);
  Interval variable(Expr e) const;
  Interval operation(Expr e);
  Interval fitting(Expr e, const Interval& interval) const;
  Interval accumulated(const Compute& compute, size_t component, double count);
  Interval chosen(const Combiner& combiner, size_t component, const Interval& value);
  void accumulate(const Compute& compute);

  std::unordered_map<Tensor, Interval> tensors_;
  std::unordered_map<Expr, Interval> known_, variables_;
};

}  // namespace hone::te
