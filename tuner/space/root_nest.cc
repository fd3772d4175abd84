#include "tuner/space/root_nest.h"

#include <algorithm>
#include <map>

#include "codegen/target/levels.h"
#include "tuner/space/fragments.h"

namespace hone::tuner {

namespace {

using target::Level;
using Names = std::vector<std::string>;

class RootArranger {
 public:
  RootArranger(TraceBuilder& t, const std::string& stage, const Group& group, const Choices& choices, int slice)
      : t_(t), stage_(stage), root_(t.stage(stage)->compute), group_(group), c_(choices), slice_(slice) {}

  RootNest arrange() {
    arrange_directions();
    const target::LevelSets& sets = target::level_sets(t_.target().kind);
    const std::string rows = nest_.rows, lanes = nest_.lanes;
    if (!block_.empty()) at_[sets.rows.front()].push_back(block_);
    if (!rows.empty()) cut(rows, sets.rows, &RootArranger::rows_at, "rows", patch_along(group_.row_axes));
    if (!lanes.empty()) cut(lanes, lane_levels(), &RootArranger::lanes_at, "lanes", patch_along(group_.lane_axes));
    if (c_.lanes_outer && !rows.empty() && !lanes.empty()) put_lanes_outside();
    order_by_level();
    bind();
    return nest_;
  }

 private:
  int64_t patch(int axis) const { return group_.patch_extents.empty() ? 1 : group_.patch_extents[static_cast<size_t>(axis)]; }
  // Rows and lanes with a patch are one axis.
  int64_t patch_along(const std::vector<int>& axes) const { return axes.size() == 1 ? patch(axes[0]) : 1; }

  int64_t rows_at(Level level) const {
    return level == Level::kThread ? c_.row_threads : level == Level::kTile ? c_.row_blocks : c_.rows;
  }
  int64_t lanes_at(Level level) const {
    if (level == Level::kVector) return c_.lanes;
    return level == Level::kThread ? c_.lane_threads : level == Level::kTile ? c_.lane_blocks : c_.vectors;
  }

  std::vector<Level> lane_levels() const {
    const target::Kind kind = t_.target().kind;
    if (group_.row) return target::levels_of_lines(kind);
    return group_.k_axis < 0 ? target::levels_of_elements(kind) : target::level_sets(kind).lanes;
  }

  // A patch of an axis of the blocks is cut off at once. Nothing is left of an axis that is one patch.
  std::string block_loop(int axis) {
    const te::Axis& a = root_.axes[static_cast<size_t>(axis)];
    if (patch(axis) == 1) return a.name;
    if (patch(axis) >= a.extent) {
      patches_.push_back(a.name);
      return "";
    }
    t_.add(schedule::split(stage_, a.name, {patch(axis)}, "guard"));
    patches_.push_back(a.name + ".1");
    return a.name + ".0";
  }

  Names names_of(const std::vector<int>& axes) const {
    Names names;
    for (int axis : axes) names.push_back(root_.axes[static_cast<size_t>(axis)].name);
    return names;
  }

  // Neighbouring loops as one.
  std::string fused(const Names& loops, const char* wanted) {
    if (loops.size() <= 1) return loops.empty() ? "" : loops[0];
    const std::string name = t_.free_axis(stage_, wanted);
    t_.add(schedule::fuse(stage_, loops, name));
    return name;
  }

  // Blocks, rows, lanes: one loop each.
  void arrange_directions() {
    std::vector<int> outer = group_.batch_axes, inner = group_.row_axes;
    if (c_.inner_rows && inner.size() > 1) {
      outer.insert(outer.end(), inner.begin(), inner.end() - 1);
      inner = {inner.back()};
    }
    if (slice_ >= 0) outer.insert(outer.begin(), slice_);
    Names blocks, rows = names_of(inner), lanes = names_of(group_.lane_axes);
    for (int axis : outer)
      if (const std::string loop = block_loop(axis); !loop.empty()) blocks.push_back(loop);
    Names order;
    for (const Names* part : {&blocks, &rows, &lanes, &patches_}) order.insert(order.end(), part->begin(), part->end());
    reorder(order);
    block_ = fused(blocks, "z");
    nest_.rows = fused(rows, "m");
    nest_.lanes = fused(lanes, "p");
  }

  void reorder(const Names& order) {
    const schedule::Stage* stage = t_.stage(stage_);
    const auto same = [](const schedule::Loop& loop, const std::string& name) { return loop.name == name; };
    if (stage && !std::equal(stage->order.begin(), stage->order.end(), order.begin(), order.end(), same)) t_.add(schedule::reorder(stage_, order));
  }

  // Vectors of one element are no loop. Elements of a patch are items.
  void cut(const std::string& loop, const std::vector<Level>& levels, int64_t (RootArranger::*size)(Level) const, const char* word, int64_t patch) {
    std::vector<int64_t> factors;
    const auto add = [&](Level level, int64_t factor) {
      factors.push_back(factor);
      at_[level].push_back(loop + "." + std::to_string(factors.size()));
      if (level == Level::kItem && factor > 1) nest_.unrolled.push_back(at_[level].back());
    };
    at_[levels.front()].push_back(loop + ".0");
    for (size_t i = 1; i < levels.size(); ++i)
      if (const int64_t factor = (this->*size)(levels[i]); levels[i] != Level::kVector || factor > 1) add(levels[i], factor);
    if (patch > 1) add(Level::kItem, patch);
    t_.add(schedule::split(stage_, loop, factors, "guard", word));
    const bool is_lanes = loop == nest_.lanes;
    if (is_lanes && at_.count(Level::kVector)) nest_.vector = at_[Level::kVector].back();
    if (is_lanes && at_.count(Level::kItem)) nest_.items = at_[Level::kItem].back();
    if (!is_lanes) nest_.around_row = at_[at_.count(Level::kThread) ? Level::kThread : Level::kTile].back();
  }

  // Of the cores' loops, and of the tiles': those of the rows and the lanes are the last two.
  void put_lanes_outside() {
    for (const Level level : {Level::kCore, Level::kTile}) std::iter_swap(at_[level].end() - 1, at_[level].end() - 2);
  }

  void order_by_level() {
    at_[Level::kItem].insert(at_[Level::kItem].end(), patches_.begin(), patches_.end());
    nest_.unrolled.insert(nest_.unrolled.end(), patches_.begin(), patches_.end());
    Names order;
    for (const auto& [level, loops] : at_) {
      order.insert(order.end(), loops.begin(), loops.end());
      if (level < Level::kItem && !loops.empty()) nest_.around = loops.back();
    }
    reorder(order);
  }

  // The grid's dimensions and a workgroup's from the innermost loop out. Where lanes of subgroups join parts, they are the first threads.
  void bind() {
    if (at_.count(Level::kCore)) nest_.core = share_among_cores(t_, stage_, at_[Level::kCore]);
    const char* blocks[] = {"block.x", "block.y", "block.z"};
    const Names& grid = at_[Level::kGrid];
    for (size_t i = 0; i < grid.size(); ++i) t_.add(schedule::bind(stage_, grid[i], blocks[grid.size() - 1 - i]));
    for (const std::string& loop : at_[Level::kThread]) {
      const bool is_row = loop == nest_.around_row;
      t_.add(schedule::bind(stage_, loop, is_row ? "thread.y" : c_.k_subgroups && c_.k_threads > 1 ? "thread.z" : "thread.x"));
    }
  }

  TraceBuilder& t_;
  const std::string stage_;
  const te::Compute root_;
  const Group& group_;
  const Choices& c_;
  const int slice_;
  std::string block_;
  Names patches_;  // unrolled loops of blocks' axes
  std::map<Level, Names> at_;
  RootNest nest_;
};

RootNest arrange_fragment_root(TraceBuilder& t, const std::string& stage, const Group& group, const Choices& c, int slice) {
  std::vector<int> order = group.order;
  if (slice >= 0) order.insert(order.begin(), slice);
  const te::Compute root = t.stage(stage)->compute;
  const FragmentAxes axes = fragment_axes(t.task(), root, order);
  RootNest nest{.rows = axes.row < 0 ? "" : root.axes[static_cast<size_t>(axes.row)].name};
  nest.around = nest.around_row = arrange_fragments(t, stage, axes, {c.rows, c.vectors, c.squares != 0});
  return nest;
}

}  // namespace

RootNest arrange_root(TraceBuilder& t, const std::string& stage, const Group& group, const Choices& choices, int slice) {
  if (!t.stage(stage)) return {};
  if (target::on_textures(t.target().kind)) return arrange_fragment_root(t, stage, group, choices, slice);
  return RootArranger(t, stage, group, choices, slice).arrange();
}

void annotate_root(TraceBuilder& t, const std::string& stage, const RootNest& nest) {
  if (!nest.vector.empty()) t.add(schedule::vectorize(stage, nest.vector));
  for (const std::string& loop : nest.unrolled) t.add(schedule::unroll(stage, loop));
}

}  // namespace hone::tuner
