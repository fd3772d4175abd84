#include "tuner/space/space.h"

#include <algorithm>
#include <set>

#include "base/cat.h"
#include "codegen/schedule/packed_product.h"
#include "tuner/space/row_chain.h"
#include "tuner/space/rules.h"
#include "tuner/space/trace_builder.h"

namespace hone::tuner {

namespace {

const std::vector<int64_t> kThreads{1, 2, 4, 8, 16, 32, 64};
const std::vector<int64_t> kRows{1, 2, 3, 4, 6, 7, 8, 12, 14, 16};
const std::vector<int64_t> kVectors{1, 2, 3, 4};
const std::vector<int64_t> kKTiles{4, 8, 16, 32};
constexpr int kRepairsMax = 8;
target::Target with_largest_subgroups(target::Target target) {
  if (target.subgroup_size == 0 && !target.subgroup_sizes.empty()) target.subgroup_size = target.subgroup_sizes.back();
  return target;
}

const std::vector<std::string> kStagings{"direct", "register", "workgroup", "lane"};
const std::vector<int64_t> kLineThreads{1, 8, 16, 32, 64, 128, 256};
const std::vector<int64_t> kLineItems{1, 2, 4, 8};
const std::vector<int64_t> kRowThreads{1, 2, 4, 8, 16, 32, 64, 128, 256};
const std::vector<int64_t> kRowRows{1, 2, 4, 8, 16, 32, 64};
const std::vector<int64_t> kSlices{1, 2, 4, 8, 16};
const std::vector<int64_t> kBlockTiles{1, 2, 4, 8, 16};
const std::vector<int64_t> kKBlocks{64, 128, 256, 512};
const std::vector<int64_t> kTargets{1, 2, 4, 8};

// The first load of each operand that has a choice of its own.
std::vector<ir::Expr> operands_of(const te::Compute& c) {
  std::vector<ir::Expr> loads;
  ir::NodeSet seen;
  std::set<te::Tensor> tensors;
  for (ir::Expr e : c.value)
    ir::for_each_node(e, seen, [&](ir::Expr n) {
      if (n->kind == ir::ExprKind::kLoad && !n->buffer->shape.empty() && tensors.insert(n->buffer).second)
        loads.push_back(n);
    });
  if (loads.size() > static_cast<size_t>(kOperandsMax)) loads.resize(static_cast<size_t>(kOperandsMax));
  return loads;
}

bool uses(ir::Expr load, const te::Axis& axis) {
  return axis.extent > 1 &&
         std::any_of(load->args.begin(), load->args.end(), [&axis](ir::Expr e) { return ir::uses_var(e, axis.var); });
}

std::vector<int64_t> up_to(const std::vector<int64_t>& values, int64_t max) {
  std::vector<int64_t> kept;
  for (int64_t v : values)
    if (v <= max || kept.empty()) kept.push_back(v);
  return kept;
}

}  // namespace

Space::Space(const te::Task& task, const target::Target& target, bool rows)
    : task_(&task),
      device_(target),
      target_(with_largest_subgroups(target)),
      sketch_(make_sketch(task, rows)),
      given_(&task) {}

Result<Space> Space::derive(const te::Task& task, const target::Target& target) {
  Space space(task, target, !target::on_textures(target.kind));
  space.add_decisions();
  space.add_algorithms();
  return space;
}

void Space::add_decisions() {
  for (size_t i = 0; i < sketch_.producers.size(); ++i)
    if (sketch_.producers[i].choice) add(cat("producer", i, ".place"), {0, 1}, {"inline", "launch"});
  for (size_t i = 0; i < sketch_.groups.size(); ++i) {
    const Group& group = sketch_.groups[i];
    const size_t first = decisions_.size();
    if (target::on_textures(target_.kind)) add_fragment_decisions(i);
    else if (group.row) add_row_decisions(i);
    else if (!group.parts.empty()) add_patch_decisions(i);
    else group.reuse ? add_tile_decisions(i) : add_line_decisions(i);
    if (group.ahead && target::runs_ahead(target_.kind)) keep_usual(first);
  }
  if (name_.empty()) add_storage_decisions();  // a variant makes more of each rounding
  if (target::on_textures(target_.kind)) add("reads", {0, 1}, {"sampler", "texel"});
  add_subgroup_sizes();
  own_ = decisions_.size();
}

// What runs once, ahead of all that is timed, is no choice: trials that differ in it alone would be the same trial.
void Space::keep_usual(size_t first) {
  own_ = decisions_.size();
  Assignment usual = assignment(wanted_of({}, {}, {}));
  repair(usual);
  for (size_t i = first; i < own_; ++i) {
    Decision& d = decisions_[i];
    d.values = {d.values[static_cast<size_t>(usual[i])]};
  }
}

std::string Space::prefix(size_t group) const { return group == 0 ? "" : cat(group, "."); }

void Space::add(std::string key, std::vector<int64_t> values, std::vector<std::string> labels) {
  decisions_.push_back({std::move(key), std::move(values), std::move(labels)});
}

void Space::add_tile_decisions(size_t index) {
  const Group& group = sketch_.groups[index];
  const te::Compute& reduction = task_->program.computes[static_cast<size_t>(group.reduction)];
  Extents e = extents_of(*task_, group);
  std::string p = prefix(index);
  const bool cores = target::on_cores(target_.kind);
  if (!cores) add(p + "rows.threads", up_to(kThreads, e.rows));
  add(p + "rows", up_to(kRows, e.rows));
  add(p + "lanes.width", vector_widths(e, target_));
  if (!cores) add(p + "lanes.threads", up_to(kThreads, e.lanes));
  add(p + "lanes", up_to(kVectors, e.lanes));
  add(p + "k.lanes", e.k >= 4 && target_.lanes.back() >= 4 ? std::vector<int64_t>{1, 4} : std::vector<int64_t>{1});
  if (!cores) add(p + "k.tile", up_to(kKTiles, std::max<int64_t>(e.k, 4)));
  add_stagings(p, group);
  add_step_decisions(p, index);
  if (cores) add_block_decisions(p, e);
  if (cores) add(p + "tiles.order", {0, 1}, {"rows", "lanes"});
  if (cores && reads_along_lanes(group, true)) add(p + "constants", {0, 1}, {"given", "packed"});
  if (cores && reads_along_lanes(group, false)) add(p + "operands", {0, 1}, {"given", "copied"});
  if (!cores && few_outputs(index)) {
    add_unusual(p + "k.slices", up_to(kSlices, e.k / 8));
    if (target_.has_workgroup_memory) add_unusual(p + "k.threads", up_to(kSlices, e.k / 8));
    add_join(p);
  }
  if (name_.empty() && half_steps(index) > 0) add_half_sums(p);
  if (target_.has_packed_products && e.k >= schedule::kPackedProducts && schedule::packed_product(reduction))
    add(p + "products", {0, 1}, {"single", "packed"});
  if (e.inner_rows < e.rows) add(p + "rows.form", {0, 1}, {"fused", "inner"});
  const int64_t window = window_elements(*task_, group);
  if (window > 1) {
    add(p + "reduce.order", {0, 1}, {"window", "k"});
    add_unroll(p, reduction, group.window_axes);
  }
}

// Rows and texels of a fragment, unless the task fixes how its output lies, and how a reduction runs.
void Space::add_fragment_decisions(size_t index) {
  const Group& group = sketch_.groups[index];
  const te::Compute& root = task_->program.computes[static_cast<size_t>(group.root)];
  const Extents e = extents_of(*task_, group);
  const std::string p = prefix(index);
  const FragmentAxes axes = fragment_axes(*task_, root, group.order);
  const std::optional<FragmentTile> fixed = fixed_tile(*task_, root.outputs[0], axes);
  const int64_t rows = axes.row < 0 ? 1 : root.axes[static_cast<size_t>(axes.row)].extent;
  add(p + "rows",
      fixed ? std::vector{fixed->rows} : up_to(kTargets, std::min(rows, target_.limits.render_targets_max)));
  add(p + "lanes", fixed ? std::vector{fixed->texels}
                         : up_to({1, 2, 4}, std::min((e.lanes + 3) / 4, target_.limits.render_targets_max)));
  add(p + "lanes.width", {4});
  if (group.row) add(p + "k.lanes", {1, 4});
  if (group.reduction < 0) return;
  const te::Compute& reduction = task_->program.computes[static_cast<size_t>(group.reduction)];
  const bool squares = !fixed && rows >= 2 && e.lanes >= 2;
  if (squares) add_squares(p);
  add(p + "k.lanes", e.k < 4   ? std::vector<int64_t>{1}
                     : squares ? std::vector<int64_t>{1, 2, 4}
                               : std::vector<int64_t>{1, 4});
  add_stagings(p, group);
  if (few_outputs(index)) add_unusual(p + "k.slices", up_to(kSlices, e.k / 8));
  const int64_t window = window_elements(*task_, group);
  if (window <= 1) return;
  add(p + "reduce.order", {0, 1}, {"window", "k"});
  add_unroll(p, reduction, group.window_axes);
}

// Where a tile of each operand is kept. Lanes of a subgroup have from each other what all of them read.
void Space::add_stagings(const std::string& p, const Group& group) {
  const te::Compute& reduction = task_->program.computes[static_cast<size_t>(group.reduction)];
  const te::Axis* lane = group.lane_axis < 0 ? nullptr : &reduction.axes[static_cast<size_t>(group.lane_axis)];
  const std::vector<ir::Expr> operands = operands_of(reduction);
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<int64_t> places{0, 1};
    if (target_.has_workgroup_memory) places.push_back(2);
    if (target_.subgroup_size > 1 && lane && !uses(operands[i], *lane)) places.push_back(3);
    add(cat(p, "operand", i), std::move(places), kStagings);
  }
}

// By their number.
std::vector<int> Space::operands_across_lanes(size_t index) const {
  const Group& group = sketch_.groups[index];
  std::vector<int> across;
  if (group.lane_axis < 0) return across;
  const te::Compute& reduction = task_->program.computes[static_cast<size_t>(group.reduction)];
  const std::vector<ir::Expr> operands = operands_of(reduction);
  for (size_t i = 0; i < operands.size(); ++i)
    if (!uses(operands[i], reduction.axes[static_cast<size_t>(group.lane_axis)])) across.push_back(static_cast<int>(i));
  return across;
}

void Space::add_squares(const std::string& p) {
  add_unusual(p + "texels", {0, 1});
  decisions_.back().labels = {"rows", "squares"};
}

// Blocks of tiles for a cache. Most products fit one as they are.
void Space::add_block_decisions(const std::string& p, const Extents& e) {
  add_unusual(p + "block.rows", up_to(kBlockTiles, e.rows / 4));
  add_unusual(p + "block.lanes", up_to(kBlockTiles, e.lanes / 8));
  std::vector<int64_t> steps{0};
  for (int64_t k : kKBlocks)
    if (2 * k <= e.k) steps.push_back(k);
  if (steps.size() > 1) add_unusual(p + "k.block", std::move(steps));
}

void Space::add_unusual(std::string key, std::vector<int64_t> values) {
  add(std::move(key), std::move(values));
  decisions_.back().first_is_usual = true;
}

// Does the group's reduction read a constant whose layout is free, or another tensor, along its lanes, the same for all rows?
bool Space::reads_along_lanes(const Group& group, bool free) const {
  if (group.lane_axis < 0) return false;
  const te::Compute& reduction = task_->program.computes[static_cast<size_t>(group.reduction)];
  const ir::Var lane = reduction.axes[static_cast<size_t>(group.lane_axis)].var;
  bool found = false;
  for (ir::Expr e : reduction.value)
    ir::for_each_node(e, [&](ir::Expr n) {
      if (n->kind != ir::ExprKind::kLoad || is_free_input(*task_, n->buffer) != free) return;
      const bool by_rows = std::any_of(group.row_axes.begin(), group.row_axes.end(),
                                       [&](int axis) { return uses(n, reduction.axes[static_cast<size_t>(axis)]); });
      found |= !by_rows && std::find(n->args.begin(), n->args.end(), lane) != n->args.end();
    });
  return found;
}

// Too few outputs to occupy a device, each a long reduction: worth sharing it.
bool Space::few_outputs(size_t index) const {
  constexpr int64_t kElementsMax = 65536, kStepsMin = 32, kElementsPerStep = 16;
  const Group& group = sketch_.groups[index];
  Extents e = extents_of(*task_, group);
  int64_t steps = 1;
  for (const te::Axis& axis : task_->program.computes[static_cast<size_t>(group.reduction)].reduce->axes)
    steps *= axis.extent;
  const bool long_enough = group.reuse ? steps >= 4 * kStepsMin && e.k >= 16 : steps >= kStepsMin;
  return long_enough && e.elements <= kElementsMax && e.elements <= kElementsPerStep * steps;
}

// None, the innermost, or all of the axes whose extent is more than 1.
void Space::add_unroll(const std::string& p, const te::Compute& reduction, const std::vector<int>& axes) {
  int64_t open = 0;
  for (int a : axes) open += reduction.reduce->axes[static_cast<size_t>(a)].extent > 1;
  if (open == 0) return;
  add(p + "window.unroll", open > 1 ? std::vector<int64_t>{0, 1, open} : std::vector<int64_t>{0, 1});
}

void Space::add_line_decisions(size_t index) {
  const Group& group = sketch_.groups[index];
  Extents e = extents_of(*task_, group);
  std::string p = prefix(index);
  if (target::on_cores(target_.kind)) add(p + "line.steps", kLineThreads);
  else add(p + "line.threads", up_to(kLineThreads, target_.limits.invocations_max));
  add(p + "line.items", kLineItems);
  add(p + "lanes.width", vector_widths(e, target_));
  if (group.reduction < 0) return;
  const te::Compute& reduction = task_->program.computes[static_cast<size_t>(group.reduction)];
  std::vector<int> axes;
  for (size_t a = 0; a < reduction.reduce->axes.size(); ++a) axes.push_back(static_cast<int>(a));
  add_unroll(p, reduction, axes);
  int64_t steps = 1;
  for (const te::Axis& axis : reduction.reduce->axes) steps *= axis.extent;
  if (!target_.has_workgroup_memory || !few_outputs(index)) return;
  add_unusual(p + "k.threads", up_to(kSlices, steps / 4));
  add_join(p);
}

// How threads that share a reduction join their parts.
void Space::add_join(const std::string& p) {
  if (target_.subgroup_size > 1 && decisions_.back().values.size() > 1) add(p + "k.join", {0, 1}, {"tree", "subgroup"});
}

void Space::add_row_decisions(size_t index) {
  Extents e = extents_of(*task_, sketch_.groups[index]);
  std::string p = prefix(index);
  if (!target::on_cores(target_.kind))
    add(p + "row.threads", up_to(kRowThreads, std::min(e.line, target_.limits.invocations_max)));
  add(p + "row.rows", up_to(kRowRows, e.inner_rows));
  add(p + "lanes.width", vector_widths(e, target_));
  if (target_.subgroup_size > 1) add(p + "row.join", {0, 1, 2}, {"flat", "tree", "subgroup"});
  else if (target_.has_workgroup_memory) add(p + "row.join", {0, 1}, {"flat", "tree"});
  if (target::on_cores(target_.kind)) add(p + "row.items", up_to({1, 2, 4}, e.line));
  if (target::on_cores(target_.kind) && !shared_maps(*task_, sketch_.groups[index]).empty())
    add(p + "row.values", {0, 1}, {"computed", "kept"});
}

void Space::add_patch_decisions(size_t index) {
  const Group& group = sketch_.groups[index];
  const Extents e = patches_of(*task_, group);
  const std::string p = prefix(index);
  if (!target::on_cores(target_.kind)) {
    add(p + "rows.threads", up_to(kThreads, e.rows));
    add(p + "lanes.threads", up_to(kThreads, e.lanes));
  }
  add(p + "lanes.width", vector_widths(e, target_));
}

// An output of one element has no loop under which a fragment's work could hang.
bool Space::has_axes(const Group& group) const {
  return fragment_axes(*task_, task_->program.computes[static_cast<size_t>(group.root)], group.order).lane >= 0;
}

int Space::position(const std::string& key) const {
  for (size_t i = 0; i < decisions_.size(); ++i)
    if (decisions_[i].key == key) return static_cast<int>(i);
  return -1;
}

int64_t Space::value(const Assignment& a, const std::string& key, int64_t otherwise) const {
  int at = position(key);
  if (at < 0) return otherwise;
  return decisions_[static_cast<size_t>(at)].values[static_cast<size_t>(a[static_cast<size_t>(at)])];
}

Result<schedule::Trace> Space::trace(const Assignment& a, std::string* reason) const {
  HONE_ASSIGN(scheduled, apply(a, reason));
  return std::move(scheduled.trace);
}

Result<Scheduled> Space::apply(const Assignment& a, std::string* reason) const {
  if (const Algorithm* chosen = other(a)) return chosen->space->apply(part(a, *chosen), reason);
  TraceBuilder t(*given_, device_);
  for (const schedule::Step& step : opening_) t.add(step);
  if (position("subgroup.size") >= 0 && exchanges(a))
    t.add(schedule::subgroup(value(a, "subgroup.size", 0), "subgroup.size"));
  if (value(a, "constants.storage", 0))
    for (const std::string& name : large_constants()) t.add(schedule::precision(name, "f16"));
  for (size_t i = 0; i < sketch_.producers.size(); ++i) {
    const Producer& producer = sketch_.producers[i];
    const te::Compute& c = task_->program.computes[static_cast<size_t>(producer.compute)];
    if (value(a, cat("producer", i, ".place"), 0) == 0) {
      t.add(schedule::inline_stage(c.name));
      continue;
    }
    const int64_t row = producer.order.empty() ? 1 : c.axes[static_cast<size_t>(producer.order.back())].extent;
    const int64_t lanes =
        target::on_textures(target_.kind) ? 4 : vector_widths({.vector_max = row, .row_pitch = row}, target_).back();
    apply_line_map(t, producer.compute, producer.order, {.threads = 64, .items = 1, .lanes = lanes});
    if (value(a, "storage", 0) && c.outputs[0]->dtype == ir::DType::kF32) t.add(schedule::precision(c.name, "f16"));
  }
  for (size_t i = 0; i < sketch_.groups.size() && t.ok(); ++i) {
    const Group& group = sketch_.groups[i];
    std::string p = prefix(i);
    const bool fragments = target::on_textures(target_.kind);
    if (group.row) {
      apply_row(t, group,
                {.threads = value(a, p + "row.threads", 1),
                 .rows = value(a, p + "row.rows", 1),
                 .lanes = value(a, p + "lanes.width", 1),
                 .tree = value(a, p + "row.join", 1) == 1,
                 .subgroups = value(a, p + "row.join", 1) == 2,
                 .items = value(a, p + "row.items", 1),
                 .keeps = value(a, p + "row.values", 0) != 0,
                 .k_lanes = value(a, p + "k.lanes", 1),
                 .fragment = {value(a, p + "rows", 1), value(a, p + "lanes", 1)}});
      continue;
    }
    if (!group.parts.empty()) {
      apply_patch(t, group,
                  {.row_threads = value(a, p + "rows.threads", 1),
                   .lane_threads = value(a, p + "lanes.threads", 1),
                   .lanes = value(a, p + "lanes.width", 1)});
      continue;
    }
    if (fragments ? group.reduction < 0 || !has_axes(group) : !group.reuse) {
      apply_line(t, group,
                 {.threads = value(a, p + "line.threads", value(a, p + "line.steps", 64)),
                  .items = value(a, p + "line.items", 1),
                  .lanes = value(a, p + "lanes.width", 1),
                  .unrolled_windows = value(a, p + "window.unroll", 0),
                  .k_threads = value(a, p + "k.threads", 1),
                  .subgroups = value(a, p + "k.join", 0) != 0,
                  .fragment = {value(a, p + "rows", 1), value(a, p + "lanes", 1)}});
      continue;
    }
    TileChoice c;
    c.row_threads = value(a, p + "rows.threads", 1);
    c.rows = value(a, p + "rows", 1);
    c.lane_threads = value(a, p + "lanes.threads", 1);
    c.vectors = value(a, p + "lanes", 1);
    c.lanes = value(a, p + "lanes.width", 1);
    c.k_lanes = value(a, p + "k.lanes", 1);
    c.k_tile = value(a, p + "k.tile", 16);
    c.buffers = value(a, p + "k.buffers", 1);
    c.k_unroll = value(a, p + "k.unroll", 1);
    c.padded = value(a, p + "k.pad", 0) != 0;
    for (int o = 0; o < kOperandsMax; ++o)
      if (position(cat(p, "operand", o)) >= 0)
        c.operands.push_back(static_cast<Staging>(value(a, cat(p, "operand", o), 1)));
    c.inner_rows = value(a, p + "rows.form", 0) != 0;
    c.k_first = value(a, p + "reduce.order", 0) != 0;
    c.unrolled_windows = value(a, p + "window.unroll", 0);
    c.slices = value(a, p + "k.slices", 1);
    c.k_threads = value(a, p + "k.threads", 1);
    c.subgroups = value(a, p + "k.join", 0) != 0;
    c.narrow = value(a, "storage", 0) != 0;
    if (value(a, p + "sums", 0)) c.half_steps = half_steps(i);
    c.packed_products = value(a, p + "products", 0) != 0;
    if (c.packed_products) c.k_lanes = schedule::kPackedProducts;
    c.block_rows = value(a, p + "block.rows", 1);
    c.block_lanes = value(a, p + "block.lanes", 1);
    c.k_block = value(a, p + "k.block", 0);
    c.lanes_outer = value(a, p + "tiles.order", 0) != 0;
    c.packed = value(a, p + "constants", 0) != 0;
    c.copied = value(a, p + "operands", 0) != 0;
    c.squares = value(a, p + "texels", 0) != 0;
    apply_tile(t, group, c);
  }
  if (target::on_textures(target_.kind) && value(a, "reads", 0) == 0) sample_all(t);
  prune(t);
  if (reason) *reason = t.reason();
  if (!t.ok()) return t.status().error();
  return Scheduled{t.take(cat(sketch_.rules, ": ", text(a))), t.take_schedule()};
}

bool Space::lower(Assignment& a, const std::string& key) const {
  int at = position(key);
  if (at < 0 || a[static_cast<size_t>(at)] == 0) return false;
  --a[static_cast<size_t>(at)];
  return true;
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
  if (!keeps_copies(a)) lower(a, "storage");
  if (!exchanges(a))
    while (lower(a, "subgroup.size")) {}
  for (size_t i = 0; i < sketch_.groups.size(); ++i) {
    if (target::on_textures(target_.kind)) repair_fragments(a, i);
    else if (sketch_.groups[i].row) repair_row(a, i);
    else if (!sketch_.groups[i].parts.empty()) repair_patch(a, i);
    else sketch_.groups[i].reuse ? repair_tile(a, i) : repair_line(a, i);
  }
}

void Space::repair_fragments(Assignment& a, size_t index) const {
  const Group& group = sketch_.groups[index];
  const Extents e = extents_of(*task_, group);
  const std::string p = prefix(index);
  const te::Compute& root = task_->program.computes[static_cast<size_t>(group.root)];
  const FragmentAxes axes = fragment_axes(*task_, root, group.order);
  const int64_t rows = axes.row < 0 ? 1 : root.axes[static_cast<size_t>(axes.row)].extent;
  const auto v = [&](const char* key) { return value(a, p + key, 1); };
  while (v("rows") * v("lanes") > target_.limits.render_targets_max)
    if (!lower(a, p + (v("rows") >= v("lanes") ? "rows" : "lanes"))) break;
  const bool squares = value(a, p + "texels", 0) != 0;
  const int64_t rows_of_texel = squares ? 2 : 1, lanes_of_texel = squares ? 2 : 4;
  while (waste(rows, v("rows") * rows_of_texel) > kWasteMax)
    if (!lower(a, p + "rows")) break;
  while (waste((e.lanes + lanes_of_texel - 1) / lanes_of_texel, v("lanes")) > kWasteMax)
    if (!lower(a, p + "lanes")) break;
}

void Space::repair_patch(Assignment& a, size_t index) const {
  const Group& group = sketch_.groups[index];
  const Extents e = patches_of(*task_, group);
  const std::string p = prefix(index);
  const auto v = [&](const char* key) { return value(a, p + key, 1); };
  while (waste(e.lanes, v("lanes.threads") * v("lanes.width")) > kWasteMax)
    if (!lower(a, p + "lanes.threads") && !lower(a, p + "lanes.width")) break;
  while (waste(e.rows, v("rows.threads")) > kWasteMax ||
         v("rows.threads") * v("lanes.threads") > target_.limits.invocations_max)
    if (!lower(a, p + "rows.threads")) break;
}

void Space::repair_row(Assignment& a, size_t index) const {
  Extents e = extents_of(*task_, sketch_.groups[index]);
  std::string p = prefix(index);
  auto v = [&](const char* key) { return value(a, p + key, 1); };
  while (waste(e.line, v("row.threads") * v("row.items") * v("lanes.width")) > kWasteMax)
    if (!lower(a, p + "row.items") && !lower(a, p + "row.threads") && !lower(a, p + "lanes.width")) break;
  const bool flat = v("row.threads") > 1 && value(a, p + "row.join", 1) == 0;
  while (waste(e.inner_rows, v("row.rows")) > kWasteMax || (flat && v("row.rows") > 1))
    if (!lower(a, p + "row.rows")) break;
  while (v("row.threads") * v("row.rows") > target_.limits.invocations_max ||
         v("row.rows") > target_.limits.workgroup_size_y_max)
    if (!lower(a, p + "row.rows") && !lower(a, p + "row.threads")) break;
}

void Space::repair_tile(Assignment& a, size_t index) const {
  Extents e = extents_of(*task_, sketch_.groups[index]);
  std::string p = prefix(index);
  auto v = [&](const char* key) { return value(a, p + key, 1); };
  int64_t rows = value(a, p + "rows.form", 0) ? e.inner_rows : e.rows;
  while (waste(rows, v("rows.threads") * v("block.rows") * v("rows")) > kWasteMax)
    if (!lower(a, p + "rows.threads") && !lower(a, p + "block.rows") && !lower(a, p + "rows")) break;
  while (waste(e.lanes, v("lanes.threads") * v("block.lanes") * v("lanes") * v("lanes.width")) > kWasteMax)
    if (!lower(a, p + "lanes.threads") && !lower(a, p + "block.lanes") && !lower(a, p + "lanes") &&
        !lower(a, p + "lanes.width"))
      break;
  if (!has_rows_of_lanes(a, p))
    for (int i = 0; i < kOperandsMax; ++i)
      if (value(a, cat(p, "operand", i), 0) == static_cast<int64_t>(Staging::kLane)) lower(a, cat(p, "operand", i));
  // Of one tile no operand is used again.
  while (v("block.rows") * v("block.lanes") == 1 && lower(a, p + "k.block")) {}
  while (v("rows.threads") * v("lanes.threads") * v("k.threads") > target_.limits.invocations_max)
    if (!lower(a, p + "k.threads") &&
        !lower(a, v("rows.threads") > v("lanes.threads") ? p + "rows.threads" : p + "lanes.threads"))
      break;
  if (v("k.threads") > 1) lower(a, p + "sums");  // a thread's part of k is one sum
  // Accumulators, an element or a vector along k of each row, a row of vectors. On cores an element of one row is enough at a time.
  const bool one_row = target::on_cores(target_.kind) && v("k.lanes") == 1;
  auto live = [&] { return v("rows") * v("lanes") + (one_row ? 0 : v("rows")) + v("lanes"); };
  while (live() > target_.limits.live_vectors_max)
    if (!lower(a, v("rows") >= v("lanes") ? p + "rows" : p + "lanes")) break;
  repair_steps(a, index);
}

// Do the threads along the lanes lie in one subgroup, and can they load a tile between two steps of k?
bool Space::has_rows_of_lanes(const Assignment& a, const std::string& p) const {
  const int64_t threads = value(a, p + "lanes.threads", 1);
  return threads > 1 && threads <= value(a, "subgroup.size", target_.subgroup_size) &&
         value(a, p + "reduce.order", 0) == 0 && value(a, p + "k.join", 0) == 0 && value(a, p + "products", 0) == 0;
}

void Space::repair_line(Assignment& a, size_t index) const {
  Extents e = extents_of(*task_, sketch_.groups[index]);
  std::string p = prefix(index);
  auto vectors = [&] { return (e.elements + value(a, p + "lanes.width", 1) - 1) / value(a, p + "lanes.width", 1); };
  auto tile = [&] {
    return value(a, p + "line.threads", 1) * value(a, p + "line.steps", 1) * value(a, p + "line.items", 1);
  };
  while (waste(vectors(), tile()) > kWasteMax)
    if (!lower(a, p + "line.items") && !lower(a, p + "line.threads") && !lower(a, p + "line.steps")) break;
  while (value(a, p + "line.threads", 1) * value(a, p + "k.threads", 1) > target_.limits.invocations_max)
    if (!lower(a, p + "k.threads")) break;
  // More blocks than the grid has are folded into items.
  int items = position(p + "line.items"), threads = position(p + "line.threads");
  for (int at : {threads, items})
    while (at >= 0 && vectors() / tile() >= target_.limits.grid_dim_max &&
           a[static_cast<size_t>(at)] + 1 < static_cast<int>(decisions_[static_cast<size_t>(at)].values.size()))
      ++a[static_cast<size_t>(at)];
}

}  // namespace hone::tuner
