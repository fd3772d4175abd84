// precision s f16: what the stage computed is kept in half the bytes and widened where it is read; all arithmetic stays f32.
// precision t f16: so is a constant, which the caller rounds ahead of time.
// precision s f16, s a sum in registers: its accumulator, operands and arithmetic are of f16, where the task bears the error of so many terms.
// precision s i8, s u8: what the stage computed is kept in a quarter of the bytes, for products of packed numbers; nothing is lost.
// Refused: where the target has no f16 or no such products, where the task's accuracy does not bear the rounding, where a reader of a number
// kept in 8 bits looks at more of them, and where sums would accumulate in 8 bits. Outputs and activations are the caller's.
#include <algorithm>

#include "base/cat.h"
#include "codegen/ir/mutator.h"
#include "codegen/schedule/half_sum.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {

namespace {

bool is_load_of(Expr e, Buffer b) { return e && e->kind == ir::ExprKind::kLoad && e->buffer == b; }

// Is each load of b in e made a number of type `kept` at once?
bool keeps_only(Expr e, Buffer b, ir::DType kept) {
  bool all = !is_load_of(e, b);
  ir::for_each_node(e, [&](Expr n) {
    const bool narrows = n->kind == ir::ExprKind::kCast && n->type.dtype == kept;
    for (Expr a : n->args) all = all && (narrows || !is_load_of(a, b));
    all = all && !is_load_of(n->mask, b) && !is_load_of(n->other, b);
  });
  return all;
}

Status check_bytes(const Schedule& schedule, const Stage& stage, ir::DType kept) {
  if (!schedule.target().has_packed_products) return illegal("the target has no products of packed numbers");
  for (Buffer b : stage.compute.outputs)
    for (const Stage& reader : schedule.stages())
      for (const auto* list : {&reader.compute.value, &reader.compute.finish})
        for (Expr e : *list)
          if (!keeps_only(e, b, kept))
            return illegal(cat("stage '", reader.name, "' reads more of '", stage.name, "' than numbers of type ",
                               ir::dtype_name(kept)));
  return ok_status();
}

Status check_rounding(const Schedule& schedule) {
  if (!schedule.target().has_f16) return illegal("the target has no f16");
  if (!permits_f16(schedule.task().accuracy))
    return illegal(cat("the task owes an error of at most ", schedule.task().accuracy.tolerance(),
                       ", and f16 rounds by ", kF16Rounding, "; a tolerance of ", kF16ToleranceMin, " permits it"));
  return ok_status();
}

Status check_halves(const Schedule& schedule, const Stage& stage) {
  HONE_TRY(check_rounding(schedule));
  for (Buffer b : stage.compute.outputs)
    if (b->dtype != ir::DType::kF32)
      return illegal(cat("stage '", stage.name, "' computes ", ir::dtype_name(b->dtype), ", not f32"));
  return ok_status();
}

int64_t terms_of(const te::Reduce& reduce) {
  int64_t terms = 1;
  for (const te::Axis& axis : reduce.axes) terms *= axis.extent;
  return terms;
}

// What accumulates where it is stored.
Status check_half_sum(const Schedule& schedule, const Stage& stage) {
  if (!computes_halves(schedule.target()))
    return illegal(cat("target ", target::kind_name(schedule.target().kind), " has no arithmetic of f16"));
  const te::Compute& compute = stage.compute;
  if (stage.scope != ir::Scope::kRegister || stage.joining() || !compute.finish.empty() ||
      !is_sum(compute.reduce->combiner, ir::DType::kF32))
    return illegal(cat("stage '", stage.name, "' is not a plain sum in registers; nothing else accumulates in f16"));
  const int64_t terms = terms_of(*compute.reduce);
  const double error = half_sum_error(terms), owed = schedule.task().accuracy.tolerance();
  if (error <= owed) return ok_status();
  return illegal(cat("a sum of ", terms, " terms in f16 may be off by ", error,
                     ", and the task owes an error of at most ", owed, "; rfactor the reduction into shorter sums"));
}

// The position of the task's input of that name; -1 where there is none.
int input_named(const Schedule& schedule, const std::string& name) {
  const std::vector<te::Tensor>& inputs = schedule.program().inputs;
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](te::Tensor t) { return t->name == name; });
  return found == inputs.end() ? -1 : static_cast<int>(found - inputs.begin());
}

Status keep_constant(Schedule& schedule, size_t position, const std::string& option) {
  const te::Tensor tensor = schedule.program().inputs[position];
  const te::Arg& arg = schedule.task().args[position];
  if (option != "f16") return illegal(cat("a constant is kept as f16, found '", option, "'"));
  if (arg.role != te::Role::kConstant || !arg.free)
    return illegal(cat("argument '", tensor->name, "' is the caller's as it is; only constants may be narrow"));
  if (tensor->dtype != ir::DType::kF32)
    return illegal(cat("argument '", tensor->name, "' holds ", ir::dtype_name(tensor->dtype), ", not f32"));
  HONE_TRY(check_rounding(schedule));
  schedule.keep_as(tensor, ir::DType::kF16);
  return ok_status();
}

}  // namespace

Status apply_precision(Schedule& schedule, const Step& step) {
  if (const int input = input_named(schedule, step.stage); input >= 0)
    return keep_constant(schedule, static_cast<size_t>(input), step.option);
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[static_cast<size_t>(position)];
  ir::DType kept{};
  const bool bytes = step.option == "i8" || step.option == "u8";
  if ((!bytes && step.option != "f16") || !ir::parse_dtype(step.option, &kept))
    return illegal(cat("values are kept as f16, i8 or u8, found '", step.option, "'"));
  HONE_TRY(bytes ? check_bytes(schedule, stage, kept) : check_halves(schedule, stage));
  for (Buffer b : stage.compute.outputs)
    if (schedule.is_output(b)) return illegal(cat("stage '", stage.name, "' writes an output"));
  const bool accumulates = stage.compute.reduce && !stage.root();
  if (accumulates && bytes)
    return illegal(cat("stage '", stage.name, "' accumulates where it is stored; its sums do not fit 8 bits"));
  if (accumulates) HONE_TRY(check_half_sum(schedule, stage));
  stage.stored_as = kept;
  return ok_status();
}

bool permits_f16(const te::Accuracy& accuracy) { return accuracy.tolerance() >= kF16ToleranceMin; }

}  // namespace hone::schedule
