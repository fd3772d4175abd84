#include <algorithm>

#include "base/cat.h"
#include "tuner/space/rules.h"

namespace hone::tuner {

namespace {

using schedule::Loop;

struct Line {
  std::string stage;
  std::string item_loop;  // innermost serial loop of a thread; "" when the stage has no axes
  std::string lane_loop;  // "" without lanes
  int64_t items = 1;
};

// Axes in the order of memory, fused but for the lanes, cut into blocks, items and threads.
Line arrange(TraceBuilder& t, const te::Compute& c, const std::vector<int>& order, const LineChoice& choice) {
  Line line{.stage = c.name, .items = choice.items};
  std::vector<std::string> names;
  for (int a : order) names.push_back(c.axes[static_cast<size_t>(a)].name);
  if (names.empty()) return line;
  if (!std::is_sorted(order.begin(), order.end())) t.add(schedule::reorder(line.stage, names));
  if (choice.lanes > 1) {
    // The innermost axis that has elements to give; those of extent 1 behind it do not matter.
    size_t inner = names.size() - 1;
    while (inner > 0 && c.axes[static_cast<size_t>(order[inner])].extent == 1) --inner;
    t.add(schedule::split(line.stage, names[inner], {choice.lanes}, "guard", "line.lanes"));
    line.lane_loop = names[inner] + ".1";
    names[inner] += ".0";
    if (inner + 1 < names.size()) {
      std::vector<std::string> all = names;
      all.push_back(line.lane_loop);
      t.add(schedule::reorder(line.stage, all));
    }
  }
  std::string whole = names[0];
  if (names.size() > 1) {
    whole = "p";
    auto taken = [&](const te::Axis& a) { return a.name == whole; };
    while (std::any_of(c.axes.begin(), c.axes.end(), taken) || (c.reduce && std::any_of(c.reduce->axes.begin(), c.reduce->axes.end(), taken))) whole += "_";
    t.add(schedule::fuse(line.stage, names, whole));
  }
  t.add(schedule::split(line.stage, whole, {choice.items, choice.threads}, "guard", "line"));
  line.item_loop = whole + ".1";
  std::vector<std::string> loops{whole + ".0", whole + ".2", line.item_loop};
  if (!line.lane_loop.empty()) loops.push_back(line.lane_loop);
  t.add(schedule::reorder(line.stage, loops));
  t.add(schedule::bind(line.stage, whole + ".0", "block.x"));
  t.add(schedule::bind(line.stage, whole + ".2", "thread.x"));
  return line;
}

void annotate(TraceBuilder& t, const Line& line) {
  if (!line.lane_loop.empty()) t.add(schedule::vectorize(line.stage, line.lane_loop));
  if (line.items > 1) t.add(schedule::unroll(line.stage, line.item_loop));
}

// The reduction under the innermost loop of a thread: its own loops outside, the lanes inside.
void accumulate(TraceBuilder& t, const std::string& acc, const te::Compute& reduction, int lane_axis, const Line& line, const LineChoice& choice) {
  t.add(schedule::compute_at(acc, line.stage, line.item_loop));
  std::vector<std::string> order, windows;
  for (const te::Axis& a : reduction.reduce->axes) windows.push_back(a.name);
  order = windows;
  std::vector<Loop> lanes;
  if (lane_axis >= 0) lanes = t.loops_of_axis(acc, static_cast<size_t>(lane_axis));
  for (const Loop& loop : lanes) order.push_back(loop.name);
  t.add(schedule::reorder(acc, order));
  for (const Loop& loop : lanes) {
    if (choice.lanes > 1 && loop.extent == choice.lanes) t.add(schedule::vectorize(acc, loop.name));
    else if (loop.extent > 1) t.add(schedule::unroll(acc, loop.name));
  }
  if (choice.unroll_window)
    for (const std::string& name : windows) t.add(schedule::unroll(acc, name));
}

}  // namespace

void apply_line_map(TraceBuilder& t, int compute, const std::vector<int>& order, const LineChoice& choice) {
  annotate(t, arrange(t, t.task().program.computes[static_cast<size_t>(compute)], order, choice));
}

void apply_line(TraceBuilder& t, const Group& group, const LineChoice& choice) {
  const auto& computes = t.task().program.computes;
  const te::Compute& root = computes[static_cast<size_t>(group.root)];
  if (group.reduction < 0) {
    apply_line_map(t, group.root, group.order, choice);
    return;
  }
  const te::Compute& reduction = computes[static_cast<size_t>(group.reduction)];
  std::string acc = reduction.name;
  if (group.reduction == group.root) {
    t.add(schedule::cache_write(root.name, "register"));
    acc += ".acc";
  } else {
    for (int map : group.between) t.add(schedule::inline_stage(computes[static_cast<size_t>(map)].name));
    t.add(schedule::set_scope(acc, "register"));
  }
  Line line = arrange(t, root, group.order, choice);
  if (!line.item_loop.empty()) accumulate(t, acc, reduction, group.lane_axis, line, choice);
  annotate(t, line);
}

}  // namespace hone::tuner
