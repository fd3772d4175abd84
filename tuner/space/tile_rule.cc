#include <algorithm>
#include <set>
#include <utility>

#include "base/cat.h"
#include "codegen/ir/mutator.h"
#include "codegen/schedule/packed_product.h"
#include "tuner/space/fragments.h"
#include "tuner/space/operand.h"
#include "tuner/space/rules.h"
#include "tuner/space/shared_copy.h"

namespace hone::tuner {

namespace {

using schedule::Loop;
using schedule::Step;

class TileRule {
 public:
  TileRule(TraceBuilder& t, const Group& group, const Choices& choices) : t_(t), group_(group), c_(choices) {}

  void apply() {
    const te::Axis& k = compute(group_.reduction).reduce->axes[static_cast<size_t>(group_.k_axis)];
    k_name_ = k.name;
    k_extent_ = k.extent;
    open_accumulator();
    const te::Compute root = t_.stage(root_) ? t_.stage(root_)->compute : compute(group_.root);
    lane_name_ = group_.lane_axis < 0 ? "" : root.axes[static_cast<size_t>(group_.lane_axis)].name;
    std::string joined = share_k();
    if (on_textures()) {
      arrange_fragment_root(root);
    } else {
      arrange_root(root);
      tile_root();
    }
    if (c_.k_block > 0) {
      t_.add(schedule::compute_at(joined, root_, core_loop_));
      join_blocks(joined);
    } else {
      t_.add(schedule::compute_at(joined.empty() ? acc_ : joined, root_, innermost_tile_loop_));
      if (!joined.empty()) join_parts(joined);
    }
    arrange_accumulator();
    load_operands();
    annotate();
    if (c_.slices > 1)
      apply_line(t_, group_, {.rows = c_.rows, .lane_threads = 64, .vectors = on_textures() ? c_.vectors : 1, .lanes = c_.lanes, .unrolled_windows = 1});
  }

 private:
  bool on_textures() const { return target::on_textures(t_.target().kind); }

  // Slices of k are the output's outermost rows.
  void arrange_fragment_root(const te::Compute& root) {
    std::vector<int> order = group_.order;
    if (!slice_.empty()) order.insert(order.begin(), static_cast<int>(root.axes.size()) - 1);
    const FragmentAxes axes = fragment_axes(t_.task(), root, order);
    fragment_row_ = axes.row;
    innermost_tile_loop_ = arrange_fragments(t_, root_, axes, {c_.rows, c_.vectors, c_.squares != 0});
    if (innermost_tile_loop_.empty()) t_.refuse(ErrorCode::kIllegalSchedule, "one output has no loop to accumulate in");
  }

  const te::Compute& compute(int i) const { return t_.task().program.computes[static_cast<size_t>(i)]; }

  // The stage that accumulates in registers: split off the root, or the reduction in front of its epilogue.
  void open_accumulator() {
    root_ = compute(group_.root).name;
    if (c_.slices > 1) {
      std::string sum = compute(group_.reduction).name;
      slice_ = cut_k(sum, c_.slices);
      root_ = sum + ".rf";
      acc_ = root_ + ".acc";
      t_.add(schedule::cache_write(root_, "register"));
      keep_narrow(root_);
      return;
    }
    if (group_.reduction == group_.root) {
      t_.add(schedule::cache_write(root_, "register"));
      acc_ = root_ + ".acc";
      return;
    }
    for (int map : group_.between) t_.add(schedule::inline_stage(compute(map).name));
    acc_ = compute(group_.reduction).name;
    t_.add(schedule::set_scope(acc_, "register"));
  }

  void keep_narrow(const std::string& name) {
    const schedule::Stage* stage = t_.stage(name);
    if (const auto product = schedule::packed_product(compute(group_.reduction));
        c_.packed_products && product && name != root_)
      return t_.add(schedule::precision(name, std::string(ir::dtype_name(product->a->type.dtype))));
    if (c_.narrow && stage && stage->compute.outputs[0]->dtype == ir::DType::kF32)
      t_.add(schedule::precision(name, "f16"));
  }

  // Cuts k into `parts` and leaves `stage` to join them; the parts' loop is the result, and `stage.rf` reduces the rest of k.
  std::string cut_k(const std::string& stage, int64_t parts) {
    int64_t length = (k_extent_ + parts - 1) / parts;
    t_.add(schedule::split(stage, k_name_, {length}, "peel", "k"));
    std::string part = k_name_ + ".0";
    t_.add(schedule::rfactor(stage, part));
    k_name_ += ".1";
    k_extent_ = length;
    return part;
  }

  // Each thread along z accumulates a part of k; on cores each block of k is a part, and each sum in f16 is one. The stage that joins the parts,
  // "" where k is whole.
  std::string share_k() {
    const int64_t steps = c_.k_block > 0 ? c_.k_block : c_.half_steps;
    const int64_t parts = steps > 0 ? (k_extent_ + steps - 1) / steps : c_.k_threads;
    if (c_.k_block == 0 && parts == 1) return "";
    std::string joined = acc_;
    part_ = cut_k(acc_, parts);
    acc_ += ".rf";
    return joined;
  }

  // For each block of k the block's tiles, one after the other, add what they accumulated to sums in the core's memory: the block's part of
  // each operand stays in a cache meanwhile (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, §4).
  void join_blocks(const std::string& joined) {
    const std::string rows = tiles_of(joined, row_axis_of(joined), c_.rows);
    const std::string lanes = tiles_of(joined, lane_axis_of(joined), c_.vectors * c_.lanes);
    std::vector<std::string> order{part_}, tiles{lanes, rows};
    if (!c_.lanes_outer) std::swap(tiles[0], tiles[1]);
    std::erase(tiles, "");
    order.insert(order.end(), tiles.begin(), tiles.end());
    const std::string vector = vector_of(joined);
    const schedule::Stage* stage = t_.stage(joined);
    if (!stage) return;
    std::vector<std::string> inner;
    for (const Loop& l : stage->order)
      if (!l.reduce && l.name != vector && std::find(tiles.begin(), tiles.end(), l.name) == tiles.end())
        inner.push_back(l.name);
    order.insert(order.end(), inner.begin(), inner.end());
    if (!vector.empty()) order.push_back(vector);
    t_.add(schedule::reorder(joined, order));
    if (!vector.empty()) t_.add(schedule::vectorize(joined, vector));
    for (const std::string& name : inner) t_.add(schedule::unroll(joined, name));
    t_.add(schedule::compute_at(acc_, joined, tiles.empty() ? part_ : tiles.back()));
  }

  // Cuts an axis of an attached stage into tiles; their loop, "" where there is one.
  std::string tiles_of(const std::string& stage, int axis, int64_t tile) {
    if (axis < 0) return "";
    const std::vector<Loop> loops = t_.loops_of_axis(stage, static_cast<size_t>(axis));
    if (loops.size() != 1 || loops[0].extent <= tile) return "";
    t_.add(schedule::split(stage, loops[0].name, {tile}));
    return loops[0].name + ".0";
  }

  // Cuts the lanes' last loop into vectors; the vector's loop, "" where there is none.
  std::string vector_of(const std::string& stage) {
    const int axis = lane_axis_of(stage);
    if (axis < 0 || c_.lanes == 1) return "";
    const std::vector<Loop> loops = lane_loops(stage, static_cast<size_t>(axis));
    return !loops.empty() && loops.back().extent == c_.lanes ? loops.back().name : "";
  }

  // Of threads side by side, or in one thread, in f16, one after the other.
  void join_parts(const std::string& joined) {
    const std::string vector = vector_of(joined);
    const schedule::Stage* stage = t_.stage(joined);
    if (!stage) return;
    std::vector<std::string> order{part_}, unrolled;
    for (const Loop& l : stage->order) {
      if (l.reduce) continue;
      order.push_back(l.name);
      if (l.extent > 1 && l.name != vector) unrolled.push_back(l.name);
    }
    t_.add(schedule::reorder(joined, order));
    if (c_.half_steps == 0) t_.add(schedule::bind(joined, part_, c_.k_subgroups ? "lane" : "thread.z"));
    if (!vector.empty()) t_.add(schedule::vectorize(joined, vector));
    for (const std::string& name : unrolled) t_.add(schedule::unroll(joined, name));
    t_.add(schedule::compute_at(acc_, joined, part_));
    if (c_.half_steps > 0) t_.add(schedule::precision(acc_, "f16"));
  }

  std::string join(const te::Compute& root, const std::vector<int>& axes, const char* wanted) {
    if (axes.empty()) return "";
    std::vector<std::string> names;
    for (int a : axes) names.push_back(root.axes[static_cast<size_t>(a)].name);
    if (names.size() == 1) return names[0];
    const std::string name = t_.free_axis(root_, wanted);
    t_.add(schedule::fuse(root_, names, name));
    return name;
  }

  // Loops of the root: one over blocks, one over rows, one over lanes.
  void arrange_root(const te::Compute& root) {
    std::vector<int> blocks = group_.batch_axes, rows = group_.row_axes;
    if (c_.inner_rows && rows.size() > 1) {
      blocks.insert(blocks.end(), rows.begin(), rows.end() - 1);
      rows = {rows.back()};
    }
    if (!slice_.empty()) blocks.insert(blocks.begin(), static_cast<int>(root.axes.size()) - 1);
    std::vector<int> order = blocks;
    order.insert(order.end(), rows.begin(), rows.end());
    if (group_.lane_axis >= 0) order.push_back(group_.lane_axis);
    if (!std::is_sorted(order.begin(), order.end())) {
      std::vector<std::string> names;
      for (int a : order) names.push_back(root.axes[static_cast<size_t>(a)].name);
      t_.add(schedule::reorder(root_, names));
    }
    block_loop_ = join(root, blocks, "z");
    row_name_ = join(root, rows, "m");
  }

  void tile_root() { target::on_cores(t_.target().kind) ? tile_root_for_cores() : tile_root_for_threads(); }

  void tile_root_for_threads() {
    std::vector<std::string> order;
    if (!block_loop_.empty()) order.push_back(block_loop_);
    const std::string r = row_name_, l = lane_name_;
    if (!r.empty()) t_.add(schedule::split(root_, r, {c_.row_threads, c_.rows}, "guard", "rows"));
    if (!l.empty()) t_.add(schedule::split(root_, l, lane_factors(c_.vectors, c_.lane_threads), "guard", "lanes"));
    if (!r.empty()) order.push_back(r + ".0");
    if (!l.empty()) order.push_back(l + ".0");
    if (!r.empty()) order.push_back(r + ".1");
    if (!l.empty()) order.push_back(l + ".2");
    if (!l.empty()) vectors_loop_ = l + ".1";
    add_inside_of_tile(order);
    t_.add(schedule::reorder(root_, order));
    if (!r.empty()) t_.add(schedule::bind(root_, r + ".0", "block.y"));
    if (!l.empty()) t_.add(schedule::bind(root_, l + ".0", "block.x"));
    if (!block_loop_.empty()) t_.add(schedule::bind(root_, block_loop_, "block.z"));
    if (!r.empty()) t_.add(schedule::bind(root_, r + ".1", "thread.y"));
    if (!l.empty()) t_.add(schedule::bind(root_, l + ".2", c_.k_subgroups && c_.k_threads > 1 ? "thread.z" : "thread.x"));
    innermost_tile_loop_ = l.empty() ? r + ".1" : l + ".2";
  }

  // Blocks of tiles, which the cores share, and the tiles of a block.
  void tile_root_for_cores() {
    const std::string r = row_name_, l = lane_name_;
    if (!r.empty()) t_.add(schedule::split(root_, r, {c_.row_blocks, c_.rows}, "guard", "rows"));
    if (!l.empty()) t_.add(schedule::split(root_, l, lane_factors(c_.lane_blocks, c_.vectors), "guard", "lanes"));
    std::vector<std::string> blocks, tiles;
    for (const std::string& axis : c_.lanes_outer ? std::vector{l, r} : std::vector{r, l}) {
      if (axis.empty()) continue;
      blocks.push_back(axis + ".0");
      tiles.push_back(axis + ".1");
    }
    if (!block_loop_.empty()) blocks.insert(blocks.begin(), block_loop_);
    if (!l.empty()) vectors_loop_ = l + ".2";
    std::vector<std::string> order = blocks;
    order.insert(order.end(), tiles.begin(), tiles.end());
    add_inside_of_tile(order);
    t_.add(schedule::reorder(root_, order));
    core_loop_ = share_among_cores(t_, root_, blocks);
    innermost_tile_loop_ = tiles.empty() ? core_loop_ : tiles.back();
  }

  std::vector<int64_t> lane_factors(int64_t outer, int64_t inner) const {
    std::vector<int64_t> factors{outer, inner};
    if (c_.lanes > 1) factors.push_back(c_.lanes);
    return factors;
  }

  void add_inside_of_tile(std::vector<std::string>& order) const {
    if (!row_name_.empty()) order.push_back(row_name_ + ".2");
    if (!lane_name_.empty()) order.push_back(vectors_loop_);
    if (!lane_name_.empty() && c_.lanes > 1) order.push_back(lane_name_ + ".3");
  }

  static std::vector<std::string> names_of(const std::vector<Loop>& loops) {
    std::vector<std::string> names;
    for (const Loop& loop : loops) names.push_back(loop.name);
    return names;
  }

  // The lane loops of an attached stage, the last of exactly c_.lanes iterations where lanes are wanted. Neighbouring vectors of one
  // thread merge into one interval; then the vector is cut off again.
  std::vector<Loop> lane_loops(const std::string& stage, size_t axis) { return loops_cut(stage, axis, c_.lanes); }

  std::vector<Loop> loops_cut(const std::string& stage, size_t axis, int64_t width) {
    std::vector<Loop> loops = t_.loops_of_axis(stage, axis);
    if (width == 1 || loops.empty() || loops.back().extent == width || loops.back().extent % width != 0) return loops;
    t_.add(schedule::split(stage, loops.back().name, {width}));
    return t_.loops_of_axis(stage, axis);
  }

  bool staged() const { return holds(c_, Staging::kWorkgroup) || spread(); }
  bool spread() const { return holds(c_, Staging::kLane); }

  // An accumulator's axes have the reduction's names, and the fused one the root's. The position of its lane axis:
  int lane_axis_of(const std::string& stage) const {
    if (group_.lane_axis < 0) return -1;
    return t_.axis_named(stage, compute(group_.reduction).axes[static_cast<size_t>(group_.lane_axis)].name);
  }
  int lane_axis_of_acc() const { return lane_axis_of(acc_); }

  int row_axis_of(const std::string& stage) const {
    const std::vector<te::Axis>& axes = compute(group_.reduction).axes;
    if (on_textures())
      return fragment_row_ < 0 || fragment_row_ >= static_cast<int>(axes.size())
                 ? -1
                 : t_.axis_named(stage, axes[static_cast<size_t>(fragment_row_)].name);
    int fused = t_.axis_named(stage, row_name_);
    if (fused >= 0 || group_.row_axes.empty()) return fused;
    return t_.axis_named(stage, compute(group_.reduction).axes[static_cast<size_t>(group_.row_axes.back())].name);
  }
  int row_axis_of_acc() const { return row_axis_of(acc_); }

  void arrange_accumulator() {
    const te::Compute& r = compute(group_.reduction);
    std::vector<int64_t> factors;
    int64_t k_tile = std::max(c_.k_tile, c_.k_lanes);
    if (staged()) factors.push_back(k_tile / c_.k_lanes / c_.k_unroll);
    if (c_.k_unroll > 1) factors.push_back(c_.k_unroll);
    if (c_.k_lanes > 1) factors.push_back(c_.k_lanes);
    k_loops_ = {k_name_};
    if (!factors.empty()) {
      int64_t step = 1;
      for (int64_t f : factors) step *= f;
      t_.add(schedule::split(acc_, k_name_, factors, k_extent_ % step ? "peel" : "guard", "k"));
      k_loops_.clear();
      for (size_t i = 0; i <= factors.size(); ++i) k_loops_.push_back(cat(k_name_, ".", i));
    }
    std::vector<std::string> order, windows;
    for (int w : group_.window_axes) windows.push_back(r.reduce->axes[static_cast<size_t>(w)].name);
    if (c_.k_first) order.push_back(k_loops_[0]);
    order.insert(order.end(), windows.begin(), windows.end());
    order.insert(order.end(), k_loops_.begin() + (c_.k_first ? 1 : 0), k_loops_.end() - (c_.packed_products ? 1 : 0));
    if (c_.packed_products) around_inner_k_ = order.back();
    if (int row = row_axis_of_acc(); row >= 0) row_loops_ = t_.loops_of_axis(acc_, static_cast<size_t>(row));
    if (int lane = lane_axis_of_acc(); lane >= 0) lane_loops_ = lane_loops(acc_, static_cast<size_t>(lane));
    for (const std::string& name : names_of(row_loops_)) order.push_back(name);
    for (const std::string& name : names_of(lane_loops_)) order.push_back(name);
    if (c_.packed_products) order.push_back(k_loops_.back());
    t_.add(schedule::reorder(acc_, order));
    window_loops_ = windows;
    if (c_.packed_products) return;
    auto inner = std::find(order.begin(), order.end(), k_loops_.back());
    around_inner_k_ = inner == order.begin() ? "" : *(inner - 1);
  }

  ir::Var variable(int axis) const { return axis_variable(t_, acc_, axis); }

  // An operand whose layout may not be chosen is copied first.
  void pack(const Operand& operand) {
    const Panels panels{acc_, variable(lane_axis_of_acc()), c_.vectors * c_.lanes};
    if (!panels.lane || operand.reads != 1 || !has_dimension(operand, panels.lane)) return;
    if (is_free_input(t_.task(), operand.load->buffer)) {
      if (c_.packed && lay_out_panels(t_, panels, operand)) packed_.insert(operand.tensor);
      return;
    }
    if (!c_.copied || reads_along(operand, variable(row_axis_of_acc()))) return;
    const std::string copy = t_.free_name(operand.tensor + ".p");
    t_.add(schedule::cache_read(operand.tensor, acc_, "global", copy));
    for (const Operand& read : operands_of(t_, acc_))
      if (read.tensor == copy && lay_out_panels(t_, panels, read)) packed_.insert(copy);
    arrange_copy(copy);
  }

  // The lanes innermost, as vectors; the cores share the rest.
  void arrange_copy(const std::string& copy) {
    const schedule::Stage* stage = t_.stage(copy);
    if (!stage) return;
    const std::string lane = lane_name_of_acc();
    std::vector<std::string> outer, order;
    for (const te::Axis& axis : stage->compute.axes)
      if (axis.name != lane) outer.push_back(axis.name);
    t_.add(schedule::split(copy, lane, {c_.lanes}, "guard", "lanes"));
    order = outer;
    order.insert(order.end(), {lane + ".0", lane + ".1"});
    t_.add(schedule::reorder(copy, order));
    share_among_cores(t_, copy, outer.empty() ? std::vector<std::string>{lane + ".0"} : outer);
    if (c_.lanes > 1) t_.add(schedule::vectorize(copy, lane + ".1"));
  }

  // The operand's dimensions along k and along the rows or the lanes share its texels.
  void square(const Operand& operand) {
    if (!is_open_input(t_.task(), operand.load->buffer)) return;
    std::vector<int> dims;
    const std::vector<ir::Expr>& index = operand.load->args;
    const ir::Var along[] = {variable(t_.axis_named(acc_, k_name_)), variable(row_axis_of_acc()),
                             variable(lane_axis_of_acc())};
    for (size_t d = 0; d < index.size(); d++)
      if (std::find(std::begin(along), std::end(along), index[d]) != std::end(along))
        dims.push_back(static_cast<int>(d));
    if (dims.size() == 2) lay_in_squares(t_, operand.load->buffer, dims[0], dims[1]);
  }

  bool is_width(int64_t lanes) const {
    const std::vector<int>& widths = t_.target().lanes;
    return std::find(widths.begin(), widths.end(), lanes) != widths.end();
  }

  // Each operand as words along k; constants lie so already.
  void load_packed_operands() {
    const std::vector<Operand> all = operands_of(t_, acc_);
    const ir::Var step = variable(t_.axis_named(acc_, k_name_));
    for (size_t i = 0; i < all.size() && t_.ok(); ++i) {
      if (is_free_input(t_.task(), all[i].load->buffer) && !contiguous_along(t_.task(), all[i], step))
        lay_out_groups(t_, all[i], step, c_.k_lanes);
      const Staging staging = operand(c_, i);
      if (staging == Staging::kDirect || all[i].reads > 1) continue;
      std::string source = all[i].tensor;
      if (staging == Staging::kWorkgroup) source = stage_in_workgroup(all[i], false, false, 1);
      const std::string held = t_.free_name(all[i].tensor + ".r");
      t_.add(schedule::cache_read(source, acc_, "register", held));
      keep_narrow(held);
      t_.add(schedule::compute_at(held, acc_, around_inner_k_));
      arrange_registers(held, false, true);
    }
  }

  // The k loop of a copy that is one word.
  std::string word_of(const std::string& copy, int k) {
    const std::vector<Loop> loops = k < 0 ? std::vector<Loop>{} : loops_cut(copy, static_cast<size_t>(k), c_.k_lanes);
    return !loops.empty() && loops.back().extent == c_.k_lanes ? loops.back().name : "";
  }

  void load_operands() {
    if (c_.packed_products) return load_packed_operands();
    std::vector<Operand> all = operands_of(t_, acc_);
    if (c_.squares)
      for (const Operand& operand : all) square(operand);
    if (c_.packed || c_.copied) {
      for (const Operand& operand : all) pack(operand);
      all = operands_of(t_, acc_);
    }
    std::string inner_k = k_loops_.back();
    for (size_t i = 0; i < all.size() && t_.ok(); ++i) {
      const Staging staging = operand(c_, i);
      if (staging == Staging::kDirect || all[i].reads > 1) continue;
      std::string name = all[i].tensor;
      int lane = lane_axis_of_acc();
      int k = t_.axis_named(acc_, k_name_);
      bool along_lanes =
          c_.lanes > 1 && (packed_.count(name) > 0 || contiguous_along(t_.task(), all[i], variable(lane)));
      bool along_k =
          !along_lanes && c_.k_lanes > 1 && is_width(c_.k_lanes) && contiguous_along(t_.task(), all[i], variable(k));
      std::string source = name;
      if (staging == Staging::kWorkgroup)
        source = stage_in_workgroup(all[i], along_lanes, reads_along(all[i], variable(lane)), along_k ? c_.k_lanes : 1);
      if (staging == Staging::kLane) source = spread_over_lanes(all[i], along_k);
      std::string held = t_.free_name(name + ".r");
      t_.add(schedule::cache_read(source, acc_, "register", held));
      t_.add(schedule::compute_at(held, acc_, along_k ? around_inner_k_ : inner_k));
      arrange_registers(held, along_lanes, along_k);
    }
  }

  void arrange_registers(const std::string& held, bool along_lanes, bool along_k) {
    const schedule::Stage* stage = t_.stage(held);
    if (!stage) return;
    std::string vector;
    int lane = t_.axis_named(held, lane_name_of_acc());
    int k = t_.axis_named(held, k_name_);
    std::vector<Loop> loops;
    if (along_lanes && lane >= 0) loops = lane_loops(held, static_cast<size_t>(lane));
    if (along_k && k >= 0) loops = t_.loops_of_axis(held, static_cast<size_t>(k));
    if (!loops.empty() && loops.back().extent == (along_lanes ? c_.lanes : c_.k_lanes)) vector = loops.back().name;
    if (!vector.empty()) t_.add(schedule::vectorize(held, vector));
    stage = t_.stage(held);
    if (!stage) return;
    std::vector<Loop> all = stage->order;
    for (const Loop& loop : all)
      if (loop.name != vector && loop.extent > 1) t_.add(schedule::unroll(held, loop.name));
  }

  std::string lane_name_of_acc() const {
    if (group_.lane_axis < 0) return "";
    return compute(group_.reduction).axes[static_cast<size_t>(group_.lane_axis)].name;
  }

  // A tile of the operand for the whole workgroup, copied by all threads in the order in which the operand lies in memory.
  // It is read `k_width` steps of k at once.
  std::string stage_in_workgroup(const Operand& operand, bool along_lanes, bool has_lanes, int64_t k_width) {
    std::string tile = t_.free_name(operand.tensor + ".w");
    t_.add(schedule::cache_read(operand.tensor, acc_, "workgroup", tile));
    keep_narrow(tile);
    t_.add(schedule::compute_at(tile, acc_, k_loops_[0]));
    const schedule::Stage* stage = t_.stage(tile);
    if (!stage) return tile;
    int lane = t_.axis_named(tile, lane_name_of_acc()), k = t_.axis_named(tile, k_name_);
    if (has_lanes && lane >= 0 && k >= 0 &&
        lane < k) {  // neighbouring threads read neighbouring lanes: [k, lanes], not [lanes, k]
      Step layout;
      layout.primitive = schedule::Primitive::kLayout;
      layout.stage = tile;
      for (size_t a = 0; a < stage->compute.axes.size(); ++a)
        if (static_cast<int>(a) != lane) layout.factors.insert(layout.factors.end(), {static_cast<int64_t>(a), 1, 0});
      layout.factors.insert(layout.factors.end(), {lane, 1, 0});
      t_.add(std::move(layout));
    }
    std::string vector;
    if (c_.packed_products) vector = word_of(tile, k);
    if (along_lanes && lane >= 0) {
      std::vector<Loop> loops = lane_loops(tile, static_cast<size_t>(lane));
      if (!loops.empty() && loops.back().extent == c_.lanes) vector = loops.back().name;
    }
    share_among_threads(t_, {tile, has_lanes ? lane : k, vector}, c_.row_threads * c_.lane_threads);
    if (c_.padded && !has_lanes) spread_over_banks(t_, tile, {k, c_.rows, k_width});
    if (c_.buffers > 1) t_.add(schedule::double_buffer(tile));
    return tile;
  }

  // A tile of the operand for a row of threads, whose lanes load a part each. Where its pieces are no vectors, they follow its axes.
  std::string spread_over_lanes(const Operand& operand, bool along_k) {
    const std::string tile = t_.free_name(operand.tensor + ".l");
    t_.add(schedule::cache_read(operand.tensor, acc_, "lane", tile));
    t_.add(schedule::compute_at(tile, acc_, k_loops_[0]));
    const int k = t_.axis_named(tile, k_name_);
    const std::string vector = along_k ? word_of(tile, k) : "";
    share_among_lanes(t_, {tile, vector.empty() ? -1 : k, vector}, c_.lane_threads);
    return tile;
  }

  int64_t extent_of_window(size_t i) const {
    return compute(group_.reduction).reduce->axes[static_cast<size_t>(group_.window_axes[i])].extent;
  }

  void annotate() {
    std::string vector =
        c_.lanes > 1 && !lane_loops_.empty() && lane_loops_.back().extent == c_.lanes ? lane_loops_.back().name : "";
    if (c_.packed_products) vector = k_loops_.back();
    if (!vector.empty()) t_.add(schedule::vectorize(acc_, vector));
    for (size_t i = spread() ? 1 : k_loops_.size() - 1; i < k_loops_.size(); ++i)  // registers are indexed by literals
      if (spread() || (c_.k_lanes > 1 && !c_.packed_products)) t_.add(schedule::unroll(acc_, k_loops_[i]));
    if (c_.k_unroll > 1) t_.add(schedule::unroll(acc_, k_loops_[k_loops_.size() - (c_.k_lanes > 1 ? 2 : 1)]));
    for (const auto* loops : {&row_loops_, &lane_loops_})
      for (const Loop& loop : *loops)
        if (loop.name != vector && loop.extent > 1) t_.add(schedule::unroll(acc_, loop.name));
    int64_t unrolled = 0;
    for (size_t i = window_loops_.size(); i-- > 0 && unrolled < c_.unrolled_windows;) {
      if (extent_of_window(i) == 1) continue;
      t_.add(schedule::unroll(acc_, window_loops_[i]));
      ++unrolled;
    }
    if (on_textures()) return;
    if (!lane_name_.empty() && c_.lanes > 1) t_.add(schedule::vectorize(root_, lane_name_ + ".3"));
    if (!row_name_.empty() && c_.rows > 1) t_.add(schedule::unroll(root_, row_name_ + ".2"));
    if (!lane_name_.empty() && c_.vectors > 1) t_.add(schedule::unroll(root_, vectors_loop_));
  }

  TraceBuilder& t_;
  const Group& group_;
  const Choices& c_;
  std::string root_, acc_;
  std::string k_name_, slice_, part_;  // the accumulator's k axis; its slices' axis of the root; its threads' axis
  int64_t k_extent_ = 1;
  int fragment_row_ = -1;  // on textures: the root's axis along which a fragment has rows
  std::string lane_name_, row_name_, block_loop_, vectors_loop_, innermost_tile_loop_, core_loop_;  // of the root
  std::vector<std::string> k_loops_, window_loops_;  // of the accumulator, outer to inner
  std::string around_inner_k_;                       // the loop directly around the last of k_loops_
  std::vector<Loop> row_loops_, lane_loops_;
  std::set<std::string> packed_;  // tensors
};

}  // namespace

void apply_tile(TraceBuilder& t, const Group& group, const Choices& choices) { TileRule(t, group, choices).apply(); }

}  // namespace hone::tuner
