#include "tuner/space/promise.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tuner/space/gpu_time.h"
#include "tuner/space/repair.h"

namespace hone::tuner {

namespace {

// One register full of threads is enough for software: from 4 threads to 16 a product took the same time on SwiftShader, whose registers have 4 lanes.
double block_threads_wanted_by(const target::Target& target) {
  if (target::on_cores(target.kind)) return 1;
  const bool of_software = target.subgroup_size > 1 && target.subgroup_size < kSubgroupOfHardware;
  return of_software ? static_cast<double>(target.subgroup_size) : 8;
}

double of(int64_t number) { return static_cast<double>(number); }

double busy(const GroupView& v, double threads, double block_threads) {
  const double threads_wanted = v.on_cores() ? 8 : 128;
  return std::min(1.0, threads / threads_wanted) * std::min(1.0, block_threads / block_threads_wanted_by(v.target));
}

// Reads for each multiply-add; what is only computed element by element gains little from several targets. Where each fragment reduces whole rows,
// reads for each element.
double promise_of_fragments(const GroupView& v, const Choices& c) {
  constexpr double kFragmentsWanted = 256;
  const Extents e = v.extents();
  const double rows = of(c.rows), texels = of(c.vectors);
  const double fragments = of(e.elements) * of(c.slices) / (rows * texels * 4);
  const double occupied = std::min(1.0, fragments / kFragmentsWanted) * (c.slices > 1 ? 0.85 : 1);
  if (v.group.row) return occupied / (1 + of(std::ssize(v.group.chain) * e.lanes) / (texels * 4));
  if (v.group.reduction < 0) return occupied / (rows * texels > 1 ? 1.1 : 1);
  const double steps = c.k_lanes > 1 ? 4 : 1;
  // A texel along k serves four steps, one along the lanes one.
  return occupied * rows * texels / (rows / steps + texels);
}

// Measured on software WebGPU, where every thread of a workgroup with barriers costs; in one subgroup there are none.
double cost_of_joining(const GroupView& v, const Choices& c) {
  const double threads = of(c.lane_threads), tree = 1.8 + 0.3 * threads;
  if (c.lane_threads == 1) return 1;
  if (c.join == static_cast<int64_t>(Join::kFlat)) return 1.6 + 0.25 * threads;
  if (c.join == static_cast<int64_t>(Join::kTree)) return tree;
  return c.lane_threads > v.target.subgroup_size ? tree / 1.7 : 1.1 + 0.02 * threads;
}

// Vectors, enough threads for the device, few barriers.
double promise_of_row(const GroupView& v, const Choices& c) {
  const double threads_wanted = v.on_cores() ? 8 : 32, block_threads_wanted = v.on_cores() ? 1 : 4;
  const Extents e = v.extents();
  const double threads = of(c.lane_threads), block = threads * of(c.row_threads);
  const double rows = of(v.group.lane_axes.empty() ? e.elements : e.elements / std::max<int64_t>(e.lanes, 1));
  return std::sqrt(of(c.lanes)) / cost_of_joining(v, c) * std::min(1.0, rows * threads / threads_wanted) * std::min(1.0, block / block_threads_wanted);
}

double promise_of_patch(const GroupView& v, const Choices& c) {
  return std::min(1.0, of(c.row_threads * c.lane_threads) / block_threads_wanted_by(v.target)) * (c.lanes > 1 ? 1 : 0.7);
}

double promise_of_line(const GroupView& v, const Choices& c) {
  const double threads = of(v.extents().elements) / of(c.lanes * c.vectors) * of(c.k_threads);
  return std::sqrt(of(c.lanes)) * (c.k_threads > 1 ? 0.7 : 1) * busy(v, threads, of(c.lane_threads * c.k_threads));
}

// Multiply-adds for each element loaded; a core loads a whole vector, or one element into all of its lanes, by one instruction. Several steps of k at a
// time load no fewer, and hold more in registers. What comes near the number of a core's registers spills.
double reuse_of(const GroupView& v, const Choices& c) {
  const double rows = of(c.rows), vectors = of(c.vectors), lanes = of(c.lanes);
  const bool spills = v.on_cores() && rows * vectors + vectors + 1 > of(v.target.limits.live_vectors_max - 1);
  const double loads = rows + vectors * (v.on_cores() ? 1 : lanes);
  return rows * vectors * lanes / loads * (c.k_lanes > 1 ? 0.75 : 1) * (spills ? 0.7 : 1);
}

// Parts have to be joined; barriers and zeroed memory cost more than they save on most browsers' devices.
double cost_of_sharing(const Choices& c) {
  double share = (c.slices > 1 ? 0.85 : 1) * (c.k_threads > 1 ? 0.7 : 1);
  for (Choice operand : kOperands)
    if (c.*operand == static_cast<int64_t>(Staging::kWorkgroup)) share *= 0.7;
  return share;
}

double promise_of_tile(const GroupView& v, const Choices& c) {
  const Extents e = v.extents();
  const int64_t elements = c.rows * c.vectors * c.lanes;  // of a thread
  const double wasted = waste(e.rows, c.row_threads * c.row_blocks * c.rows) * waste(e.lanes, c.lane_threads * c.lane_blocks * c.vectors * c.lanes);
  const double threads = of(e.elements * c.slices * c.k_threads) / of(elements) / of(c.row_blocks * c.lane_blocks);
  return reuse_of(v, c) / (wasted * wasted) * cost_of_sharing(c) * busy(v, threads, of(c.row_threads * c.lane_threads * c.k_threads));
}

}  // namespace

double promise_of(const GroupView& v, const Choices& c) {
  if (v.on_textures()) return promise_of_fragments(v, c);
  if (v.group.row) return promise_of_row(v, c);
  if (!v.group.parts.empty()) return promise_of_patch(v, c);
  return v.group.reuse ? promise_of_tile(v, c) : promise_of_line(v, c);
}

}  // namespace hone::tuner
