#include "bench/space/kernel_time.h"

#include <algorithm>
#include <cmath>

#include "bench/space/sector_cache.h"
#include "bench/space/workgroup_walk.h"
#include "codegen/ir/mutator.h"
#include "codegen/lower/launches_ahead.h"
#include "codegen/lower/pipeline.h"

namespace hone::bench {

namespace {

constexpr double kRegistersBeside = 14;  // addresses, ids, what a compiler keeps at hand: estimate
constexpr double kWordSpilledBytes = 4;

double count_of(const ir::Dims& d) {
  return static_cast<double>(d[0]) * static_cast<double>(d[1]) * static_cast<double>(d[2]);
}

double bytes_of(ir::Buffer b) {
  return static_cast<double>(ir::element_count(b->shape)) * b->lanes * ir::size_bytes(b->dtype);
}

// What a workgroup takes of its core.
struct Footprint {
  double threads = 0;  // whole warps
  double workgroup_bytes = 0, registers = 0, registers_spilled = 0;
  double resident = 1;  // workgroups of a core at a time
};

double registers_in_steps(const Hardware& gpu, double registers) {
  const auto step = static_cast<double>(gpu.registers_step);
  return std::ceil(registers / step) * step;
}

double resident_of(const Hardware& gpu, const Footprint& f) {
  double fit = std::min({static_cast<double>(gpu.workgroups_core_max), static_cast<double>(gpu.threads_core_max) / f.threads,
                         static_cast<double>(gpu.registers_core) / (registers_in_steps(gpu, f.registers) * f.threads)});
  if (f.workgroup_bytes > 0) fit = std::min(fit, static_cast<double>(gpu.workgroup_bytes_core) / f.workgroup_bytes);
  return std::max(1.0, std::floor(fit));
}

Footprint footprint_of(const Hardware& gpu, const ir::Launch& launch) {
  Footprint f;
  f.threads = std::ceil(count_of(launch.threads) / static_cast<double>(gpu.warp_threads)) * static_cast<double>(gpu.warp_threads);
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    if (s->kind == ir::StmtKind::kAlloc && s->buffer->scope == ir::Scope::kWorkgroup) f.workgroup_bytes += bytes_of(s->buffer);
  });
  const double wanted = kRegistersBeside + live_words_max(launch.body);
  const double of_core = std::floor(static_cast<double>(gpu.registers_core) / f.threads);
  const double most = std::min(static_cast<double>(gpu.registers_thread_max), of_core);
  f.registers = std::min(wanted, most);
  f.registers_spilled = wanted - f.registers;
  f.resident = resident_of(gpu, f);
  return f;
}

double l1_of_workgroup(const Hardware& gpu, const Footprint& f) {
  const double taken = gpu.workgroup_in_l1 ? f.resident * f.workgroup_bytes : 0;
  return std::max(static_cast<double>(gpu.l1_bytes) - taken, 1024.0) / f.resident;
}

// A workgroup that has neighbours on all sides.
ir::Dims middle_of(const ir::Dims& grid) { return {grid[0] / 2, grid[1] / 2, grid[2] / 2}; }

class LaunchJudge {
 public:
  LaunchJudge(const Hardware& gpu, const ir::Launch& launch)
      : gpu_(gpu),
        launch_(launch),
        footprint_(footprint_of(gpu, launch)),
        blocks_(count_of(launch.grid)),
        counts_(walk_workgroup(gpu, launch, middle_of(launch.grid), l1_of_workgroup(gpu, footprint_))) {
    spill();
  }

  LaunchTime time() {
    LaunchTime t{.registers = footprint_.registers + footprint_.registers_spilled, .workgroups_core = footprint_.resident};
    add_memory(t);
    add_pipes(t);
    t.us = std::max({t.products_us, t.integers_us, t.specials_us, t.exchanges_us, t.issue_us, t.l1_us, t.workgroup_us, t.l2_core_us,
                     t.waits_us, t.l2_us, t.dram_us});
    return t;
  }

 private:
  // Of what the arithmetic reads, the share that was spilled is fetched from L1.
  void spill() {
    const double share = footprint_.registers_spilled / (footprint_.registers + footprint_.registers_spilled);
    const double times = share * (counts_.operations.products + counts_.operations.integers);
    counts_.operations.accesses += times;
    counts_.l1_sectors += times * count_of(launch_.threads) / counts_.warps * kWordSpilledBytes / kSectorBytes;
  }

  double issued() const {
    const Operations& o = counts_.operations;
    return o.products + o.integers + o.specials + o.exchanges + o.accesses;
  }

  struct Touched {  // bytes, each once
    double all = 0, at_a_time = 0;
  };

  Touched touched_by(double workgroups) const {
    Touched bytes;
    for (const auto& [buffer, sectors] : counts_.sectors) {
      const double share = share_of_own(launch_, counts_.index.at(buffer), static_cast<int64_t>(workgroups));
      const double touched = sectors * kSectorBytes * std::max(share * workgroups, 1.0);
      bytes.at_a_time += touched;
      bytes.all += std::min(bytes_of(buffer), touched * std::ceil(blocks_ / workgroups));
    }
    return bytes;
  }

  // What L2 does not hold comes from DRAM: every tensor once, and what later workgroups touch again, as far as the tensors exceed L2.
  void add_memory(LaunchTime& t) {
    const double at_a_time = std::min(blocks_, footprint_.resident * static_cast<double>(gpu_.cores));
    const Touched bytes = touched_by(at_a_time);
    const double asked = counts_.l2_sectors * kSectorBytes * blocks_;
    const double again = std::max(0.0, std::min(asked, bytes.at_a_time * blocks_ / at_a_time) - bytes.all);
    const double missed = std::max(0.0, 1 - static_cast<double>(gpu_.l2_bytes) / bytes.all);
    const double from_dram = std::min(asked, bytes.all + again * missed);
    t.l2_us = asked / gpu_.l2_bytes_clock / gpu_.clock_mhz;
    t.dram_us = from_dram / (gpu_.dram_gb_s * 1e3);
    share_of_dram_ = asked > 0 ? from_dram / asked : 0;
  }

  // Of one warp alone, in clocks.
  double alone() const {
    const double from_l2 = gpu_.l2_clocks + share_of_dram_ * (gpu_.dram_clocks - gpu_.l2_clocks);
    // Sums that do not depend on each other overlap; each thread has two of them or more but where it has hardly a value.
    const double apart = std::max(1.0, gpu_.alu_clocks / std::clamp((footprint_.registers - kRegistersBeside) / 4, 1.0, gpu_.alu_clocks));
    return issued() / counts_.warps * apart + counts_.waits_workgroup * gpu_.workgroup_clocks + counts_.waits_l1 * gpu_.l1_clocks +
           counts_.waits_l2 * from_l2 + counts_.barriers * gpu_.barrier_clocks;
  }

  void add_pipes(LaunchTime& t) {
    const auto warp = static_cast<double>(gpu_.warp_threads);
    const double on_core = std::ceil(blocks_ / static_cast<double>(gpu_.cores));
    const double us = on_core / gpu_.clock_mhz;  // of a clock of each workgroup
    const Operations& o = counts_.operations;
    t.products_us = us * o.products * warp / gpu_.products_clock;
    t.integers_us = us * o.integers * warp / gpu_.integers_clock;
    t.specials_us = us * o.specials * warp / gpu_.specials_clock;
    t.exchanges_us = us * o.exchanges * warp / gpu_.exchanges_clock;
    t.issue_us = us * issued() / gpu_.warps_issued_clock;
    t.workgroup_us = us * counts_.workgroup_clocks;
    t.l1_us = us * counts_.l1_sectors * kSectorBytes / gpu_.l1_bytes_clock + (gpu_.workgroup_in_l1 ? t.workgroup_us : 0);
    t.l2_core_us = us * counts_.l2_sectors * kSectorBytes / gpu_.l2_core_bytes_clock;
    t.waits_us = std::ceil(on_core / footprint_.resident) * alone() / gpu_.clock_mhz;
  }

  const Hardware& gpu_;
  const ir::Launch& launch_;
  const Footprint footprint_;
  const double blocks_;
  WorkgroupCounts counts_;
  double share_of_dram_ = 0;  // of what is asked of L2
};

}  // namespace

LaunchTime launch_time(const Hardware& gpu, const ir::Launch& launch) { return LaunchJudge(gpu, launch).time(); }

Result<double> kernel_us(const Hardware& gpu, const te::Task& task, const schedule::Trace& trace) {
  HONE_ASSIGN(kernel, lower::lower_kernel(task, trace, gpu.target));
  kernel = lower::without_launches_ahead(task, std::move(kernel), gpu.target);
  double us = 0;
  for (const ir::Launch& launch : kernel.launches) us += launch_time(gpu, launch).us;
  return us + target::kLaunchUs * (std::max<double>(1, static_cast<double>(kernel.launches.size())) - 1);
}

}  // namespace hone::bench
