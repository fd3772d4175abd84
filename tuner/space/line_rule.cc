#include <algorithm>

#include "base/cat.h"
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

std::string free_name(const te::Compute& c, std::string name) {
  auto taken = [&name](const te::Axis& a) { return a.name == name; };
  while (std::any_of(c.axes.begin(), c.axes.end(), taken) ||
         (c.reduce && std::any_of(c.reduce->axes.begin(), c.reduce->axes.end(), taken)))
    name += "_";
  return name;
}

// All axes as one, cut into blocks, items, threads and lanes.
Line arrange(TraceBuilder& t, const te::Compute& c, const std::vector<int>& order, const LineChoice& choice) {
  Line line{.stage = c.name, .items = choice.items};
  std::vector<std::string> names;
  for (int a : order) names.push_back(c.axes[static_cast<size_t>(a)].name);
  if (names.empty()) return line;
  if (!std::is_sorted(order.begin(), order.end())) t.add(schedule::reorder(line.stage, names));
  line.whole = names[0];
  if (names.size() > 1) {
    line.whole = free_name(c, "p");
    t.add(schedule::fuse(line.stage, names, line.whole));
  }
  std::vector<int64_t> factors{choice.items, choice.threads};
  if (choice.lanes > 1) factors.push_back(choice.lanes);
  t.add(schedule::split(line.stage, line.whole, factors, "guard", "line"));
  line.item_loop = line.whole + ".1";
  std::vector<std::string> loops{line.whole + ".0", line.whole + ".2", line.item_loop};
  if (choice.lanes > 1) {
    line.lane_loop = line.whole + ".3";
    loops.push_back(line.lane_loop);
  }
  t.add(schedule::reorder(line.stage, loops));
  t.add(schedule::bind(line.stage, line.whole + ".0", "block.x"));
  t.add(schedule::bind(line.stage, line.whole + ".2", "thread.x"));
  return line;
}

void annotate(TraceBuilder& t, const Line& line) {
  if (!line.lane_loop.empty()) t.add(schedule::vectorize(line.stage, line.lane_loop));
  if (line.items > 1) t.add(schedule::unroll(line.stage, line.item_loop));
}

// The reduction under the innermost loop of a thread: its own loops outside, the lanes inside.
void accumulate(TraceBuilder& t, const std::string& acc, const te::Compute& reduction, const Line& line,
                const LineChoice& choice) {
  t.add(schedule::compute_at(acc, line.stage, line.item_loop));
  const schedule::Stage* stage = t.stage(acc);
  if (!stage) return;
  std::vector<std::string> order, windows;
  for (const te::Axis& a : reduction.reduce->axes) windows.push_back(a.name);
  order = windows;
  std::vector<Loop> lanes;
  for (const Loop& loop : stage->order)
    if (!loop.reduce && loop.extent > 1) lanes.push_back(loop);
  for (const Loop& loop : lanes) order.push_back(loop.name);
  t.add(schedule::reorder(acc, order));
  for (const Loop& loop : lanes) {
    if (choice.lanes > 1 && loop.extent == choice.lanes) t.add(schedule::vectorize(acc, loop.name));
    else t.add(schedule::unroll(acc, loop.name));
  }
  int64_t unrolled = 0;
  for (size_t i = reduction.reduce->axes.size(); i-- > 0 && unrolled < choice.unrolled_windows;) {
    const te::Axis& a = reduction.reduce->axes[i];
    if (a.extent == 1) continue;
    t.add(schedule::unroll(acc, a.name));
    ++unrolled;
  }
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
  Line line = arrange(t, root, group.order, choice);
  if (!line.item_loop.empty()) accumulate(t, acc, reduction, line, choice);
  annotate(t, line);
}

}  // namespace hone::tuner
