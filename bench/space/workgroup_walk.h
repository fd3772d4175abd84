// What one workgroup of a launch asks of a GPU: its warps are walked through the launch's code, all threads at once, and the sectors, banks
// and instructions of each access are counted.
//
// A long loop is walked for some of its iterations (the first nine, or three where there are loops inside), which stand for the others; so
// is every loop once the walk has cost enough. The first iteration stands for itself alone: it finds the caches empty.
#pragma once
#include <map>

#include "bench/space/hardware.h"
#include "bench/space/launch_steps.h"

namespace hone::bench {

struct WorkgroupCounts {
  Operations operations;       // times the warps that execute them
  double warps = 0;
  double workgroup_clocks = 0; // of the banks of workgroup memory
  double l1_sectors = 0;       // loaded or stored
  double l2_sectors = 0;       // not held by L1, or stored
  double barriers = 0;
  // Pieces of straight code by the furthest memory that a warp waits for in them: its loads are under way at the same time.
  double waits_workgroup = 0, waits_l1 = 0, waits_l2 = 0;
  std::map<ir::Buffer, double> sectors;  // of global memory: those touched, each once
  std::map<ir::Buffer, ir::Expr> index;  // of one access to each
};

// l1_bytes: what this workgroup has of L1. block: which workgroup of the grid.
WorkgroupCounts walk_workgroup(const Hardware& gpu, const ir::Launch& launch, const ir::Dims& block, double l1_bytes);

// Of as many workgroups, one after the other in the grid's order, as run at a time: how many different places of a buffer they begin to
// read or write at, relative to their number. 1: each has a part of its own; 1 / n: all share one.
double share_of_own(const ir::Launch& launch, ir::Expr index, int64_t workgroups);

}  // namespace hone::bench
