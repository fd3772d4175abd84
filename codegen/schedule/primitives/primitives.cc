#include "codegen/schedule/primitives/primitives.h"

#include <algorithm>

#include "base/cat.h"

namespace hone::schedule {

namespace {

// Of a stage that takes its terms in order only the other loops may change, and nothing is computed inside it.
Status check_order(Schedule& schedule, const Step& step) {
  using P = Primitive;
  static constexpr P kOfLoops[] = {P::kSplit, P::kFuse, P::kReorder, P::kBind, P::kUnroll, P::kVectorize, P::kLayout};
  const auto is_in_order = [&](const std::string& name) {
    const int position = schedule.find(name);
    return position >= 0 && schedule.stages()[static_cast<size_t>(position)].in_order();
  };
  const bool consumes = (step.primitive == P::kComputeAt || step.primitive == P::kCacheRead) && !step.names.empty() && is_in_order(step.names[0]);
  if (!consumes && !is_in_order(step.stage)) return ok_status();
  if (std::find(std::begin(kOfLoops), std::end(kOfLoops), step.primitive) == std::end(kOfLoops))
    return illegal(cat("stage '", consumes ? step.names[0] : step.stage, "' takes its terms in order; only its loops may change"));
  Stage& stage = schedule.stages()[static_cast<size_t>(schedule.find(step.stage))];
  if (step.primitive == P::kReorder || step.primitive == P::kLayout) return ok_status();
  for (const std::string& name : step.names) {
    const Loop* loop = stage.loop(name);
    if (loop && stage.is_scattered(*loop)) return illegal(cat("loop '", name, "' begins the elements that terms are put into; it stays as it is"));
    if (loop && loop->reduce && step.primitive == P::kBind) return illegal(cat("loop '", name, "' runs over terms, which are taken one after the other"));
  }
  return ok_status();
}

}  // namespace

Status apply_primitive(Schedule& schedule, const Step& step) {
  HONE_TRY(check_order(schedule, step));
  switch (step.primitive) {
    case Primitive::kSplit:
      return apply_split(schedule, step);
    case Primitive::kFuse:
      return apply_fuse(schedule, step);
    case Primitive::kReorder:
      return apply_reorder(schedule, step);
    case Primitive::kBind:
      return apply_bind(schedule, step);
    case Primitive::kUnroll:
      return apply_unroll(schedule, step);
    case Primitive::kVectorize:
      return apply_vectorize(schedule, step);
    case Primitive::kInline:
      return apply_inline(schedule, step);
    case Primitive::kComputeAt:
      return apply_compute_at(schedule, step);
    case Primitive::kCacheRead:
      return apply_cache_read(schedule, step);
    case Primitive::kCacheWrite:
      return apply_cache_write(schedule, step);
    case Primitive::kScope:
      return apply_scope(schedule, step);
    case Primitive::kLayout:
      return apply_layout(schedule, step);
    case Primitive::kPad:
      return apply_pad(schedule, step);
    case Primitive::kDoubleBuffer:
      return apply_double_buffer(schedule, step);
    case Primitive::kRfactor:
      return apply_rfactor(schedule, step);
    case Primitive::kPrecision:
      return apply_precision(schedule, step);
    case Primitive::kSample:
      return apply_sample(schedule, step);
    case Primitive::kVariant:
      return apply_variant(schedule, step);
    case Primitive::kSubgroup:
      return apply_subgroup(schedule, step);
    case Primitive::kScatter:
      return apply_scatter(schedule, step);
    case Primitive::kScan:
      return apply_scan(schedule, step);
  }
  return illegal("unknown primitive");
}

Result<int> stage_named(const Schedule& schedule, const std::string& name) {
  int position = schedule.find(name);
  if (position >= 0 && !schedule.stages()[position].inlined) return position;
  std::string known;
  for (const Stage& s : schedule.stages())
    if (!s.inlined) known += cat(known.empty() ? "" : ", ", s.name);
  return illegal(cat(position >= 0 ? "stage is inlined: '" : "no stage named '", name, "'; the stages are ", known));
}

Result<Loop*> loop_named(Stage& stage, const std::string& name) {
  if (Loop* loop = stage.loop(name)) return loop;
  std::string known;
  for (const Loop& l : stage.order) known += cat(known.empty() ? "" : ", ", l.name);
  return illegal(cat("stage '", stage.name, "' has no loop '", name, "'; its loops are ", known));
}

bool has_attached(const Schedule& schedule, int position, Var var) {
  for (const Stage& s : schedule.stages()) {
    if (s.inlined || s.root()) continue;
    for (const Box& box : s.boxes)
      if (ir::uses_var(box.base, var)) return true;
    if (s.consumer == position && s.at == var) return true;
  }
  return false;
}

bool is_untouched(const Stage& stage) {
  if (stage.stored_as || !stage.fused.empty() || !stage.root() || stage.order.size() != stage.axis_value.size())
    return false;
  for (size_t i = 0; i < stage.order.size(); i++)
    if (stage.order[i].place != Place::kSerial || stage.order[i].var != stage.axis_value[i]) return false;
  return true;
}

Result<int> stage_to_order(const Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  if (target::on_textures(schedule.target().kind)) return illegal("a fragment writes its own element alone; terms find no other on textures");
  if (is_untouched(schedule.stages()[static_cast<size_t>(position)]) && !has_children(schedule, position)) return position;
  return illegal(cat("stage '", step.stage, "' has been scheduled already; ", primitive_name(step.primitive), " comes first"));
}

bool has_children(const Schedule& schedule, int position) {
  for (const Stage& s : schedule.stages())
    if (!s.inlined && s.consumer == position) return true;
  return false;
}

void replace_loop_var(Schedule& schedule, int position, Var var, Expr by) {
  ir::VarMap map{{var, by}};
  Stage& stage = schedule.stages()[position];
  for (Expr& e : stage.axis_value) e = ir::substitute(schedule.arena(), e, map);
}

void rewrite_loads(Schedule& schedule, Stage& stage, const std::function<Expr(Expr)>& fn) {
  class Rewrite final : public ir::Mutator {
   public:
    Rewrite(ir::Arena& arena, const std::function<Expr(Expr)>& fn) : Mutator(arena), fn_(fn) {}
    Expr expr(Expr e) override {
      Expr rebuilt = rebuild(e);
      if (rebuilt->kind != ir::ExprKind::kLoad) return rebuilt;
      Expr out = fn_(rebuilt);
      return out ? out : rebuilt;
    }

   private:
    const std::function<Expr(Expr)>& fn_;
  } rewrite(schedule.arena(), fn);
  for (Expr& e : stage.compute.value) e = rewrite.mutate(e);
  for (Expr& e : stage.compute.finish) e = rewrite.mutate(e);
}

}  // namespace hone::schedule
