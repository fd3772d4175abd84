// Builder: makes a te::Program, one Compute after the other. Operators (te/ops) are functions that append Computes to a Builder.
// Names that are taken get a number (add, add2, …). One thread; the program owns the arena afterwards.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/te/program.h"
#include "codegen/te/sym.h"

namespace hone::te {

using ir::DType;
using ir::Shape;

// The reductions every target knows; others give their Combiner. kMax and kMin pass a NaN on. kMaxOrdered may lose it, and is cheaper: for
// results that what reads them makes NaN anyway.
enum class Fold : uint8_t { kSum, kProduct, kMax, kMin, kMaxOrdered };

class Builder {
 public:
  Builder();

  Tensor input(std::string_view name, DType dtype, Shape shape);
  void output(Tensor tensor);

  Axis axis(std::string_view name, int64_t extent);
  // One axis per extent; names[i] names the i-th, further ones are called d<i>.
  std::vector<Axis> axes(const std::vector<std::string>& names, const Shape& shape);
  Sym sym(const Axis& axis) { return {program_.arena.get(), axis.var}; }
  std::vector<Sym> syms(const std::vector<Axis>& axes);
  Sym index(int64_t value) { return {program_.arena.get(), program_.arena->index(value)}; }
  Sym constant(DType dtype, double value) { return {program_.arena.get(), program_.arena->constant({dtype, 1}, value)}; }
  Sym at(Tensor tensor, const std::vector<Sym>& indices);

  // out[axes] = value
  Tensor map(std::string_view name, std::vector<Axis> axes, Sym value);
  // out[axes] = finish(fold of value over reduce_axes); finish may be empty. The accumulator has the type of `value`.
  Tensor reduce(std::string_view name, std::vector<Axis> axes, std::vector<Axis> reduce_axes, Fold fold, Sym value,
                const std::function<Sym(Sym)>& finish = nullptr);
  // The general form, for tuples: one output per entry of finish (or per component when finish is empty).
  std::vector<Tensor> reduce_tuple(std::string_view name, std::vector<Axis> axes, Reduce reduce, std::vector<Expr> value,
                                   std::vector<Expr> finish);
  Combiner combiner(Fold fold, DType dtype);

  const Program& program() const { return program_; }
  Program take() { return std::move(program_); }

 private:
  std::string unique_name(std::string_view wanted) const;
  Tensor new_tensor(const std::string& name, DType dtype, const std::vector<Axis>& axes);

  Program program_;
};

// The value that leaves the other operand of `fold` as it is.
double fold_identity(Fold fold, DType dtype);

}  // namespace hone::te
