#include "tuner/space/domains.h"

#include <algorithm>
#include <set>

#include "codegen/ir/mutator.h"
#include "codegen/schedule/half_sum.h"
#include "codegen/schedule/packed_product.h"
#include "codegen/schedule/schedule.h"
#include "tuner/space/fragments.h"
#include "tuner/space/row_chain.h"

namespace hone::tuner {

namespace {

using Values = std::vector<int64_t>;
using Labels = std::vector<std::string>;

const Values kThreads{1, 2, 4, 8, 16, 32, 64, 128, 256};  // invocations_max of WebGPU's guaranteed limits
const Values kRows{1, 2, 3, 4, 6, 7, 8, 12, 14, 16};
const Values kVectors{1, 2, 3, 4, 8};
const Values kKTiles{4, 8, 16, 32};
const Values kSlices{1, 2, 4, 8, 16};
const Values kTiles{1, 2, 4, 8, 16, 32, 64, 128, 256};
const Values kKBlocks{64, 128, 256, 512};
const Values kTargets{1, 2, 4, 8};
const Labels kStagings{"direct", "register", "workgroup", "lane"};

Values up_to(const Values& values, int64_t max) {
  Values kept;
  for (int64_t v : values)
    if (v <= max || kept.empty()) kept.push_back(v);
  return kept;
}

// The first load of each operand that has a choice of its own.
std::vector<ir::Expr> open_operands(const te::Compute& c) {
  std::vector<ir::Expr> loads;
  ir::NodeSet seen;
  std::set<te::Tensor> tensors;
  for (ir::Expr e : c.value)
    ir::for_each_node(e, seen, [&](ir::Expr n) {
      if (n->kind == ir::ExprKind::kLoad && !n->buffer->shape.empty() && tensors.insert(n->buffer).second) loads.push_back(n);
    });
  if (loads.size() > static_cast<size_t>(kOperandsMax)) loads.resize(static_cast<size_t>(kOperandsMax));
  return loads;
}

bool uses(ir::Expr load, const te::Axis& axis) {
  return axis.extent > 1 && std::any_of(load->args.begin(), load->args.end(), [&axis](ir::Expr e) { return ir::uses_var(e, axis.var); });
}

// Too few outputs to occupy a device, each a long reduction: worth sharing it.
bool few_outputs(const GroupView& v) {
  constexpr int64_t kElementsMax = 65536, kStepsMin = 32, kElementsPerStep = 16;
  const Extents e = v.extents();
  const int64_t steps = steps_of(v.reduction());
  const bool long_enough = v.group.reuse ? steps >= 4 * kStepsMin && e.k >= 16 : steps >= kStepsMin;
  return long_enough && e.elements <= kElementsMax && e.elements <= kElementsPerStep * steps;
}

// Does the reduction read a constant whose layout is free, or another tensor, along its lanes, the same for all rows?
bool reads_along_lanes(const GroupView& v, bool free) {
  if (!v.has_lanes()) return false;
  const te::Compute& r = v.reduction();
  const ir::Var lane = r.axes[static_cast<size_t>(v.group.lane_axis)].var;
  bool found = false;
  for (ir::Expr e : r.value)
    ir::for_each_node(e, [&](ir::Expr n) {
      if (n->kind != ir::ExprKind::kLoad || is_free_input(v.task, n->buffer) != free) return;
      const bool by_rows = std::any_of(v.group.row_axes.begin(), v.group.row_axes.end(), [&](int axis) { return uses(n, r.axes[static_cast<size_t>(axis)]); });
      found |= !by_rows && std::find(n->args.begin(), n->args.end(), lane) != n->args.end();
    });
  return found;
}

// The decisions of a group, one rule's after the other's.
class Decisions {
 public:
  explicit Decisions(const GroupView& view) : v_(view), e_(view.extents()) {}

  std::vector<Decision> take() {
    if (v_.on_textures()) add_fragment();
    else v_.group.row ? add_row() : add_nest();
    if (has_lines()) add(&Choices::in_order, {0, 1}, {"all", "order"});
    return std::move(all_);
  }

 private:
  // Terms of one line are one thread's, however many there are; that suits a core, and no GPU.
  bool has_lines() const { return v_.group.terms && (v_.on_cores() || e_.elements > v_.group.terms->along); }

  void add(Choice choice, Values values, Labels labels = {}) {
    const Handle handle{choice, v_.index};
    all_.push_back({handle, word_of(handle), std::move(values), std::move(labels)});
  }

  // Three samples of four have the first.
  void add_unusual(Choice choice, Values values, Labels labels = {}) {
    add(choice, std::move(values), std::move(labels));
    all_.back().first_is_usual = true;
  }

  bool has_rows() const { return !v_.group.row_axes.empty(); }
  bool is_patch() const { return !v_.group.parts.empty(); }

  // Threads of a workgroup, items and vectors along both directions, then how the reduction runs.
  void add_nest() {
    if (has_rows() && !v_.on_cores()) add(&Choices::row_threads, up_to(kThreads, e_.rows));
    if (v_.has_k()) add(&Choices::rows, up_to(kRows, e_.rows));
    // Where sums take the time, lanes that are stored one by one cost little; on cores they are read from copies, which have whole vectors.
    add(&Choices::lanes, vector_widths(e_, v_.target, v_.on_cores() && v_.has_k() ? RowEnd::kBeyond : RowEnd::kWhole));
    if (!v_.on_cores()) add(&Choices::lane_threads, up_to(kThreads, e_.lanes));
    if (!is_patch()) add(&Choices::vectors, up_to(kVectors, e_.lanes));
    if (v_.on_cores() && !v_.has_k()) add(&Choices::lane_blocks, up_to(kTiles, e_.lanes));
    if (v_.has_k()) add_steps_of_k();
    else if (v_.group.reduction >= 0) add_window_of_steps();
  }

  void add_steps_of_k() {
    add(&Choices::k_lanes, e_.k >= 4 && v_.target.lanes.back() >= 4 ? Values{1, 4} : Values{1});
    if (!v_.on_cores()) add(&Choices::k_tile, up_to(kKTiles, std::max<int64_t>(e_.k, 4)));
    add_stagings();
    add_steps();
    v_.on_cores() ? add_blocks() : add_shares();
    if (!v_.is_variant && half_steps(v_) > 0) add_unusual(&Choices::half_steps, {0, 1}, {"f32", "f16"});
    if (v_.target.has_packed_products && e_.k >= schedule::kPackedProducts && schedule::packed_product(v_.reduction()))
      add(&Choices::packed_products, {0, 1}, {"single", "packed"});
    if (e_.inner_rows < e_.rows) add(&Choices::inner_rows, {0, 1}, {"fused", "inner"});
    add_window();
  }

  void add_window_of_steps() {
    add_unroll(v_.group.window_axes);
    if (!v_.target.has_workgroup_memory || !few_outputs(v_)) return;
    add_unusual(&Choices::k_threads, up_to(kSlices, steps_of(v_.reduction()) / 4));
    add_join();
  }

  void add_shares() {
    if (!few_outputs(v_)) return;
    add_unusual(&Choices::slices, up_to(kSlices, e_.k / 8));
    if (v_.target.has_workgroup_memory) add_unusual(&Choices::k_threads, up_to(kSlices, e_.k / 8));
    add_join();
  }

  // How threads that share a reduction join their parts.
  void add_join() {
    if (v_.target.subgroup_size > 1 && all_.back().values.size() > 1) add(&Choices::k_subgroups, {0, 1}, {"tree", "subgroup"});
  }

  // Blocks of tiles for a cache. Most products fit one as they are.
  void add_blocks() {
    add_unusual(&Choices::row_blocks, up_to(kTiles, e_.rows / 4));
    add_unusual(&Choices::lane_blocks, up_to(kTiles, e_.lanes / 8));
    Values steps{0};
    for (int64_t k : kKBlocks)
      if (2 * k <= e_.k) steps.push_back(k);
    if (steps.size() > 1) add_unusual(&Choices::k_block, std::move(steps));
    add(&Choices::lanes_outer, {0, 1}, {"rows", "lanes"});
    if (reads_along_lanes(v_, true)) add(&Choices::packed, {0, 1}, {"given", "packed"});
    if (reads_along_lanes(v_, false)) add(&Choices::copied, {0, 1}, {"given", "copied"});
  }

  // Where a tile of each operand is kept. Lanes of a subgroup have from each other what all of them read.
  void add_stagings() {
    const std::vector<int> across = operands_across_lanes(v_);
    const auto operands = static_cast<int>(open_operands(v_.reduction()).size());
    for (int i = 0; i < operands; ++i) {
      Values places{0, 1};
      if (v_.target.has_workgroup_memory) places.push_back(2);
      if (v_.target.subgroup_size > 1 && std::find(across.begin(), across.end(), i) != across.end()) places.push_back(3);
      add(kOperands[i], std::move(places), kStagings);
    }
  }

  // How the steps of the reduction follow one another.
  void add_steps() {
    const bool stages = v_.target.has_workgroup_memory && !open_operands(v_.reduction()).empty();
    if (stages && e_.k >= 8) add_unusual(&Choices::buffers, {1, 2});
    if (e_.k >= 4) add_unusual(&Choices::k_unroll, e_.k >= 8 ? Values{1, 2, 4} : Values{1, 2});
    if (stages && !operands_across_lanes(v_).empty()) add_unusual(&Choices::padded, {0, 1});
  }

  void add_window() {
    if (window_elements(v_.task, v_.group) <= 1) return;
    add(&Choices::k_first, {0, 1}, {"window", "k"});
    add_unroll(v_.group.window_axes);
  }

  // None, the innermost, or all of the axes whose extent is more than 1.
  void add_unroll(const std::vector<int>& axes) {
    int64_t open = 0;
    for (int a : axes) open += v_.reduction().reduce->axes[static_cast<size_t>(a)].extent > 1;
    if (open > 0) add(&Choices::unrolled_windows, open > 1 ? Values{0, 1, open} : Values{0, 1});
  }

  void add_row() {
    if (!v_.on_cores()) add(&Choices::lane_threads, up_to(kThreads, e_.lanes));
    v_.on_cores() ? add(&Choices::row_blocks, up_to(kTiles, e_.rows)) : add(&Choices::row_threads, up_to(kThreads, e_.rows));
    add(&Choices::lanes, vector_widths(e_, v_.target));
    if (v_.target.subgroup_size > 1) add(&Choices::join, {0, 1, 2}, {"flat", "tree", "subgroup"});
    else if (v_.target.has_workgroup_memory) add(&Choices::join, {0, 1}, {"flat", "tree"});
    if (!v_.on_cores()) return;
    add(&Choices::vectors, up_to(kVectors, e_.lanes));
    if (!shared_maps(v_.task, v_.group).empty()) add(&Choices::keeps, {0, 1}, {"computed", "kept"});
  }

  // Rows and texels of a fragment, unless the task fixes how its output lies, and how a reduction runs.
  void add_fragment() {
    const FragmentAxes axes = fragment_axes(v_.task, v_.root(), v_.group.order);
    const std::optional<FragmentTile> fixed = fixed_tile(v_.task, v_.root().outputs[0], axes);
    const int64_t rows = axes.row < 0 ? 1 : v_.root().axes[static_cast<size_t>(axes.row)].extent, targets = v_.target.limits.render_targets_max;
    add(&Choices::rows, fixed ? Values{fixed->rows} : up_to(kTargets, std::min(rows, targets)));
    add(&Choices::vectors, fixed ? Values{fixed->texels} : up_to({1, 2, 4}, std::min((e_.lanes + 3) / 4, targets)));
    add(&Choices::lanes, {4});
    if (v_.group.row) add(&Choices::k_lanes, {1, 4});
    if (v_.group.reduction >= 0) add_fragment_reduction(!fixed && rows >= 2 && e_.lanes >= 2);
  }

  void add_fragment_reduction(bool squares) {
    if (squares) add_unusual(&Choices::squares, {0, 1}, {"rows", "squares"});
    add(&Choices::k_lanes, e_.k < 4 ? Values{1} : squares ? Values{1, 2, 4} : Values{1, 4});
    add_stagings();
    if (few_outputs(v_)) add_unusual(&Choices::slices, up_to(kSlices, e_.k / 8));
    add_window();
  }

  const GroupView& v_;
  const Extents e_;
  std::vector<Decision> all_;
};

Decision of_program(Choice choice, Values values, Labels labels = {}) { return {{choice}, word_of({choice}), std::move(values), std::move(labels)}; }

// The value by which a decision makes lanes exchange values; nullopt: none does.
std::optional<int64_t> exchange_value(Choice choice) {
  if (choice == &Choices::join) return static_cast<int64_t>(Join::kSubgroup);
  if (choice == &Choices::k_subgroups) return 1;
  const bool is_operand = std::find(std::begin(kOperands), std::end(kOperands), choice) != std::end(kOperands);
  return is_operand ? std::optional(static_cast<int64_t>(Staging::kLane)) : std::nullopt;
}

}  // namespace

std::vector<Decision> decisions_of(const GroupView& view) { return Decisions(view).take(); }

// Copies, temporaries and constants in half the bytes, where the device has f16 and the task bears the rounding. On textures copies are what a first
// launch leaves to a second: reductions in slices, and producers.
std::vector<Decision> storage_decisions(const te::Task& task, const target::Target& target, const Sketch& sketch) {
  std::vector<Decision> out;
  if (!target.has_f16 || !schedule::permits_f16(task.accuracy)) return out;
  const bool reused = std::any_of(sketch.groups.begin(), sketch.groups.end(), [](const Group& g) { return g.reuse; });
  if (reused) out.push_back(of_program(&Choices::narrow, {0, 1}, {"f32", "f16"}));
  if (!large_constants(task).empty()) out.push_back(of_program(&Choices::narrow_constants, {0, 1}, {"f32", "f16"}));
  return out;
}

// The first is the seeds': 32 threads or the next larger size, else the largest. It is a guess that no measurement stands behind; the search tries all.
std::vector<Decision> subgroup_decisions(const target::Target& device, const std::vector<Decision>& others) {
  constexpr int64_t kUsual = 32;
  std::vector<int64_t> sizes = device.subgroup_sizes;
  const auto offers = [](const Decision& d) {
    const auto value = exchange_value(d.handle.choice);
    return value && std::count(d.values.begin(), d.values.end(), *value) > 0;
  };
  if (device.subgroup_size > 0 || sizes.empty() || std::none_of(others.begin(), others.end(), offers)) return {};
  auto usual = std::find_if(sizes.begin(), sizes.end(), [](int64_t size) { return size >= kUsual; });
  if (usual == sizes.end()) --usual;
  std::rotate(sizes.begin(), usual, usual + 1);
  return {of_program(&Choices::subgroup_size, std::move(sizes))};
}

std::vector<std::string> large_constants(const te::Task& task) {
  constexpr int64_t kElementsMin = 1024;
  std::vector<std::string> names;
  for (size_t i = 0; i < task.program.inputs.size(); ++i) {
    const te::Tensor t = task.program.inputs[i];
    const bool open = task.args[i].role == te::Role::kConstant && task.args[i].free;
    if (open && t->dtype == ir::DType::kF32 && ir::element_count(t->shape) >= kElementsMin) names.push_back(t->name);
  }
  return names;
}

// Parts are joined where there are several.
bool exchanges(const Choices& c) {
  const bool joins = c.join == static_cast<int64_t>(Join::kSubgroup) && c.lane_threads > 1;
  return joins || (c.k_subgroups != 0 && c.k_threads > 1) || holds(c, Staging::kLane);
}

std::vector<int> operands_across_lanes(const GroupView& v) {
  std::vector<int> across;
  if (!v.has_lanes()) return across;
  const std::vector<ir::Expr> operands = open_operands(v.reduction());
  for (size_t i = 0; i < operands.size(); ++i)
    if (!uses(operands[i], v.reduction().axes[static_cast<size_t>(v.group.lane_axis)])) across.push_back(static_cast<int>(i));
  return across;
}

int64_t half_steps(const GroupView& v) {
  constexpr int64_t kStepsMin = 4, kStepsMax = 32;
  const te::Reduce& reduce = *v.reduction().reduce;
  if (!schedule::computes_halves(v.target) || !schedule::is_sum(reduce.combiner, ir::DType::kF32)) return 0;
  const int64_t window = window_elements(v.task, v.group);
  for (int64_t steps = kStepsMax; steps >= kStepsMin; steps /= 2) {
    const bool borne = schedule::half_sum_error(window * steps) <= v.task.accuracy.tolerance();
    if (borne && steps < v.extents().k) return steps;
  }
  return 0;
}

}  // namespace hone::tuner
