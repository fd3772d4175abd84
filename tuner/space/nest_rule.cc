#include <algorithm>

#include "base/cat.h"
#include "codegen/ir/mutator.h"
#include "tuner/space/accumulator.h"
#include "tuner/space/held_parts.h"
#include "tuner/space/row_chain.h"
#include "tuner/space/rules.h"

namespace hone::tuner {

namespace {

using schedule::Loop;
using Names = std::vector<std::string>;

Names names_of(const std::vector<Loop>& loops) {
  Names names;
  for (const Loop& loop : loops) names.push_back(loop.name);
  return names;
}

class NestRule {
 public:
  NestRule(TraceBuilder& t, const Group& group, const Choices& choices) : t_(t), group_(group), c_(choices), sums_{.t = t, .group = group, .c = choices} {}

  void apply() {
    root_ = compute(group_.root).name;
    for (int map : group_.between) t_.add(schedule::inline_stage(compute(map).name));
    group_.reduction < 0 ? apply_map() : apply_reduction();
  }

 private:
  const te::Compute& compute(int i) const { return t_.task().program.computes[static_cast<size_t>(i)]; }
  bool on_textures() const { return target::on_textures(t_.target().kind); }
  // Where nothing is used again operands are read as they lie, and all of the reduction is a window.
  bool has_k() const { return group_.k_axis >= 0; }

  void apply_map() {
    const RootNest nest = arrange_root(t_, root_, group_, c_);
    if (!group_.parts.empty()) hold_parts(t_, group_, c_, nest);
    annotate_root(t_, root_, nest);
  }

  void apply_reduction() {
    if (compute(group_.root).axes.empty()) return;  // a scalar: no loop in which registers could be filled
    open_accumulator();
    const std::string acc = sums_.stage, joined = share_k();
    const schedule::Stage* root = t_.stage(root_);
    const int slice = slice_.empty() || !root ? -1 : static_cast<int>(root->compute.axes.size()) - 1;
    sums_.root = arrange_root(t_, root_, group_, c_, slice);
    if (sums_.root.around.empty()) t_.refuse(ErrorCode::kIllegalSchedule, "one output has no loop to accumulate in");
    attach(joined.empty() ? sums_.stage : joined);
    if (!joined.empty()) c_.k_block > 0 ? join_blocks(joined) : join_parts(joined);
    arrange_accumulator();
    if (has_k()) load_operands(sums_);
    annotate_accumulator();
    annotate_root(t_, root_, sums_.root);
    if (c_.slices > 1) join_slices();
  }

  // The stage that accumulates in registers: split off the root, or the reduction in front of its epilogue.
  void open_accumulator() {
    if (has_k()) {
      const te::Axis& k = sums_.reduction().reduce->axes[static_cast<size_t>(group_.k_axis)];
      sums_.k_name = k.name, sums_.k_extent = k.extent;
    }
    const std::string sum = sums_.reduction().name;
    if (c_.slices > 1) {
      slice_ = sums_.cut_k(sum, parts_of(c_.slices));
      root_ = sum + ".rf";
    }
    if (c_.slices > 1 || group_.reduction == group_.root) {
      t_.add(schedule::cache_write(root_, "register"));
      sums_.stage = root_ + ".acc";
      if (c_.slices > 1 && c_.narrow) keep_half(t_, root_);
    } else {
      sums_.stage = sum;
      t_.add(schedule::set_scope(sum, "register"));
    }
  }

  int64_t parts_of(int64_t count) const { return (sums_.k_extent + count - 1) / count; }

  // Threads accumulate a part of k each; on cores each block of k is a part, and each sum in f16 is one. The stage that joins the parts,
  // "" where k is whole.
  std::string share_k() {
    const std::string joined = sums_.stage;
    if (c_.k_threads > 1 && !has_k()) fuse_reduction();
    const int64_t steps = c_.k_block > 0 ? c_.k_block : c_.half_steps, parts = steps > 0 ? parts_of(steps) : c_.k_threads;
    if (c_.k_block == 0 && parts == 1) return "";
    part_ = sums_.cut_k(joined, parts_of(parts));
    sums_.stage += ".rf";
    return joined;
  }

  // All of the reduction as one axis k, in the order of memory.
  void fuse_reduction() {
    const std::vector<int> order = reduce_order(t_.task(), sums_.reduction());
    Names axes;
    for (int a : order) axes.push_back(sums_.reduction().reduce->axes[static_cast<size_t>(a)].name);
    if (!std::is_sorted(order.begin(), order.end())) t_.add(schedule::reorder(sums_.stage, axes));
    sums_.k_name = axes[0];
    if (axes.size() > 1) t_.add(schedule::fuse(sums_.stage, axes, sums_.k_name = "k_"));
    for (const te::Axis& axis : sums_.reduction().reduce->axes) sums_.k_extent *= axis.extent;
  }

  // Under all that a thread computes; where its vectors are no interval of one axis, under each of them.
  void attach(const std::string& stage) {
    int64_t lane_axes = 0;
    for (int axis : group_.lane_axes) lane_axes += compute(group_.root).axes[static_cast<size_t>(axis)].extent > 1;
    const RootNest& nest = sums_.root;
    t_.add(schedule::compute_at(stage, root_, c_.k_block > 0 ? nest.core : lane_axes > 1 && !on_textures() ? nest.items : nest.around));
  }

  // For each block of k the block's tiles, one after the other, add what they accumulated to sums in the core's memory: the block's part of
  // each operand stays in a cache meanwhile (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, §4).
  void join_blocks(const std::string& joined) {
    const std::string rows = tiles_of(joined, sums_.rows_of(joined), c_.rows);
    const std::string lanes = tiles_of(joined, sums_.lanes_of(joined), c_.vectors * c_.lanes);
    Names tiles = c_.lanes_outer ? Names{lanes, rows} : Names{rows, lanes};
    std::erase(tiles, "");
    arrange_joined(joined, tiles);
    t_.add(schedule::compute_at(sums_.stage, joined, tiles.empty() ? part_ : tiles.back()));
  }

  // Of threads side by side, or in one thread, in f16, one after the other.
  void join_parts(const std::string& joined) {
    arrange_joined(joined, {});
    if (c_.half_steps == 0) t_.add(schedule::bind(joined, part_, c_.k_subgroups ? "lane" : "thread.z"));
    t_.add(schedule::compute_at(sums_.stage, joined, part_));
    if (c_.half_steps > 0) t_.add(schedule::precision(sums_.stage, "f16"));
  }

  // The parts outside, the tiles under each, in straight-line code what a tile has.
  void arrange_joined(const std::string& joined, const Names& tiles) {
    const std::string vector = sums_.vector_of(joined, sums_.lanes_of(joined), c_.lanes);
    const schedule::Stage* stage = t_.stage(joined);
    if (!stage) return;
    Names order{part_}, copied;
    order.insert(order.end(), tiles.begin(), tiles.end());
    for (const Loop& l : stage->order)
      if (!l.reduce && l.name != vector && std::find(tiles.begin(), tiles.end(), l.name) == tiles.end()) {
        order.push_back(l.name);
        if (l.extent > 1) copied.push_back(l.name);
      }
    if (!vector.empty()) order.push_back(vector);
    t_.add(schedule::reorder(joined, order));
    if (!vector.empty()) t_.add(schedule::vectorize(joined, vector));
    for (const std::string& name : copied) t_.add(schedule::unroll(joined, name));
  }

  // Cuts an axis of an attached stage into tiles; their loop, "" where there is one.
  std::string tiles_of(const std::string& stage, int axis, int64_t tile) {
    const std::vector<Loop> loops = axis < 0 ? std::vector<Loop>{} : t_.loops_of_axis(stage, static_cast<size_t>(axis));
    if (loops.size() != 1 || loops[0].extent <= tile) return "";
    t_.add(schedule::split(stage, loops[0].name, {tile}));
    return loops[0].name + ".0";
  }

  // k: tiles that are staged, copies, steps at once.
  void cut_steps() {
    sums_.k_loops = Names{sums_.k_name};
    const bool staged = holds(c_, Staging::kWorkgroup) || holds(c_, Staging::kLane);
    std::vector<int64_t> factors;
    if (staged) factors.push_back(std::max(c_.k_tile, c_.k_lanes) / c_.k_lanes / c_.k_unroll);
    if (c_.k_unroll > 1) factors.push_back(c_.k_unroll);
    if (c_.k_lanes > 1) factors.push_back(c_.k_lanes);
    if (factors.empty()) return;
    int64_t step = 1;
    for (int64_t f : factors) step *= f;
    t_.add(schedule::split(sums_.stage, sums_.k_name, factors, sums_.k_extent % step ? "peel" : "guard", "k"));
    sums_.k_loops.clear();
    for (size_t i = 0; i <= factors.size(); ++i) sums_.k_loops.push_back(cat(sums_.k_name, ".", i));
  }

  // The reduction's loops outside, what a thread accumulates inside. A word of packed products is innermost.
  void arrange_accumulator() {
    if (has_k()) cut_steps();
    const schedule::Stage* stage = t_.stage(sums_.stage);
    if (!stage) return;
    for (const Loop& loop : stage->order)
      if (loop.reduce && std::find(sums_.k_loops.begin(), sums_.k_loops.end(), loop.name) == sums_.k_loops.end()) sums_.window_loops.push_back(loop.name);
    find_items();
    const Names steps = ordered_steps();
    const bool word = c_.packed_products != 0;
    if (word) sums_.around_inner_k = steps[steps.size() - 2];
    Names order(steps.begin(), steps.end() - (word ? 1 : 0));
    for (const auto* loops : {&row_loops_, &lane_loops_})
      for (const std::string& name : names_of(*loops)) order.push_back(name);
    if (word) order.push_back(steps.back());
    t_.add(schedule::reorder(sums_.stage, order));
    if (!word && steps.size() > 1) sums_.around_inner_k = steps[steps.size() - 2];
  }

  // Of what a thread accumulates: the loops along the lanes, and all others of several elements.
  void find_items() {
    lane_loops_ = sums_.loops_cut(sums_.stage, sums_.lanes_of(sums_.stage), c_.lanes);
    const Names lanes = names_of(lane_loops_);
    const schedule::Stage* stage = t_.stage(sums_.stage);
    for (const Loop& loop : stage ? stage->order : std::vector<Loop>{})
      if (!loop.reduce && loop.extent > 1 && std::find(lanes.begin(), lanes.end(), loop.name) == lanes.end()) row_loops_.push_back(loop);
  }

  // The window's loops around those of k, but for its first where so chosen.
  Names ordered_steps() const {
    const Names& k = sums_.k_loops;
    Names order;
    const std::ptrdiff_t outside = c_.k_first && !k.empty() ? 1 : 0;
    order.insert(order.end(), k.begin(), k.begin() + outside);
    order.insert(order.end(), sums_.window_loops.begin(), sums_.window_loops.end());
    order.insert(order.end(), k.begin() + outside, k.end());
    return order;
  }

  void annotate_accumulator() {
    const std::string& acc = sums_.stage;
    const Names& k = sums_.k_loops;
    std::string vector = c_.lanes > 1 && !lane_loops_.empty() && lane_loops_.back().extent == c_.lanes ? lane_loops_.back().name : "";
    if (c_.packed_products) vector = k.back();
    if (!vector.empty()) t_.add(schedule::vectorize(acc, vector));
    for (const std::string& loop : steps_at_once()) t_.add(schedule::unroll(acc, loop));
    if (c_.k_unroll > 1) t_.add(schedule::unroll(acc, k[k.size() - (c_.k_lanes > 1 ? 2 : 1)]));
    for (const auto* loops : {&row_loops_, &lane_loops_})
      for (const Loop& loop : *loops)
        if (loop.name != vector && loop.extent > 1) t_.add(schedule::unroll(acc, loop.name));
    unroll_windows();
  }

  // Loops over k that are copies: of a tile that lanes hold all but the tiles', as registers are indexed by literals; else the steps that are taken at once.
  Names steps_at_once() const {
    const Names& k = sums_.k_loops;
    if (has_k() && holds(c_, Staging::kLane)) return {k.begin() + 1, k.end()};
    return c_.k_lanes > 1 && !c_.packed_products ? Names{k.back()} : Names{};
  }

  // The innermost first; an axis of one step is none.
  void unroll_windows() {
    const schedule::Stage* stage = t_.stage(sums_.stage);
    if (!stage || (!has_k() && !part_.empty())) return;
    Names open;
    for (const Loop& loop : stage->order)
      if (loop.extent > 1 && std::find(sums_.window_loops.begin(), sums_.window_loops.end(), loop.name) != sums_.window_loops.end()) open.push_back(loop.name);
    for (size_t i = 0; i < open.size() && static_cast<int64_t>(i) < c_.unrolled_windows; ++i) t_.add(schedule::unroll(sums_.stage, open[open.size() - 1 - i]));
  }

  // A launch of its own adds up the slices' sums, each output by itself.
  void join_slices() {
    Group joined = group_;
    joined.k_axis = -1;
    joined.row_axes = joined.batch_axes = joined.between = {};
    joined.lane_axes = group_.order;
    const Choices c{.rows = on_textures() ? c_.rows : 1, .lane_threads = 64, .vectors = on_textures() ? c_.vectors : 1, .lanes = c_.lanes, .unrolled_windows = 1};
    NestRule(t_, joined, c).apply();
  }

  TraceBuilder& t_;
  const Group& group_;
  const Choices& c_;
  std::string root_, slice_, part_;  // the stage that writes; the loops of the slices and of the parts of k
  Accumulator sums_;
  std::vector<Loop> row_loops_, lane_loops_;  // of the accumulator
};

}  // namespace

void apply_nest(TraceBuilder& t, const Group& group, const Choices& choices) { NestRule(t, group, choices).apply(); }

}  // namespace hone::tuner
