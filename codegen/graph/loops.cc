#include "codegen/graph/loops.h"

#include <algorithm>
#include <numeric>

namespace hone::graph {
namespace {

int64_t number(const Node& node, std::string_view name) {
  const auto it = node.attributes.find(name);
  return it == node.attributes.end() ? 0 : std::get<int64_t>(it->second);
}

Loop loop_of_end(const Node& node, int index) {
  Loop loop{.end = index, .trips = number(node, "trips")};
  for (size_t i = 0; i + 1 < node.inputs.size(); i += 2) {
    loop.states.push_back(node.inputs[i]);
    loop.nexts.push_back(node.inputs[i + 1]);
    loop.finals.push_back(i / 2 < node.outputs.size() ? node.outputs[i / 2] : kNoValue);
  }
  if (number(node, "asks")) loop.condition = loop.states[0];
  return loop;
}

// Which nodes run in the trips of a loop: those that its states reach. No node beyond its end is among them, as nobody else reads what they make.
class Regions {
 public:
  explicit Regions(const Graph& graph) : graph_(graph), consumers_(consumers_of(graph)), seen_by_(graph.nodes.size(), -1) { found_.loop_of.assign(graph.nodes.size(), -1); }

  Loops find() {
    for (int i = 0; i < static_cast<int>(graph_.nodes.size()); i++)
      if (is_loop_end(graph_.nodes[static_cast<size_t>(i)])) add(loop_of_end(graph_.nodes[static_cast<size_t>(i)], i));
    return std::move(found_);
  }

 private:
  // An inner loop's end stands before that of the loop around it, so whatever has a loop already belongs to an inner one.
  void add(Loop loop) {
    const int index = static_cast<int>(found_.loops.size());
    for (int node : reached_from(loop)) {
      int& innermost = found_.loop_of[static_cast<size_t>(node)];
      if (innermost < 0) innermost = index;
      else if (Loop& inner = found_.loops[static_cast<size_t>(outermost(innermost))]; outermost(innermost) != index) inner.around = index;
    }
    found_.loops.push_back(std::move(loop));
  }

  int outermost(int loop) const {
    for (;; loop = found_.loops[static_cast<size_t>(loop)].around)
      if (loop == static_cast<int>(found_.loops.size()) || found_.loops[static_cast<size_t>(loop)].around < 0) return loop;
  }

  std::vector<int> reached_from(const Loop& loop) {
    std::vector<int> nodes;
    std::vector<ValueId> open = loop.states;
    while (!open.empty()) {
      const ValueId id = open.back();
      open.pop_back();
      for (int reader : consumers_[static_cast<size_t>(id)]) {
        if (seen_by_[static_cast<size_t>(reader)] == loop.end) continue;
        seen_by_[static_cast<size_t>(reader)] = loop.end;
        nodes.push_back(reader);
        if (reader == loop.end) continue;
        for (ValueId made : graph_.nodes[static_cast<size_t>(reader)].outputs)
          if (made != kNoValue) open.push_back(made);
      }
    }
    return nodes;
  }

  const Graph& graph_;
  const std::vector<std::vector<int>> consumers_;
  std::vector<int> seen_by_;  // per node: the end of the last loop that reached it
  Loops found_;
};

// Where a node stands: the ends of the loops around it from outside, then its own place.
std::vector<int> path_of(const Loops& loops, int node) {
  std::vector<int> path{node};
  for (int l = loops.loop_of[static_cast<size_t>(node)]; l >= 0; l = loops.loops[static_cast<size_t>(l)].around) path.push_back(loops.loops[static_cast<size_t>(l)].end);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

bool is_loop_end(const Node& node) { return node.op == "hone.LoopEnd"; }

Loops loops_of(const Graph& graph) { return Regions(graph).find(); }

std::vector<int> order_of_nodes(const Graph& graph, const Loops& loops) {
  std::vector<int> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  if (loops.loops.empty()) return order;
  std::vector<std::vector<int>> paths;
  for (int node : order) paths.push_back(path_of(loops, node));
  std::sort(order.begin(), order.end(), [&](int a, int b) { return paths[static_cast<size_t>(a)] < paths[static_cast<size_t>(b)]; });
  return order;
}

std::vector<LoopRange> ranges_of(const Loops& loops, const std::vector<int>& nodes) {
  std::vector<LoopRange> out;
  for (const Loop& loop : loops.loops) out.push_back({nodes.size(), 0, loop.condition, loop.trips});
  for (size_t i = 0; i < nodes.size(); i++)
    for (int l = loops.loop_of[static_cast<size_t>(nodes[i])]; l >= 0; l = loops.loops[static_cast<size_t>(l)].around) {
      out[static_cast<size_t>(l)].first = std::min(out[static_cast<size_t>(l)].first, i);
      out[static_cast<size_t>(l)].last = i + 1;
    }
  out.erase(std::remove_if(out.begin(), out.end(), [](const LoopRange& range) { return range.first >= range.last; }), out.end());
  std::sort(out.begin(), out.end(), [](const LoopRange& a, const LoopRange& b) { return a.first != b.first ? a.first < b.first : a.last > b.last; });
  return out;
}

namespace {

class StepRunner {
 public:
  StepRunner(const std::vector<LoopRange>& ranges, const std::function<Status(size_t)>& run, const std::function<Result<bool>(ValueId)>& holds) : ranges_(ranges), run_(run), holds_(holds) {}

  // The steps [first, last), in which no range before `range` begins.
  Status run(size_t first, size_t last, size_t range) {
    for (size_t i = first; i < last;) {
      while (range < ranges_.size() && ranges_[range].first < i) range++;
      if (range == ranges_.size() || ranges_[range].first > i) {
        HONE_TRY(run_(i++));
        continue;
      }
      HONE_TRY(repeat(range));
      i = ranges_[range].last;
    }
    return ok_status();
  }

 private:
  Result<bool> goes_on(const LoopRange& range, int64_t trip) {
    if (range.condition == kNoValue) return trip < range.trips;
    return holds_(range.condition);
  }

  Status repeat(size_t index) {
    const LoopRange& range = ranges_[index];
    for (int64_t trip = 0;; trip++) {
      HONE_ASSIGN(more, goes_on(range, trip));
      if (!more) return ok_status();
      HONE_TRY(run(range.first, range.last, index + 1));
    }
  }

  const std::vector<LoopRange>& ranges_;
  const std::function<Status(size_t)>& run_;
  const std::function<Result<bool>(ValueId)>& holds_;
};

}  // namespace

Status run_in_loops(size_t steps, const std::vector<LoopRange>& ranges, const std::function<Status(size_t step)>& run, const std::function<Result<bool>(ValueId condition)>& holds) {
  return StepRunner(ranges, run, holds).run(0, steps, 0);
}

}  // namespace hone::graph
