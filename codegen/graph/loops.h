// Loops whose trips a run counts. In a Graph such a loop is no graph of its own: its nodes stand among all others, so that every pass sees through it. A hone.LoopState
// hands out what is carried from trip to trip, and begins as its input; a hone.LoopEnd reads each of these states with what the next trip has in its place, and
// hands out what the last trip left. What reads a state and is read by the end is run in each trip; what does not is run once, before. A second input of
// a hone.LoopState is a state of the loop around: it begins anew in each of that one's trips. The attribute `counts` says that a state is how many trips ran, and how many that
// may be.
// A hone.Gate shows its first input within the loop of its second, a state, so that what reads it is run in that loop's trips, of which there may be none.
#pragma once
#include <functional>
#include <vector>

#include "codegen/graph/graph.h"

namespace hone::graph {

struct Loop {
  int end = 0;                                // the node
  std::vector<ValueId> states, nexts, finals;  // as many of each; a final that nobody reads is kNoValue
  ValueId condition = kNoValue;               // the state ([], bool) that is asked before each trip whether it runs; kNoValue: `trips` run
  int64_t trips = 0;
  int around = -1;                            // the loop whose trips run this one, in Loops::loops
};

struct Loops {
  std::vector<Loop> loops;   // inner ones before those around them
  std::vector<int> loop_of;  // per node: the innermost loop in whose trips it runs, or −1
};

// Needs: no dead nodes; in topological order. Linear in the nodes, as often as loops stand in each other.
Loops loops_of(const Graph& graph);

// The nodes in an order in which they can run, so that those of each loop stand together, its end last.
std::vector<int> order_of_nodes(const Graph& graph, const Loops& loops);

bool is_loop_end(const Node& node);

// A part of a row of steps that runs again and again.
struct LoopRange {
  size_t first = 0, last = 0;  // the steps [first, last), at least one
  ValueId condition = kNoValue;  // as in Loop
  int64_t trips = 0;
};
// nodes: one of those that each step computes, in the order of order_of_nodes. The ranges in the order in which they begin, outer ones first.
std::vector<LoopRange> ranges_of(const Loops& loops, const std::vector<int>& nodes);

// Runs so many steps as a device does. holds: whether a condition says so now. Fails: as both.
Status run_in_loops(size_t steps, const std::vector<LoopRange>& ranges, const std::function<Status(size_t step)>& run, const std::function<Result<bool>(ValueId condition)>& holds);

}  // namespace hone::graph
