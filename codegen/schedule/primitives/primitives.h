// The primitives of codegen.md §1, one file each. Each checks that it is legal, then changes the schedule; a refusal is illegal_schedule
// with what was found and what would be legal.
#pragma once
#include "codegen/schedule/illegal.h"
#include "codegen/schedule/schedule.h"

namespace hone::schedule {

Status apply_primitive(Schedule& schedule, const Step& step);

Status apply_split(Schedule&, const Step&);
Status apply_fuse(Schedule&, const Step&);
Status apply_reorder(Schedule&, const Step&);
Status apply_bind(Schedule&, const Step&);
Status apply_unroll(Schedule&, const Step&);
Status apply_vectorize(Schedule&, const Step&);
Status apply_inline(Schedule&, const Step&);
Status apply_compute_at(Schedule&, const Step&);
Status apply_cache_read(Schedule&, const Step&);
Status apply_cache_write(Schedule&, const Step&);
Status apply_scope(Schedule&, const Step&);
Status apply_layout(Schedule&, const Step&);
Status apply_pad(Schedule&, const Step&);
Status apply_double_buffer(Schedule&, const Step&);
Status apply_rfactor(Schedule&, const Step&);
Status apply_precision(Schedule& schedule, const Step& step);
Status apply_sample(Schedule&, const Step&);
Status apply_subgroup(Schedule& schedule, const Step& step);
Status apply_variant(Schedule&, const Step&);
Status apply_scatter(Schedule&, const Step&);
Status apply_scan(Schedule&, const Step&);
Status check_loads_ahead(const Schedule&);

// Shared checks.
Result<int> stage_named(const Schedule& schedule, const std::string& name);  // existing, not inlined
Result<Loop*> loop_named(Stage& stage, const std::string& name);
// Is a stage computed inside loop `var` of stage `position`, or below it? Such a loop can no longer be split, fused or bound.
bool has_attached(const Schedule& schedule, int position, Var var);
// Has the stage nothing but one serial loop per axis, in the order of the axes?
bool is_untouched(const Stage& stage);
// The position of the stage whose terms a step takes in order: a root of which nothing else is scheduled, on a target whose threads may write any element.
Result<int> stage_to_order(const Schedule& schedule, const Step& step);
// Is any stage computed inside this one?
bool has_children(const Schedule& schedule, int position);
// Replaces a loop variable in the stage and in everything attached beneath it.
void replace_loop_var(Schedule& schedule, int position, Var var, Expr by);
// Makes the whole axes `axes` of the compute one axis (row-major over them) named `name`; store indices and bodies follow.
void fuse_axes(Schedule& schedule, Stage& stage, const std::vector<size_t>& axes, const std::string& name);
// Every load of the stage's body, with `fn(load)` (null = keep) applied.
void rewrite_loads(Schedule& schedule, Stage& stage, const std::function<Expr(Expr load)>& fn);

}  // namespace hone::schedule
