// Builder: makes a te::Program, one Compute after the other. Operators (te/ops) are functions that append Computes to a Builder.
// Names that are taken get a number (add, add2, …). One thread; the program owns the arena afterwards.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
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

  // constant: its contents are known ahead of every run.
  Tensor input(std::string_view name, DType dtype, Shape shape, bool constant = false);
  bool is_constant(Tensor tensor) const { return constants_.count(tensor) > 0; }
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

  // An operator offers a further form of `value`, the only result of a Compute that it has defined. `define` appends Computes to a builder in that
  // Compute's place and returns the last one's result, of the same shape and type. It runs when alternatives() is asked for.
  void offer(Tensor value, std::string name, double error, std::function<Tensor(Builder&)> define);
  // The program with each offered form, one at a time, in the place of the definition; what reads the value stays as it is. Asked for when the
  // program is complete, and before take().
  std::vector<Alternative> alternatives() const;

  // Of the Computes from `first` on only those that `tensor` follows from are left, and nothing is offered for others.
  void keep_what_makes(Tensor tensor, size_t first);

  const Program& program() const { return program_; }
  Program take() { return std::move(program_); }

 private:
  struct Offer {
    Tensor value = nullptr;
    std::string name;
    double error = 0;
    std::function<Tensor(Builder&)> define;
  };

  std::string unique_name(std::string_view wanted) const;
  Tensor new_tensor(const std::string& name, DType dtype, const std::vector<Axis>& axes);
  const std::vector<Tensor>& append(Compute compute);
  Alternative with(const Offer& offer) const;

  Program program_;
  size_t place_ = 0;  // where the next Compute comes: behind the last one, or where an offered form does
  std::unordered_set<Tensor> constants_;
  std::vector<Offer> offers_;
};

// The value that leaves the other operand of `fold` as it is.
double fold_identity(Fold fold, DType dtype);

}  // namespace hone::te
