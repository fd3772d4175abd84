#include "tuner/space/space.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/packed_product.h"
#include "tuner/space/domains.h"
#include "tuner/space/fragments.h"
#include "tuner/space/gpu_time.h"
#include "tuner/space/serial_time.h"
#include "tuner/space/repair.h"
#include "tuner/space/rules.h"
#include "tuner/space/trace_builder.h"

namespace hone::tuner {

namespace {

constexpr int kRepairsMax = 8;
constexpr double kTimeMinUs = 1e-3;  // of what computes nothing, so that it can be compared: a clock of a GPU

target::Target with_largest_subgroups(target::Target target) {
  if (target.subgroup_size == 0 && !target.subgroup_sizes.empty()) target.subgroup_size = target.subgroup_sizes.back();
  return target;
}

}  // namespace

Space::Space(const te::Task& task, const target::Target& target, bool rows)
    : task_(&task),
      device_(target),
      target_(with_largest_subgroups(target)),
      side_by_side_(runs_side_by_side(target_)),
      sketch_(make_sketch(task, rows)),
      machine_(serial_machine(target_)),
      given_(&task) {
  for (const Group& group : sketch_.groups) work_.push_back(work_of(task, sketch_, group));
  for (const Producer& producer : sketch_.producers) producer_us_.push_back(time_of(producer));
}

Result<Space> Space::derive(const te::Task& task, const target::Target& target) {
  Space space(task, target, !target::on_textures(target.kind));
  space.add_decisions();
  space.add_algorithms();
  return space;
}

void Space::add(std::vector<Decision> decisions) {
  for (Decision& d : decisions) decisions_.push_back(std::move(d));
}

void Space::add_decisions() {
  for (size_t i = 0; i < sketch_.producers.size(); ++i)
    if (const Handle place{&Choices::launches, i}; sketch_.producers[i].choice) add({{place, word_of(place), {0, 1}, {"inline", "launch"}}});
  for (size_t i = 0; i < sketch_.groups.size(); ++i) {
    const size_t first = decisions_.size();
    add(decisions_of(view(i)));
    if (sketch_.groups[i].ahead && target::runs_ahead(target_.kind)) keep_usual(first);
  }
  if (name_.empty()) add(storage_decisions(*task_, target_, sketch_));  // a variant makes more of each rounding
  if (const Handle reads{&Choices::texel_reads}; target::on_textures(target_.kind)) add({{reads, word_of(reads), {0, 1}, {"sampler", "texel"}}});
  add(subgroup_decisions(device_, decisions_));
  own_ = decisions_.size();
}

// What runs once, ahead of all that is timed, is no choice: trials that differ in it alone would be the same trial.
void Space::keep_usual(size_t first) {
  own_ = decisions_.size();
  const Choices usual{.row_threads = 4, .lane_threads = 16, .lane_blocks = 16, .lanes = target_.lanes.back()};
  Assignment a(own_, 0);
  for (size_t i = first; i < own_; ++i)
    for (size_t v = 0; v < decisions_[i].values.size(); ++v)
      if (decisions_[i].values[v] <= usual.*decisions_[i].handle.choice) a[i] = static_cast<int>(v);
  repair(a);
  for (size_t i = first; i < own_; ++i) decisions_[i].values = {decisions_[i].values[static_cast<size_t>(a[i])]};
}

int64_t Space::value(const Assignment& a, const std::string& key, int64_t otherwise) const {
  for (size_t i = 0; i < decisions_.size(); ++i)
    if (decisions_[i].key == key) return decisions_[i].values[static_cast<size_t>(a[i])];
  return otherwise;
}

Choices Space::choices(const Assignment& a, size_t group) const {
  Assignment own = a;
  return OpenChoices(decisions_, own_, group, own).all();
}

bool Space::any_group(const Assignment& a, const std::function<bool(const Choices&)>& has) const {
  for (size_t i = 0; i < sketch_.groups.size(); ++i)
    if (has(choices(a, i))) return true;
  return false;
}

std::vector<bool> Space::launched(const Assignment& a) const {
  Assignment own = a;
  std::vector<bool> launched;
  for (size_t i = 0; i < sketch_.producers.size(); ++i) launched.push_back(OpenChoices(decisions_, own_, i, own)(&Choices::launches) != 0);
  return launched;
}

// As a launch of its own.
double Space::time_of(const Producer& producer) const {
  const GroupWork work = work_of(*task_, sketch_, producer.group);
  return group_time_us({*task_, target_, producer.group, work}, choices_of_producer(producer), std::vector<bool>(sketch_.producers.size(), true));
}

double Space::group_time_us(const GroupView& view, const Choices& choices, const std::vector<bool>& launched) const {
  return side_by_side_ ? gpu_time_us(view, choices) : serial_time_us(view, choices, machine_, launched);
}

Choices Space::choices_of_producer(const Producer& producer) const {
  const int64_t lanes = target::on_textures(target_.kind) ? 4 : vector_widths(extents_of(*task_, producer.group), target_).back();
  return {.lane_threads = 64, .lane_blocks = 64, .lanes = lanes};
}

// Each launch more costs, whatever it computes.
double Space::time_us(const Assignment& a) const {
  if (const Algorithm* chosen = other(a)) return chosen->space->time_us(part(a, *chosen));
  const std::vector<bool> own_launches = launched(a);
  double us = 0, launches = -1;
  for (size_t i = 0; i < sketch_.groups.size(); ++i) {
    if (sketch_.groups[i].ahead && target::runs_ahead(target_.kind)) continue;
    us += group_time_us(view(i), choices(a, i), own_launches);
    ++launches;
  }
  for (size_t i = 0; i < own_launches.size(); ++i)
    if (own_launches[i]) us += producer_us_[i], ++launches;
  return std::max(kTimeMinUs, us + std::max(0.0, launches) * target_.launch_us);
}

Result<schedule::Trace> Space::trace(const Assignment& a, std::string* reason) const {
  HONE_ASSIGN(scheduled, apply(a, reason));
  return std::move(scheduled.trace);
}

Result<Scheduled> Space::apply(const Assignment& a, std::string* reason) const {
  if (const Algorithm* chosen = other(a)) return chosen->space->apply(part(a, *chosen), reason);
  TraceBuilder t(*given_, device_);
  for (const schedule::Step& step : opening_) t.add(step);
  const Choices program = choices(a, 0);
  if (program.subgroup_size > 0 && any_group(a, exchanges)) t.add(schedule::subgroup(program.subgroup_size, "subgroup.size"));
  if (program.narrow_constants)
    for (const std::string& name : large_constants(*task_)) t.add(schedule::precision(name, "f16"));
  apply_producers(t, a);
  for (size_t i = 0; i < sketch_.groups.size() && t.ok(); ++i) apply_group(t, a, i);
  if (target::on_textures(target_.kind) && !program.texel_reads) sample_all(t);
  const int64_t operations = prune(t);
  if (reason) *reason = t.reason();
  if (!t.ok()) return t.status().error();
  return Scheduled{t.take(cat(sketch_.rules, ": ", text(a))), t.take_schedule(), operations};
}

void Space::apply_producers(TraceBuilder& t, const Assignment& a) const {
  Assignment own = a;
  for (size_t i = 0; i < sketch_.producers.size(); ++i) {
    const Producer& producer = sketch_.producers[i];
    const te::Compute& c = task_->program.computes[static_cast<size_t>(producer.group.root)];
    const OpenChoices choices(decisions_, own_, i, own);
    if (choices(&Choices::launches) == 0) {
      t.add(schedule::inline_stage(c.name));
      continue;
    }
    apply_nest(t, producer.group, choices_of_producer(producer));
    if (choices(&Choices::narrow) && c.outputs[0]->dtype == ir::DType::kF32) t.add(schedule::precision(c.name, "f16"));
  }
}

void Space::apply_group(TraceBuilder& t, const Assignment& a, size_t index) const {
  const GroupView v = view(index);
  Choices c = choices(a, index);
  if (c.half_steps) c.half_steps = half_steps(v);
  if (c.packed_products) c.k_lanes = schedule::kPackedProducts;
  if (c.in_order) return apply_terms(t, v.group, c);
  v.group.row ? apply_row(t, v.group, c) : apply_nest(t, v.group, c);
}

// Then the Maps behind them.
void Space::apply_terms(TraceBuilder& t, const Group& group, const Choices& choices) const {
  apply_ordered(t, group, choices);
  if (group.root == group.reduction) return;
  const Producer behind{.group = {.root = group.root, .between = group.between, .order = group.order, .lane_axis = group.lane_axis, .lane_axes = group.order}};
  apply_nest(t, behind.group, choices_of_producer(behind));
}

// Is there anything that could be kept as f16?
bool Space::keeps_copies(const Assignment& a) const {
  for (size_t i = 0; i < own_; ++i)
    if (decisions_[i].handle.choice == &Choices::launches && decisions_[i].values[static_cast<size_t>(a[i])] == 1) return true;
  return any_group(a, [](const Choices& c) { return c.slices > 1 || holds(c, Staging::kWorkgroup); });
}

// What one rule leaves may be too much for a rule before it.
void Space::repair(Assignment& a) const {
  for (int i = 0; i < kRepairsMax; ++i) {
    const Assignment before = a;
    repair_once(a);
    if (a == before) return;
  }
}

void Space::repair_once(Assignment& a) const {
  clear_others(a);
  if (const Algorithm* chosen = other(a)) {
    Assignment repaired = part(a, *chosen);
    chosen->space->repair(repaired);
    a = whole(*chosen, repaired);
    return;
  }
  OpenChoices program(decisions_, own_, 0, a);
  if (!keeps_copies(a)) program.lower(&Choices::narrow);
  if (!any_group(a, exchanges))
    while (program.lower(&Choices::subgroup_size)) {}
  for (size_t i = 0; i < sketch_.groups.size(); ++i) {
    OpenChoices open(decisions_, own_, i, a);
    repair_group(view(i), open);
  }
}

}  // namespace hone::tuner
