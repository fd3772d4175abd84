#include "tuner/space/repair.h"

#include <algorithm>

#include "codegen/schedule/packed_product.h"
#include "tuner/space/fragments.h"

namespace hone::tuner {

namespace {

constexpr double kWasteMax = 1.34;

int64_t parts(int64_t whole, int64_t count) { return (whole + count - 1) / count; }

// Along a direction of a tile: elements, and the levels that share them, those first that shrink first.
struct Direction {
  int64_t extent;
  std::vector<Choice> levels;
};

std::vector<Direction> directions_of_fragments(const GroupView& v, const OpenChoices& c) {
  const FragmentAxes axes = fragment_axes(v.task, v.root(), v.group.order);
  const int64_t rows = axes.row < 0 ? 1 : v.root().axes[static_cast<size_t>(axes.row)].extent;
  const bool squares = c(&Choices::squares) != 0;
  return {{parts(rows, squares ? 2 : 1), {&Choices::rows}}, {parts(v.extents().lanes, squares ? 2 : 4), {&Choices::vectors}}};
}

// Threads shrink first where items are what an operand's reuse is of, items where they are not.
std::vector<Direction> directions_of(const GroupView& v, const OpenChoices& c) {
  using C = Choices;
  if (v.on_textures()) return directions_of_fragments(v, c);
  const Extents e = v.extents();
  const Direction rows{c(&C::inner_rows) ? e.inner_rows : e.rows, {&C::row_threads, &C::row_blocks, &C::rows}};
  if (v.has_k()) return {rows, {e.lanes, {&C::lane_threads, &C::lane_blocks, &C::vectors, &C::lanes}}};
  return {rows, {e.lanes, {&C::vectors, &C::lane_threads, &C::lane_blocks, &C::lanes}}};
}

void repair_waste(const GroupView& v, OpenChoices& c) {
  for (const Direction& along : directions_of(v, c)) {
    const auto tile = [&] {
      int64_t elements = 1;
      for (Choice level : along.levels) elements *= c(level);
      return elements;
    };
    while (waste(along.extent, tile()) > kWasteMax)
      if (std::none_of(along.levels.begin(), along.levels.end(), [&](Choice level) { return c.lower(level); })) break;
  }
}

bool lower_larger(OpenChoices& c, Choice a, Choice b) { return c.lower(c(a) >= c(b) ? a : b) || c.lower(c(a) >= c(b) ? b : a); }

void repair_threads(const GroupView& v, OpenChoices& c) {
  const target::Limits& limits = v.target.limits;
  const bool flat = c(&Choices::lane_threads) > 1 && c(&Choices::join) == static_cast<int64_t>(Join::kFlat);
  const int64_t rows_max = flat ? 1 : limits.workgroup_size_y_max;
  while (c(&Choices::row_threads) > rows_max && c.lower(&Choices::row_threads)) {}
  if (v.on_cores()) return;  // what shares a workgroup elsewhere is an iteration there
  while (c(&Choices::row_threads) * c(&Choices::lane_threads) * c(&Choices::k_threads) > limits.invocations_max)
    if (!c.lower(&Choices::k_threads) && !lower_larger(c, &Choices::row_threads, &Choices::lane_threads)) break;
}

void repair_targets(const GroupView& v, OpenChoices& c) {
  while (c(&Choices::rows) * c(&Choices::vectors) > v.target.limits.render_targets_max)
    if (!lower_larger(c, &Choices::rows, &Choices::vectors)) break;
}

// Do the threads along the lanes lie in one subgroup, and can they load a tile between two steps of k?
bool has_rows_of_lanes(const GroupView& v, const Choices& c) {
  const int64_t subgroup = c.subgroup_size > 0 ? c.subgroup_size : v.target.subgroup_size;
  return c.lane_threads > 1 && c.lane_threads <= subgroup && !c.k_first && !c.k_subgroups && !c.packed_products;
}

void repair_lanes(const GroupView& v, OpenChoices& c) {
  if (has_rows_of_lanes(v, c.all())) return;
  for (Choice operand : kOperands)
    if (c(operand) == static_cast<int64_t>(Staging::kLane)) c.lower(operand);
}

// Accumulators, an element or a vector along k of each row, a row of vectors. On cores an element of one row is enough at a time.
void repair_registers(const GroupView& v, OpenChoices& c) {
  const bool one_row = v.on_cores() && c(&Choices::k_lanes) == 1;
  const auto live = [&] { return c(&Choices::rows) * c(&Choices::vectors) + (one_row ? 0 : c(&Choices::rows)) + c(&Choices::vectors); };
  while (live() > v.target.limits.live_vectors_max)
    if (!c.lower(c(&Choices::rows) >= c(&Choices::vectors) ? &Choices::rows : &Choices::vectors)) break;
}

// Of k, that a thread adds up one after the other before parts are joined.
int64_t steps_of_sum(const GroupView& v, const Choices& c) {
  const int64_t whole = parts(v.extents().k, c.slices);
  if (c.k_block > 0) return std::min(whole, c.k_block);
  return c.half_steps ? std::min(whole, half_steps(v)) : parts(whole, c.k_threads);
}

void repair_steps(const GroupView& v, OpenChoices& open) {
  const Choices c = open.all();
  const bool packed = c.packed_products != 0, staged = holds(c, Staging::kWorkgroup);
  const int64_t lanes = packed ? schedule::kPackedProducts : c.k_lanes;
  const int64_t tile = std::max(c.k_tile, lanes), steps = steps_of_sum(v, c);
  const std::vector<int> across = operands_across_lanes(v);
  if (!staged || steps <= tile) open.lower(&Choices::buffers);
  const bool is_across = std::any_of(across.begin(), across.end(), [&](int i) { return operand(c, static_cast<size_t>(i)) == Staging::kWorkgroup; });
  if (packed || !is_across) open.lower(&Choices::padded);
  const auto fits = [&](int64_t copies) {
    if (holds(c, Staging::kLane)) return copies == 1;  // their tiles are straight-line code
    return staged ? tile / lanes % copies == 0 : 2 * copies * lanes <= steps;
  };
  while (!fits(open(&Choices::k_unroll)) && open.lower(&Choices::k_unroll)) {}
}

void repair_tile(const GroupView& v, OpenChoices& c) {
  repair_lanes(v, c);
  // Of one tile no operand is used again.
  while (c(&Choices::row_blocks) * c(&Choices::lane_blocks) == 1 && c.lower(&Choices::k_block)) {}
  if (c(&Choices::k_threads) > 1) c.lower(&Choices::half_steps);  // a thread's part of k is one sum
  repair_registers(v, c);
  repair_steps(v, c);
}

// More blocks than the grid has are folded into items.
void repair_grid(const GroupView& v, OpenChoices& c) {
  const auto blocks = [&] { return v.extents().lanes / (c(&Choices::lanes) * c(&Choices::lane_threads) * c(&Choices::lane_blocks) * c(&Choices::vectors)); };
  for (Choice level : {&Choices::lane_threads, &Choices::lane_blocks, &Choices::vectors})
    while (blocks() >= v.target.limits.grid_dim_max && c.raise(level)) {}
}

}  // namespace

int OpenChoices::position(Choice choice) const {
  const Handle own{choice, group_}, of_program{choice, 0};
  const bool shared = subject_of(choice) == Subject::kProgram;
  for (size_t i = 0; i < count_; ++i)
    if (decisions_[i].handle == (shared ? of_program : own)) return static_cast<int>(i);
  return -1;
}

int64_t OpenChoices::operator()(Choice choice) const {
  const int at = position(choice);
  if (at < 0) return Choices{}.*choice;
  return decisions_[static_cast<size_t>(at)].values[static_cast<size_t>(assignment_[static_cast<size_t>(at)])];
}

bool OpenChoices::lower(Choice choice) {
  const int at = position(choice);
  if (at < 0 || assignment_[static_cast<size_t>(at)] == 0) return false;
  --assignment_[static_cast<size_t>(at)];
  return true;
}

bool OpenChoices::raise(Choice choice) {
  const int at = position(choice);
  if (at < 0 || assignment_[static_cast<size_t>(at)] + 1 == static_cast<int>(decisions_[static_cast<size_t>(at)].values.size())) return false;
  ++assignment_[static_cast<size_t>(at)];
  return true;
}

void OpenChoices::clear_but(const std::vector<Choice>& kept) {
  for (size_t i = 0; i < count_; ++i) {
    const Handle& handle = decisions_[i].handle;
    const Subject subject = subject_of(handle.choice);
    const bool is_own = handle.group == group_ && subject != Subject::kProducer && subject != Subject::kProgram;
    if (is_own && std::find(kept.begin(), kept.end(), handle.choice) == kept.end()) assignment_[i] = 0;
  }
}

Choices OpenChoices::all() const {
  Choices c;
  for (size_t i = 0; i < count_; ++i) {
    const Decision& d = decisions_[i];
    const Subject subject = subject_of(d.handle.choice);
    if (subject != Subject::kProducer && (subject == Subject::kProgram || d.handle.group == group_))
      c.*d.handle.choice = d.values[static_cast<size_t>(assignment_[i])];
  }
  return c;
}

double waste(int64_t extent, int64_t tile) {
  if (extent <= 0) return 1;
  return static_cast<double>(parts(extent, tile) * tile) / static_cast<double>(extent);
}

void repair_group(const GroupView& v, OpenChoices& c) {
  if (v.on_textures()) repair_targets(v, c);
  if (c(&Choices::in_order)) c.clear_but({&Choices::in_order, &Choices::lanes, &Choices::vectors, &Choices::lane_threads});
  repair_waste(v, c);
  if (v.on_textures()) return;
  repair_threads(v, c);
  if (v.has_k()) repair_tile(v, c);
  if (!v.group.row) repair_grid(v, c);
}

}  // namespace hone::tuner
