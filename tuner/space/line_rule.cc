#include <algorithm>

#include "base/cat.h"
#include "tuner/space/fragments.h"
#include "tuner/space/row_chain.h"
#include "tuner/space/rules.h"

namespace hone::tuner {

namespace {

using schedule::Loop;

struct Line {
  std::string stage;
  std::string whole;      // the axes fused in the order of memory; "" when the stage has no axes
  std::string item_loop;  // innermost serial loop of a thread
  std::string lane_loop;  // "" without lanes
  int64_t items = 1;
};

// All axes as one, cut into blocks, items, threads and lanes.
Line arrange(TraceBuilder& t, const te::Compute& c, const std::vector<int>& order, const Choices& choices) {
  if (target::on_textures(t.target().kind))
    return {.stage = c.name, .item_loop = arrange_fragments(t, c.name, fragment_axes(t.task(), c, order), {choices.rows, choices.vectors})};
  Line line{.stage = c.name, .items = choices.vectors};
  std::vector<std::string> names;
  for (int a : order) names.push_back(c.axes[static_cast<size_t>(a)].name);
  if (names.empty()) return line;
  if (!std::is_sorted(order.begin(), order.end())) t.add(schedule::reorder(line.stage, names));
  line.whole = names[0];
  if (names.size() > 1) {
    line.whole = t.free_axis(line.stage, "p");
    t.add(schedule::fuse(line.stage, names, line.whole));
  }
  std::vector<int64_t> factors{choices.vectors, choices.lane_threads};
  if (choices.lanes > 1) factors.push_back(choices.lanes);
  t.add(schedule::split(line.stage, line.whole, factors, "guard", "line"));
  line.item_loop = line.whole + ".1";
  std::vector<std::string> loops{line.whole + ".0", line.whole + ".2", line.item_loop};
  if (choices.lanes > 1) {
    line.lane_loop = line.whole + ".3";
    loops.push_back(line.lane_loop);
  }
  t.add(schedule::reorder(line.stage, loops));
  if (target::on_cores(t.target().kind)) {
    t.add(schedule::bind(line.stage, line.whole + ".0", "core"));
    return line;
  }
  t.add(schedule::bind(line.stage, line.whole + ".0", "block.x"));
  t.add(schedule::bind(line.stage, line.whole + ".2", choices.k_subgroups && choices.k_threads > 1 ? "thread.y" : "thread.x"));
  return line;
}

void annotate(TraceBuilder& t, const Line& line) {
  if (!line.lane_loop.empty()) t.add(schedule::vectorize(line.stage, line.lane_loop));
  if (line.items > 1) t.add(schedule::unroll(line.stage, line.item_loop));
}

// The reduction under the innermost loop of a thread: its own loops outside, the lanes inside.
void accumulate(TraceBuilder& t, const std::string& acc, const Line& line, const Choices& choices) {
  t.add(schedule::compute_at(acc, line.stage, line.item_loop));
  const schedule::Stage* stage = t.stage(acc);
  if (!stage) return;
  std::vector<std::string> order;
  std::vector<Loop> lanes, windows;
  for (const Loop& loop : stage->order)
    if (loop.reduce) windows.push_back(loop);
  for (const Loop& loop : windows) order.push_back(loop.name);
  for (const Loop& loop : stage->order)
    if (!loop.reduce && loop.extent > 1) lanes.push_back(loop);
  for (const Loop& loop : lanes) order.push_back(loop.name);
  t.add(schedule::reorder(acc, order));
  for (size_t i = 0; i < lanes.size(); ++i) {
    const bool innermost = i + 1 == lanes.size();
    if (innermost && choices.lanes > 1 && lanes[i].extent == choices.lanes) t.add(schedule::vectorize(acc, lanes[i].name));
    else t.add(schedule::unroll(acc, lanes[i].name));
  }
  int64_t unrolled = 0;
  for (size_t i = windows.size(); i-- > 0 && unrolled < choices.unrolled_windows;) {
    if (windows[i].extent == 1) continue;
    t.add(schedule::unroll(acc, windows[i].name));
    ++unrolled;
  }
}

// The reduction as one loop, of which `threads` threads take a part each; the parts' loop.
std::string share_reduction(TraceBuilder& t, const std::string& acc, const te::Compute& c, int64_t threads) {
  std::vector<std::string> axes;
  std::vector<int> order = reduce_order(t.task(), c);
  for (int a : order) axes.push_back(c.reduce->axes[static_cast<size_t>(a)].name);
  if (!std::is_sorted(order.begin(), order.end())) t.add(schedule::reorder(acc, axes));
  std::string k = axes[0];
  if (axes.size() > 1) t.add(schedule::fuse(acc, axes, k = "k_"));
  t.add(schedule::split(acc, k, {threads}, "peel", "k"));
  t.add(schedule::rfactor(acc, k + ".1"));
  return k + ".1";
}

// `acc` joins the parts of threads along y, or of lanes along x; each accumulates in registers under it.
void join_parts(TraceBuilder& t, const std::string& acc, const std::string& parts, const Line& line,
                const Choices& choices) {
  if (line.item_loop.empty()) t.refuse(ErrorCode::kIllegalSchedule, "one output has no loop to join its parts in");
  t.add(schedule::bind(acc, parts, choices.k_subgroups ? "lane" : "thread.y"));
  const std::string inner = acc + ".rf";
  t.add(schedule::compute_at(inner, acc, parts));
  const schedule::Stage* stage = t.stage(inner);
  if (!stage) return;
  std::vector<std::string> order;
  std::vector<Loop> lanes;
  for (const Loop& loop : stage->order)
    if (loop.reduce) order.push_back(loop.name);
    else if (loop.extent > 1) lanes.push_back(loop);
  for (const Loop& loop : lanes) order.push_back(loop.name);
  t.add(schedule::reorder(inner, order));
  for (const Loop& loop : lanes)
    t.add(choices.lanes > 1 && loop.extent == choices.lanes ? schedule::vectorize(inner, loop.name)
                                                          : schedule::unroll(inner, loop.name));
}

}  // namespace

void apply_line_map(TraceBuilder& t, int compute, const std::vector<int>& order, const Choices& choices) {
  annotate(t, arrange(t, t.task().program.computes[static_cast<size_t>(compute)], order, choices));
}

void apply_line(TraceBuilder& t, const Group& group, const Choices& choices) {
  const auto& computes = t.task().program.computes;
  const te::Compute& root = computes[static_cast<size_t>(group.root)];
  if (group.reduction < 0) {
    apply_line_map(t, group.root, group.order, choices);
    return;
  }
  if (root.axes.empty()) return;  // a scalar: no loop in which registers could be filled
  const te::Compute& reduction = computes[static_cast<size_t>(group.reduction)];
  std::string acc = reduction.name;
  if (group.reduction == group.root) {
    t.add(schedule::cache_write(root.name, "register"));
    acc += ".acc";
  } else {
    for (int map : group.between) t.add(schedule::inline_stage(computes[static_cast<size_t>(map)].name));
    t.add(schedule::set_scope(acc, "register"));
  }
  const std::string parts = choices.k_threads > 1 ? share_reduction(t, acc, reduction, choices.k_threads) : "";
  Line line = arrange(t, root, group.order, choices);
  Choices outer = choices;
  if (!parts.empty()) outer.unrolled_windows = 0;
  if (!line.item_loop.empty()) accumulate(t, acc, line, outer);
  if (!parts.empty()) join_parts(t, acc, parts, line, choices);
  annotate(t, line);
}

}  // namespace hone::tuner
