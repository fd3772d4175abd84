#include "codegen/te/builder.h"

#include <algorithm>
#include <limits>

#include "base/cat.h"
#include "base/fresh_name.h"
#include "codegen/ir/mutator.h"

namespace hone::te {

Builder::Builder() { program_.arena = std::make_shared<ir::Arena>(); }

std::string Builder::unique_name(std::string_view wanted) const {
  auto taken = [&](const std::string& name) {
    for (Tensor t : program_.inputs)
      if (t->name == name) return true;
    for (const Compute& c : program_.computes)
      for (Tensor t : c.outputs)
        if (t->name == name) return true;
    return false;
  };
  return fresh_name(std::string(wanted), "", 2, taken);
}

Tensor Builder::input(std::string_view name, DType dtype, Shape shape, bool constant) {
  Tensor tensor = program_.arena->buffer(unique_name(name), dtype, std::move(shape), ir::Scope::kArg);
  program_.inputs.push_back(tensor);
  if (constant) constants_.insert(tensor);
  return tensor;
}

void Builder::output(Tensor tensor) {
  // The definition wrote a tensor before anyone knew that it leaves the program; an output lives in the caller's memory.
  const_cast<ir::BufferNode*>(tensor)->scope = ir::Scope::kArg;
  program_.outputs.push_back(tensor);
}

Axis Builder::axis(std::string_view name, int64_t extent) {
  return {std::string(name), extent, program_.arena->var(std::string(name), ir::kIndexType, extent)};
}

std::vector<Axis> Builder::axes(const std::vector<std::string>& names, const Shape& shape) {
  std::vector<Axis> out;
  for (size_t i = 0; i < shape.size(); i++) out.push_back(axis(i < names.size() ? names[i] : cat("d", i), shape[i]));
  return out;
}

std::vector<Sym> Builder::syms(const std::vector<Axis>& axes) {
  std::vector<Sym> out;
  for (const Axis& a : axes) out.push_back(sym(a));
  return out;
}

Sym Builder::at(Tensor tensor, const std::vector<Sym>& indices) {
  CHECK(indices.size() == tensor->shape.size(), cat("load of ", tensor->name, " with ", indices.size(), " indices"));
  std::vector<Expr> exprs;
  for (const Sym& s : indices) exprs.push_back(s.expr);
  return {program_.arena.get(), program_.arena->load(tensor, std::move(exprs))};
}

Tensor Builder::new_tensor(const std::string& name, DType dtype, const std::vector<Axis>& axes) {
  Shape shape;
  for (const Axis& a : axes) shape.push_back(a.extent);
  return program_.arena->buffer(name, dtype, std::move(shape), ir::Scope::kScratch);
}

const std::vector<Tensor>& Builder::append(Compute compute) {
  const auto place = program_.computes.begin() + static_cast<std::ptrdiff_t>(place_++);
  return program_.computes.insert(place, std::move(compute))->outputs;
}

Tensor Builder::map(std::string_view name, std::vector<Axis> axes, Sym value) {
  Compute compute;
  compute.name = unique_name(name);
  compute.outputs = {new_tensor(compute.name, value.type().dtype, axes)};
  compute.axes = std::move(axes);
  compute.value = {value.expr};
  return append(std::move(compute))[0];
}

Tensor Builder::reduce(std::string_view name, std::vector<Axis> axes, std::vector<Axis> reduce_axes, Fold fold, Sym value,
                       const std::function<Sym(Sym)>& finish) {
  Reduce reduce{std::move(reduce_axes), combiner(fold, value.type().dtype)};
  std::vector<Expr> finished;
  if (finish) finished = {finish({program_.arena.get(), reduce.combiner.acc[0]}).expr};
  return reduce_tuple(name, std::move(axes), std::move(reduce), {value.expr}, std::move(finished))[0];
}

std::vector<Tensor> Builder::reduce_tuple(std::string_view name, std::vector<Axis> axes, Reduce reduce, std::vector<Expr> value,
                                          std::vector<Expr> finish) {
  Compute compute;
  compute.name = unique_name(name);
  const std::vector<Expr>& results = finish.empty() ? value : finish;
  for (size_t i = 0; i < results.size(); i++)
    compute.outputs.push_back(
        new_tensor(i == 0 ? compute.name : unique_name(cat(compute.name, ".", i)), results[i]->type.dtype, axes));
  compute.axes = std::move(axes);
  compute.value = std::move(value);
  compute.reduce = std::move(reduce);
  compute.finish = std::move(finish);
  return append(std::move(compute));
}

void Builder::offer(Tensor value, std::string name, double error, std::function<Tensor(Builder&)> define) {
  offers_.push_back({value, std::move(name), error, std::move(define)});
}

void Builder::keep_what_makes(Tensor tensor, size_t first) {
  std::unordered_set<Tensor> read{tensor};
  std::vector<Compute>& computes = program_.computes;
  const auto is_read = [&](const Compute& c) { return std::any_of(c.outputs.begin(), c.outputs.end(), [&](Tensor t) { return read.count(t) > 0; }); };
  for (size_t i = computes.size(); i-- > first;) {
    if (!is_read(computes[i])) {
      for (Tensor gone : computes[i].outputs) std::erase_if(offers_, [&](const Offer& offer) { return offer.value == gone; });
      computes.erase(computes.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    for (const auto* parts : {&computes[i].value, &computes[i].finish})
      for (Expr e : *parts) ir::for_each_node(e, [&](Expr node) { if (node->kind == ir::ExprKind::kLoad) read.insert(node->buffer); });
  }
  place_ = computes.size();
}

std::vector<Alternative> Builder::alternatives() const {
  std::vector<Alternative> all;
  for (const Offer& offer : offers_) all.push_back(with(offer));
  return all;
}

Alternative Builder::with(const Offer& offer) const {
  Builder b = *this;
  std::vector<Compute>& computes = b.program_.computes;
  const auto defines = [&](const Compute& c) { return c.outputs == std::vector<Tensor>{offer.value}; };
  const auto found = std::find_if(computes.begin(), computes.end(), defines);
  CHECK(found != computes.end(), cat("'", offer.name, "' is offered for a value that no Compute defines alone"));
  const std::string stage = found->name;
  b.place_ = static_cast<size_t>(found - computes.begin());
  computes.erase(found);
  const Tensor made = offer.define(b);
  Compute& last = computes[b.place_ - 1];
  CHECK(last.outputs == std::vector<Tensor>{made} && made->shape == offer.value->shape && made->dtype == offer.value->dtype,
        cat("'", offer.name, "' does not end with a value like '", stage, "'"));
  last.name = stage;
  last.outputs = {offer.value};
  return {offer.name, stage, b.take(), offer.error};
}

Combiner Builder::combiner(Fold fold, DType dtype) {
  ir::Arena& a = *program_.arena;
  const ir::Type type{dtype, 1};
  Combiner out;
  out.acc = {a.var("acc", type)};
  out.val = {a.var("val", type)};
  out.identity = {a.constant(type, fold_identity(fold, dtype))};
  const Expr acc = out.acc[0], val = out.val[0];
  switch (fold) {
    case Fold::kSum: out.combine = {a.add(acc, val)}; break;
    case Fold::kProduct: out.combine = {a.mul(acc, val)}; break;
    case Fold::kMax: out.combine = {a.max(acc, val)}; break;
    case Fold::kMin: out.combine = {a.min(acc, val)}; break;
    case Fold::kMaxOrdered: out.combine = {a.select(a.lt(acc, val), val, acc)}; break;
  }
  return out;
}

namespace {
double largest(DType dtype) {
  if (dtype == DType::kBool) return 1;
  if (ir::is_float(dtype)) return std::numeric_limits<double>::infinity();
  const int bits = ir::size_bits(dtype);
  if (bits == 64) return 9007199254740991.0;  // exact in a double, which carries constants
  return static_cast<double>((int64_t{1} << (ir::is_unsigned(dtype) ? bits : bits - 1)) - 1);
}
double lowest(DType dtype) {
  if (ir::is_unsigned(dtype) || dtype == DType::kBool) return 0;
  return ir::is_float(dtype) || dtype == DType::kI64 ? -largest(dtype) : -largest(dtype) - 1;
}
}  // namespace

double fold_identity(Fold fold, DType dtype) {
  switch (fold) {
    case Fold::kSum: return 0;
    case Fold::kProduct: return 1;
    case Fold::kMax:
    case Fold::kMaxOrdered: return lowest(dtype);
    case Fold::kMin: return largest(dtype);
  }
  return 0;
}

}  // namespace hone::te
