#include <algorithm>
#include <set>

#include "tuner/space/accumulator.h"
#include "tuner/space/fragments.h"
#include "tuner/space/shared_copy.h"

namespace hone::tuner {

namespace {

using schedule::Loop;

// Along which loop an operand is a vector, of how many elements; 1: it is none.
struct Along {
  bool lanes = false, k = false;
};

class OperandLoads {
 public:
  explicit OperandLoads(Accumulator& sums) : s_(sums), t_(sums.t), c_(sums.c), acc_(sums.stage) {}

  void load() {
    if (c_.squares)
      for (const Operand& operand : operands_of(t_, acc_)) square(operand);
    if ((c_.packed || c_.copied) && !c_.packed_products)
      for (const Operand& operand : operands_of(t_, acc_)) pack(operand);
    const std::vector<Operand> all = operands_of(t_, acc_);
    for (size_t i = 0; i < all.size() && t_.ok(); ++i) {
      if (c_.packed_products) lay_in_words(all[i]);
      const Staging staging = operand(c_, i);
      if (staging != Staging::kDirect && all[i].reads == 1) hold(all[i], staging, along(all[i]));
    }
  }

 private:
  Along along(const Operand& operand) const {
    if (c_.packed_products) return {.k = true};
    const bool lanes = c_.lanes > 1 && (packed_.count(operand.tensor) > 0 || contiguous_along(t_.task(), operand, lane()));
    const bool k = !lanes && c_.k_lanes > 1 && is_width(c_.k_lanes) && contiguous_along(t_.task(), operand, step());
    return {lanes, k};
  }

  ir::Var lane() const { return s_.variable(s_.lanes_of(acc_)); }
  ir::Var step() const { return s_.variable(s_.k_of(acc_)); }

  bool is_width(int64_t lanes) const {
    const std::vector<int>& widths = t_.target().lanes;
    return std::find(widths.begin(), widths.end(), lanes) != widths.end();
  }

  void hold(const Operand& operand, Staging staging, const Along& along) {
    std::string source = operand.tensor;
    if (staging == Staging::kWorkgroup) source = stage_in_workgroup(operand, along);
    if (staging == Staging::kLane) source = spread_over_lanes(operand, along);
    const std::string held = t_.free_name(operand.tensor + ".r");
    t_.add(schedule::cache_read(source, acc_, "register", held));
    if (c_.packed_products) keep_narrow(s_, held);
    t_.add(schedule::compute_at(held, acc_, along.k ? s_.around_inner_k : s_.k_loops.back()));
    arrange_registers(held, along);
  }

  void arrange_registers(const std::string& held, const Along& along) {
    std::string vector;
    if (along.lanes) vector = s_.vector_of(held, s_.lanes_of(held), c_.lanes);
    if (along.k) vector = vector_along_k(held);
    if (!vector.empty()) t_.add(schedule::vectorize(held, vector));
    const schedule::Stage* stage = t_.stage(held);
    if (!stage) return;
    const std::vector<Loop> all = stage->order;
    for (const Loop& loop : all)
      if (loop.name != vector && loop.extent > 1) t_.add(schedule::unroll(held, loop.name));
  }

  std::string vector_along_k(const std::string& held) const {
    const int k = s_.k_of(held);
    const std::vector<Loop> loops = k < 0 ? std::vector<Loop>{} : t_.loops_of_axis(held, static_cast<size_t>(k));
    return !loops.empty() && loops.back().extent == c_.k_lanes ? loops.back().name : "";
  }

  // A tile of the operand for the whole workgroup, copied by all threads in the order in which the operand lies in memory. Neighbouring threads read
  // neighbouring lanes of it: [k, lanes], not [lanes, k].
  std::string stage_in_workgroup(const Operand& operand, const Along& along) {
    const bool has_lanes = !c_.packed_products && reads_along(operand, lane());
    const std::string tile = t_.free_name(operand.tensor + ".w");
    t_.add(schedule::cache_read(operand.tensor, acc_, "workgroup", tile));
    keep_narrow(s_, tile);
    t_.add(schedule::compute_at(tile, acc_, s_.k_loops[0]));
    if (!t_.stage(tile)) return tile;
    const int lanes = s_.lanes_of(tile), k = s_.k_of(tile);
    if (has_lanes && lanes >= 0 && k >= 0 && lanes < k) lay_out_innermost(t_, tile, lanes);
    const std::string vector = c_.packed_products ? s_.vector_of(tile, k, c_.k_lanes) : along.lanes ? s_.vector_of(tile, lanes, c_.lanes) : "";
    share_among_threads(t_, {tile, has_lanes ? lanes : k, vector}, c_.row_threads * c_.lane_threads);
    if (c_.padded && !has_lanes) spread_over_banks(t_, tile, {k, c_.rows, along.k && !c_.packed_products ? c_.k_lanes : 1});
    if (c_.buffers > 1) t_.add(schedule::double_buffer(tile));
    return tile;
  }

  // A tile of the operand for a row of threads, whose lanes load a part each. Where its pieces are no vectors, they follow its axes.
  std::string spread_over_lanes(const Operand& operand, const Along& along) {
    const std::string tile = t_.free_name(operand.tensor + ".l");
    t_.add(schedule::cache_read(operand.tensor, acc_, "lane", tile));
    t_.add(schedule::compute_at(tile, acc_, s_.k_loops[0]));
    const int k = s_.k_of(tile);
    const std::string vector = along.k ? s_.vector_of(tile, k, c_.k_lanes) : "";
    share_among_lanes(t_, {tile, vector.empty() ? -1 : k, vector}, c_.lane_threads);
    return tile;
  }

  // Words along k; constants lie so ahead of time.
  void lay_in_words(const Operand& operand) {
    if (is_free_input(t_.task(), operand.load->buffer) && !contiguous_along(t_.task(), operand, step())) lay_out_groups(t_, operand, step(), c_.k_lanes);
  }

  // An operand whose layout may not be chosen is copied first.
  void pack(const Operand& operand) {
    const Panels panels{acc_, lane(), c_.vectors * c_.lanes};
    if (!panels.lane || operand.reads != 1 || !has_dimension(operand, panels.lane)) return;
    if (is_free_input(t_.task(), operand.load->buffer)) {
      if (c_.packed && lay_out_panels(t_, panels, operand)) packed_.insert(operand.tensor);
      return;
    }
    if (!c_.copied || reads_along(operand, s_.variable(s_.rows_of(acc_)))) return;
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
    const std::string lane = s_.reduction().axes[static_cast<size_t>(s_.group.lane_axis)].name;
    std::vector<std::string> outer;
    for (const te::Axis& axis : stage->compute.axes)
      if (axis.name != lane) outer.push_back(axis.name);
    t_.add(schedule::split(copy, lane, {c_.lanes}, "guard", "lanes"));
    std::vector<std::string> order = outer;
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
    const ir::Var along[] = {step(), s_.variable(s_.rows_of(acc_)), lane()};
    for (size_t d = 0; d < index.size(); d++)
      if (std::find(std::begin(along), std::end(along), index[d]) != std::end(along)) dims.push_back(static_cast<int>(d));
    if (dims.size() == 2) lay_in_squares(t_, operand.load->buffer, dims[0], dims[1]);
  }

  Accumulator& s_;
  TraceBuilder& t_;
  const Choices& c_;
  const std::string& acc_;
  std::set<std::string> packed_;  // tensors
};

}  // namespace

void load_operands(Accumulator& sums) { OperandLoads(sums).load(); }

}  // namespace hone::tuner
