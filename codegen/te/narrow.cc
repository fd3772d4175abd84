#include "codegen/te/narrow.h"

#include <algorithm>

#include "codegen/ir/mutator.h"

namespace hone::te {

using ir::DType;
using ir::ExprKind;

DType narrow_type(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kF16:
    case DType::kBF16:
    case DType::kF8E4M3FN:
    case DType::kF8E4M3FNUZ:
    case DType::kF8E5M2:
    case DType::kF8E5M2FNUZ:
    case DType::kF8E8M0:
    case DType::kF4E2M1:
      return DType::kF32;
    case DType::kI8:
    case DType::kI16:
    case DType::kI64:
    case DType::kI4:
    case DType::kI2:
      return DType::kI32;
    case DType::kU8:
    case DType::kU16:
    case DType::kU64:
    case DType::kU4:
    case DType::kU2:
    case DType::kBool:
      return DType::kU32;
    case DType::kI32:
    case DType::kU32:
    case DType::kF32:
    case DType::kIndex:
      return dtype;
  }
  return dtype;
}

namespace {

// Whole numbers of 8 and 16 bits wrap at their own width, which those that store them would not.
bool is_small(DType dtype) { return ir::is_int(dtype) && ir::size_bytes(dtype) < 4; }
// Of a value: logic stays logic, and small numbers stay small.
DType narrow_value(DType dtype) {
  if (is_small(dtype) && ir::is_model_only(dtype)) return ir::is_unsigned(dtype) ? DType::kU8 : DType::kI8;
  return dtype == DType::kBool || is_small(dtype) ? dtype : narrow_type(dtype);
}
bool changes_when_stored(DType dtype) { return narrow_value(dtype) != narrow_type(dtype); }

class Narrow final : public ir::Mutator {
 public:
  Narrow(ir::Arena& arena, const NarrowTensors& tensors) : Mutator(arena), tensors_(tensors) {}

  // A value on its way into `tensor`.
  Expr stored(Expr value, Tensor tensor) {
    const Expr v = mutate(value);
    return changes_when_stored(tensor->dtype) ? arena_.cast({narrow_type(tensor->dtype), v->type.lanes}, v) : v;
  }

 protected:
  Expr expr(Expr e) override {
    const ir::Type type{narrow_value(e->type.dtype), e->type.lanes};
    switch (e->kind) {
      case ExprKind::kConst:
        return type == e->type ? e : constant(e, type);
      case ExprKind::kVar:
        return type == e->type ? e : arena_.var(e->name, type);
      case ExprKind::kCast:
        return arena_.cast(type, mutate(e->args[0]));
      case ExprKind::kLoad:
        return load(e);
      case ExprKind::kSelect:
        return is_small(e->type.dtype) ? small_select(rebuild(e)) : rebuild(e);
      default:
        return rebuild(e);
    }
  }

 private:
  // The padding of a stored tensor is chosen before the number is made small, so that a copy of the tensor holds it.
  Expr small_select(Expr e) {
    const Expr yes = e->args[1], no = e->args[2];
    const bool padded = e->kind == ExprKind::kSelect && yes->kind == ExprKind::kCast && yes->args[0]->kind == ExprKind::kLoad && ir::is_const(no);
    if (!padded) return e;
    const Expr stored = yes->args[0];
    return arena_.cast(e->type, arena_.select(e->args[0], stored, arena_.cast(stored->type, no)));
  }
  Expr constant(Expr e, ir::Type type) {
    if (ir::is_float(type.dtype)) return arena_.constant(type, e->fval);
    const bool is_signed = !ir::is_unsigned(type.dtype);
    const int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : int64_t{UINT32_MAX};
    return arena_.integer(type.dtype,
                          e->type.dtype == DType::kU64 && e->ival < 0 ? high : std::clamp(e->ival, low, high));
  }
  Expr load(Expr e) {
    const auto it = tensors_.find(e->buffer);
    if (it == tensors_.end()) return rebuild(e);
    std::vector<Expr> indices;
    for (Expr i : e->args) indices.push_back(mutate(i));
    const Expr value = arena_.load(it->second, std::move(indices));
    if (e->buffer->dtype != DType::kBool) return arena_.cast({narrow_value(e->type.dtype), e->type.lanes}, value);
    return arena_.logical_not(arena_.eq(value, arena_.integer(DType::kU32, 0)));
  }

  const NarrowTensors& tensors_;
};

bool is_narrow(const Program& p) {
  const auto narrow = [](Tensor t) { return narrow_type(t->dtype) == t->dtype; };
  for (const Compute& c : p.computes) {
    if (!std::all_of(c.outputs.begin(), c.outputs.end(), narrow)) return false;
    bool inside = true;
    const auto look = [&](Expr e) { inside = inside && narrow_value(e->type.dtype) == e->type.dtype; };
    for (Expr e : c.value) ir::for_each_node(e, look);
    for (Expr e : c.finish) ir::for_each_node(e, look);
    if (c.reduce)
      for (Var v : c.reduce->combiner.acc) look(v);
    if (!inside) return false;
  }
  return std::all_of(p.inputs.begin(), p.inputs.end(), narrow);
}

void narrow_compute(Narrow& narrow, Compute& c, const NarrowTensors& tensors) {
  const bool direct = c.finish.empty();  // values (of a Map, or accumulators) are what is stored
  if (c.reduce && direct)
    for (size_t i = 0; i < c.outputs.size(); i++) c.finish.push_back(c.reduce->combiner.acc[i]);
  for (size_t i = 0; i < c.value.size(); i++)
    c.value[i] = c.reduce ? narrow.mutate(c.value[i]) : narrow.stored(c.value[i], c.outputs[i]);
  for (size_t i = 0; i < c.finish.size(); i++) c.finish[i] = narrow.stored(c.finish[i], c.outputs[i]);
  if (c.reduce) {
    Combiner& k = c.reduce->combiner;
    for (auto* list : {&k.acc, &k.val, &k.identity, &k.combine})
      for (Expr& e : *list) e = narrow.mutate(e);
    if (direct && std::none_of(c.outputs.begin(), c.outputs.end(), [](Tensor t) { return changes_when_stored(t->dtype); }))
      c.finish.clear();
  }
  for (Tensor& t : c.outputs)
    if (const auto it = tensors.find(t); it != tensors.end()) t = it->second;
}

}  // namespace

Program narrow_types(Program program) {
  NarrowTensors tensors;
  return narrow_types(std::move(program), tensors);
}

Program narrow_types(Program program, NarrowTensors& tensors) {
  if (is_narrow(program)) return program;
  const auto replace = [&](Tensor t) {
    if (narrow_type(t->dtype) != t->dtype && !tensors.count(t))
      tensors[t] = program.arena->buffer(t->name, narrow_type(t->dtype), t->shape, t->scope, t->layout, t->lanes);
  };
  for (Tensor t : program.inputs) replace(t);
  for (const Compute& c : program.computes)
    for (Tensor t : c.outputs) replace(t);
  Narrow narrow(*program.arena, tensors);
  for (Compute& c : program.computes) narrow_compute(narrow, c, tensors);
  for (auto* list : {&program.inputs, &program.outputs})
    for (Tensor& t : *list)
      if (const auto it = tensors.find(t); it != tensors.end()) t = it->second;
  return program;
}

}  // namespace hone::te
