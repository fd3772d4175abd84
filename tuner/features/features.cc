#include "tuner/features/features.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/lower/launches_ahead.h"
#include "codegen/lower/pipeline.h"
#include "tuner/features/loop_facts.h"

namespace hone::tuner {

namespace {

float rounded(double x) { return static_cast<float>(std::round(x * 1024) / 1024); }
float count(double x) { return rounded(std::log2(1 + std::abs(x))); }
float share(double part, double whole) { return whole > 0 ? rounded(part / whole) : 0; }
// How many of one go with one of the other.
float ratio(double a, double b) { return b > 0 ? count(a / b) : 0; }

double product(const ir::Dims& d) {
  return static_cast<double>(d[0]) * static_cast<double>(d[1]) * static_cast<double>(d[2]);
}
double threads_of(const LoopFacts& f) { return product(f.grid) * product(f.threads); }

double instructions(const LoopFacts& f) {
  double sum = 0;
  for (const LoopAccess& a : f.accesses) sum += a.instructions;
  return sum;
}

constexpr const char* kLaunchNames[kLaunchFeatures] = {"launches",
                                                       "blocks",
                                                       "block_threads",
                                                       "block_threads_x",
                                                       "flops_thread",
                                                       "operations_thread",
                                                       "lanes",
                                                       "excess_flops",
                                                       "flops_per_global",
                                                       "flops_per_workgroup",
                                                       "special_share",
                                                       "divisions_share",
                                                       "selects_share",
                                                       "statements",
                                                       "masked_share",
                                                       "serial_trips",
                                                       "inner_extent",
                                                       "barriers",
                                                       "workgroup_bytes",
                                                       "register_elements",
                                                       "register_loads_share",
                                                       "operations_total",
                                                       "global_total",
                                                       "main_share",
                                                       "occupancy",
                                                       "subgroup_fill"};
constexpr const char* kAccessNames[kAccessFeatures] = {"elements",      "instructions", "lanes",
                                                       "stride_thread", "stride_inner", "footprint_block",
                                                       "reuse_thread",  "reuse_block"};

constexpr const char* kDeviceNames[kDeviceFeatures] = {"threads_max", "workgroup_bytes_max", "registers",
                                                       "subgroup",    "lanes_max",           "workers"};

// The share of the device's threads that may be there at once, for what a workgroup takes of its memory and a thread of the registers.
double occupancy(const LoopFacts& f, const target::Target& target) {
  const auto threads_max = static_cast<double>(target.limits.invocations_max);
  double share_of_all = 1;
  if (f.workgroup_bytes > 0) {
    const double groups = static_cast<double>(target.limits.workgroup_bytes_max) / f.workgroup_bytes;
    share_of_all = std::min(share_of_all, groups * product(f.threads) / threads_max);
  }
  const double registers = 4 * static_cast<double>(target.limits.live_vectors_max);
  if (f.register_elements > 0) share_of_all = std::min(share_of_all, registers / f.register_elements);
  return share_of_all;
}

// The share of the lanes of a workgroup's subgroups that have a thread.
double subgroup_fill(const LoopFacts& f, const target::Target& target) {
  if (target.subgroup_size == 0) return 1;
  const auto lanes = static_cast<double>(target.subgroup_size);
  return product(f.threads) / (std::ceil(product(f.threads) / lanes) * lanes);
}

void put_device(const target::Target& target, float* out) {
  const float values[] = {
      count(static_cast<double>(target.limits.invocations_max)),
      count(target.has_workgroup_memory ? static_cast<double>(target.limits.workgroup_bytes_max) : 0),
      count(static_cast<double>(target.limits.live_vectors_max)),
      count(static_cast<double>(target.subgroup_size)),
      count(target.lanes.back()),
      count(target.has_threads)};
  static_assert(std::size(values) == kDeviceFeatures);
  std::copy(std::begin(values), std::end(values), out);
}

void put_access(const LoopAccess& a, const LoopFacts& f, float* out) {
  const float values[] = {count(a.elements),
                          count(a.instructions),
                          count(a.lanes),
                          count(a.stride_thread),
                          count(a.stride_inner),
                          count(a.footprint_block),
                          ratio(a.elements, a.footprint_thread),
                          ratio(a.footprint_thread * product(f.threads), a.footprint_block)};
  static_assert(std::size(values) == kAccessFeatures);
  std::copy(std::begin(values), std::end(values), out);
}

// One entry per buffer and direction, its busiest access with the work of all: copies for tails would crowd out the rest.
std::vector<LoopAccess> merged(const LoopFacts& f) {
  std::vector<LoopAccess> out;
  for (const LoopAccess& a : f.accesses) {
    auto same = std::find_if(out.begin(), out.end(),
                             [&](const LoopAccess& b) { return b.buffer == a.buffer && b.store == a.store; });
    if (same == out.end()) {
      out.push_back(a);
      continue;
    }
    LoopAccess sum = a.instructions > same->instructions ? a : *same;
    sum.elements = a.elements + same->elements;
    sum.instructions = a.instructions + same->instructions;
    *same = sum;
  }
  std::stable_sort(out.begin(), out.end(), [](const LoopAccess& a, const LoopAccess& b) {
    return a.store != b.store ? a.store : a.instructions > b.instructions;
  });
  return out;
}

}  // namespace

Features extract_features(const ir::Kernel& kernel, double flops, const target::Target& target) {
  std::vector<LoopFacts> launches;
  double flops_all = 0, operations_all = 0, global_all = 0;
  size_t main = 0;
  for (const ir::Launch& launch : kernel.launches) {
    launches.push_back(read_loops(launch));
    const LoopFacts& f = launches.back();
    flops_all += f.flops * threads_of(f);
    operations_all += f.operations * threads_of(f);
    global_all += instructions(f) * threads_of(f);
    auto work = [](const LoopFacts& l) { return (l.flops + instructions(l)) * threads_of(l); };
    if (work(f) > work(launches[main])) main = launches.size() - 1;
  }
  Features out{};
  if (launches.empty()) return out;
  const LoopFacts& f = launches[main];
  const float values[] = {count(static_cast<double>(launches.size())),
                          count(product(f.grid)),
                          count(product(f.threads)),
                          count(static_cast<double>(f.threads[0])),
                          count(f.flops),
                          count(f.operations),
                          ratio(f.flops, f.operations),
                          ratio(flops_all, flops),
                          ratio(f.flops, instructions(f)),
                          ratio(f.flops, f.workgroup_loads),
                          ratio(f.special, f.operations),
                          ratio(f.divisions, f.operations),
                          ratio(f.selects, f.operations),
                          count(f.statements),
                          share(f.masked, f.stores),
                          count(f.serial_trips),
                          count(f.inner_extent),
                          count(f.barriers),
                          count(f.workgroup_bytes),
                          count(f.register_elements),
                          ratio(f.register_loads, f.operations),
                          count(operations_all),
                          count(global_all),
                          share(instructions(f) * threads_of(f), global_all),
                          rounded(occupancy(f, target)),
                          rounded(subgroup_fill(f, target))};
  static_assert(std::size(values) == kLaunchFeatures);
  std::copy(std::begin(values), std::end(values), out.begin());
  std::vector<LoopAccess> accesses = merged(f);
  for (size_t i = 0; i < std::min<size_t>(accesses.size(), kGlobalAccesses); ++i)
    put_access(accesses[i], f, out.data() + kLaunchFeatures + i * kAccessFeatures);
  put_device(target, out.data() + kFeatureCount - kDeviceFeatures);
  return out;
}

Result<Features> features_of(const te::Task& task, const schedule::Trace& trace, const target::Target& target) {
  HONE_ASSIGN(schedule, schedule::apply_trace(task, trace, target));
  return features_of(*schedule);
}

Result<Features> features_of(schedule::Schedule& schedule) {
  HONE_ASSIGN(kernel, lower::lower_to_loops(schedule));
  const target::Target& target = schedule.target();
  kernel = lower::without_launches_ahead(schedule.given(), std::move(kernel), target);
  return extract_features(kernel, schedule.given().flops, target);
}

std::vector<std::string> feature_names() {
  std::vector<std::string> names(std::begin(kLaunchNames), std::end(kLaunchNames));
  for (int i = 0; i < kGlobalAccesses; ++i)
    for (const char* name : kAccessNames)
      names.push_back(cat(i == 0 ? std::string("store") : cat("load", i - 1), ".", name));
  for (const char* name : kDeviceNames) names.push_back(cat("device.", name));
  return names;
}

}  // namespace hone::tuner
