#include "tuner/space/gpu_time.h"

#include <algorithm>
#include <cmath>

#include "tuner/space/repair.h"

namespace hone::tuner {

namespace {

// Of a GPU that was not measured: between a phone's and a laptop's (Mali G715: 0.8, Apple M3: 3.6 TFLOP/s).
constexpr double kArithmeticGflops = 1500;
// A lane's clock, GHz: 0.7 of phones to 2.5 of desktops.
constexpr double kClockGhz = 1;
// Multiply-adds in whose time a core gets one word from L1 or from workgroup memory, and from L2: 128 lanes, 128 and 64 bytes a clock (NVIDIA Ada;
// Apple's and Arm's cores have about the same ratios).
constexpr double kL1WordFmas = 4, kL2WordFmas = 8;
// Memory moves in sectors of 32 bytes; lines have four (NVIDIA since Volta: Jia et al. 2018).
constexpr double kSectorWords = 8, kLineBytes = 128, kWordBytes = 4;
// Of a core, of 32 bits: NVIDIA, Qualcomm (four times 64 KiB), Arm (2048 threads of 32); Apple has about as many.
constexpr double kRegistersOfCore = 65536;
// Multiply-adds of a core in a clock (NVIDIA since Ampere, Apple; Arm's and Qualcomm's have 64 to 128 of f32).
constexpr double kLanesOfCore = 128;
// Clocks until a multiply-add's result, and a word of L1, can be used (NVIDIA since Volta: 4, about 33; Jia et al. 2018).
constexpr double kFmaClocks = 4, kL1Clocks = 33;
// Beside the wait for the slowest subgroup: estimate, about as long as a load of L1.
constexpr double kBarrierClocks = 30;
// Registers that addresses and the like take of a thread's.
constexpr double kRegistersBeside = 16;

// What each thread does for one step of a reduction, in the time of a multiply-add.
struct Step {
  double fmas = 1, slots = 1;
};

struct Threads {
  double of_block = 1, all = 1;
  double sums = 1;  // that do not depend on each other, of a thread
};

class GpuTime {
 public:
  GpuTime(const GroupView& view, const Choices& choices) : v_(view), c_(choices), e_(view.extents()), subgroup_(subgroup_of(view.target)) {}

  double us() const {
    if (c_.in_order) return terms_us();
    if (v_.group.row) return row_us();
    if (!v_.group.parts.empty()) return spread_us({of(c_.row_threads * c_.lane_threads), of(e_.elements) / of(c_.lanes), of(c_.lanes)}, 1, {1, kL1WordFmas});
    return v_.group.reuse ? tile_us() : line_us();
  }

 private:
  double all_steps() const { return v_.group.reduction < 0 ? 1 : of(steps_of(v_.reduction())); }
  double fmas_us() const {
    const double gflops = v_.target.arithmetic_gflops;
    return (gflops > 0 ? gflops : kArithmeticGflops) * 1e3 / 2;
  }
  double clocks_us(double clocks) const { return clocks / (kClockGhz * 1e3); }

  // A subgroup that is not full takes as long as a full one.
  double filled(const Threads& t) const { return t.all * std::ceil(t.of_block / subgroup_) * subgroup_ / t.of_block; }

  // All threads' steps at the pace of the slower of what the device can do and what one thread waits for.
  double spread_us(const Threads& t, double steps, const Step& step) const {
    const double lanes = fmas_us() / (kClockGhz * 1e3), wanted = lanes * std::max(1.0, kFmaClocks / t.sums);
    const double threads = std::max(1.0, filled(t)), busy = std::min(1.0, threads / wanted);
    // A workgroup runs on one core: fewer of them than cores leave some idle.
    const double cores = lanes / kLanesOfCore, idle = std::max(1.0, cores / std::ceil(t.all / t.of_block));
    const double all_us = threads * steps * step.slots / fmas_us() / busy * idle;
    return std::max(all_us, clocks_us(steps * kL1Clocks / copies()));
  }

  // Threads of a subgroup along the lanes, which are its first, and rows of it.
  double along() const { return std::min(of(c_.lane_threads), subgroup_); }
  double deep() const { return subgroup_ / along(); }

  // Several steps of k by one load.
  bool at_once(const Access& a, Staging from) const { return c_.k_lanes > 1 && a.runs_along_k && from != Staging::kDirect; }

  // Taps follow one another at once, with no loop over k between them.
  bool taps_are_inner() const { return c_.k_first != 0 || e_.k == 1; }
  // What unrolled taps of a thread read in common is loaded once.
  double rows_loaded(const Access& a) const {
    if (!a.by_rows) return 1;
    return of(c_.rows) * (taps_are_inner() && c_.unrolled_windows > a.rows.depth ? distinct_share(a.rows, of(c_.rows)) : 1);
  }
  // Straight-line steps, whose loads do not wait for each other.
  double copies() const { return of(c_.k_lanes * c_.k_unroll * (taps_are_inner() ? window_copies(v_.task, v_.group, c_.unrolled_windows) : 1)); }

  // Words that a subgroup moves from L1 for an operand in a step of k, of each of its threads. Threads that read the same word share it, and each sector
  // that is touched is moved whole, but from workgroup memory or where lanes load a part each.
  double words(const Access& a, Staging from) const {
    const bool whole = from == Staging::kDirect || from == Staging::kRegister;
    const double rows = rows_loaded(a) * (a.by_rows ? deep() : 1);
    const double scattered = whole ? kSectorWords / (at_once(a, from) ? of(c_.k_lanes) : 1) : 1;
    if (!a.by_lanes) return rows * (a.runs_along_k ? scattered : 1) / subgroup_;
    const double columns = of(c_.vectors) * (a.runs_along_lanes ? std::max(along() * of(c_.lanes), whole ? kSectorWords : 1) : along() * of(c_.lanes) * scattered);
    return rows * columns / subgroup_;
  }

  // Load instructions of a thread in a step of k, and those by which lanes hand over what they loaded.
  double loads(const Access& a, Staging from) const {
    const double rows = from == Staging::kLane && a.by_rows ? of(c_.rows) : rows_loaded(a), steps = at_once(a, from) ? of(c_.k_lanes) : 1;
    if (from == Staging::kLane) return rows * (1 + 1 / along());
    return a.by_lanes ? rows * of(c_.vectors) * (a.runs_along_lanes ? 1 : of(c_.lanes) / steps) : rows / steps;
  }

  double registers() const {
    return kRegistersBeside + of(c_.rows * c_.vectors * c_.lanes + c_.vectors * c_.lanes + c_.rows * c_.k_lanes);
  }

  // A workgroup's threads are on a core at once.
  double registers_max() const { return std::min(of(v_.target.registers_max), kRegistersOfCore / of(c_.row_threads * c_.lane_threads * c_.k_threads)); }

  // What a workgroup reads of an operand in a step of k.
  double shared_words(const Access& a) const {
    return (a.by_rows ? of(c_.row_threads * c_.rows) : 1) * (a.by_lanes ? of(c_.lane_threads * c_.vectors * c_.lanes) : 1);
  }
  // What a workgroup's threads read at several taps is fetched once, where L1 keeps it from one tap to the next.
  double fetched_share(const Access& a) const {
    const double kept_words = shared_words(a) * (taps_are_inner() ? 1 : of(e_.k));
    if (kept_words * kWordBytes > of(v_.target.l1_bytes)) return 1;
    return (a.by_rows ? distinct_share(a.rows, of(c_.row_threads * c_.rows)) : 1) * (a.by_lanes ? distinct_share(a.lanes, of(c_.lane_threads * c_.vectors * c_.lanes)) : 1);
  }
  // Of lines along k only a word is used in a step; where L1 cannot keep them until the next, each brings a sector anew.
  double fetched_words(const Access& a, Staging from) const {
    const bool lost = a.runs_along_k && from != Staging::kWorkgroup && shared_words(a) * kLineBytes > of(v_.target.l1_bytes);
    return shared_words(a) * fetched_share(a) * (lost ? kSectorWords / (at_once(a, from) ? of(c_.k_lanes) : 1) : 1);
  }

  // What was spilled is fetched and stored each time. What is staged is loaded and stored once by the workgroup.
  Step tile_step() const {
    const double fmas = of(c_.rows * c_.vectors * c_.lanes), threads = of(c_.row_threads * c_.lane_threads);
    const double spilled = std::max(0.0, 1 - registers_max() / registers());
    double slots = fmas, moved = 2 * spilled * fmas, fetched = 0;
    for (size_t i = 0; i < v_.work.accesses.size(); ++i) {
      const Access& a = v_.work.accesses[i];
      const Staging from = operand(c_, i);
      slots += loads(a, from) + (from == Staging::kWorkgroup ? 2 * shared_words(a) / threads : 0);
      moved += words(a, from);
      fetched += fetched_words(a, from) / threads;
    }
    return {fmas, std::max({slots, kL1WordFmas * moved, kL2WordFmas * fetched})};
  }

  double tile_us() const {
    const double row_tile = of(c_.row_threads * c_.rows), lane_tile = of(c_.lane_threads * c_.vectors * c_.lanes);
    const double padded = of(e_.elements) * waste(e_.rows, c_.row_threads * c_.rows) * waste(e_.lanes, c_.lane_threads * c_.vectors * c_.lanes);
    const double parts = of(c_.slices * c_.k_threads), steps = std::ceil(all_steps() / parts);
    const Threads threads{of(c_.row_threads * c_.lane_threads * c_.k_threads), padded / of(c_.rows * c_.vectors * c_.lanes) * parts, of(c_.rows * c_.vectors * c_.lanes)};
    double us = spread_us(threads, steps, tile_step());
    if (holds(c_, Staging::kWorkgroup)) us += clocks_us(kBarrierClocks * (c_.buffers > 1 ? 1 : 2) * steps / of(std::max(c_.k_tile, c_.k_lanes)));
    if (c_.slices > 1) us += v_.target.launch_us + parts * row_tile * lane_tile / fmas_us();
    if (c_.k_threads > 1) us += clocks_us((kBarrierClocks + kL1Clocks) * std::log2(of(c_.k_threads)));
    return us;
  }

  double line_us() const {
    const double steps = std::ceil(all_steps() / of(c_.k_threads));
    const Threads threads{of(c_.lane_threads * c_.k_threads), of(e_.elements) / of(c_.lanes * c_.vectors) * of(c_.k_threads), of(c_.lanes * c_.vectors)};
    const double elements = of(c_.lanes * c_.vectors);
    return spread_us(threads, steps, {elements, elements * (1 + kL1WordFmas)}) + (c_.k_threads > 1 ? join_us(c_.k_threads, c_.k_subgroups != 0) : 0);
  }

  // A thread for each line of terms; those of a scatter are begun before. Then the Maps behind them.
  double terms_us() const {
    const Terms& terms = *v_.group.terms;
    const double width = terms.lanes ? of(c_.vectors * c_.lanes) : 1, lines = of(e_.elements) / of(terms.along) / width, steps = all_steps() + (terms.scan ? 0 : of(terms.along));
    const double us = spread_us({of(c_.lane_threads), lines, width}, steps, {width, width * (1 + 3 * kL1WordFmas)});
    if (v_.group.root == v_.group.reduction) return us;
    return us + spread_us({of(c_.lane_threads), of(e_.elements), 1}, 1, {1, 1 + 2 * kL1WordFmas}) + v_.target.launch_us;
  }

  double join_us(int64_t threads, bool in_subgroups) const {
    const double rounds = std::log2(of(threads));
    return clocks_us(rounds * (in_subgroups && of(threads) <= subgroup_ ? kFmaClocks : kBarrierClocks + kL1Clocks));
  }

  // Each reduction of the row, and the root, takes the row's elements once.
  double row_us() const {
    const double passes = of(std::ssize(v_.group.chain)) + (v_.group.lane_axes.empty() ? 0 : 1);
    const double rows = of(v_.group.lane_axes.empty() ? e_.elements : e_.elements / std::max<int64_t>(e_.lanes, 1));
    const double steps = std::ceil(of(e_.lanes) / of(c_.lane_threads * c_.lanes)) * passes;
    const Threads threads{of(c_.lane_threads * c_.row_threads), rows * of(c_.lane_threads), of(c_.lanes)};
    const double us = spread_us(threads, steps, {of(c_.lanes), of(c_.lanes) * (1 + kL1WordFmas)});
    if (c_.lane_threads == 1) return us;
    const bool flat = c_.join == static_cast<int64_t>(Join::kFlat);
    const double joined_us = flat ? clocks_us(kBarrierClocks + kL1Clocks * of(c_.lane_threads)) : join_us(c_.lane_threads, c_.join == static_cast<int64_t>(Join::kSubgroup));
    return us + joined_us * passes;
  }

  const GroupView& v_;
  const Choices& c_;
  const Extents e_;
  const double subgroup_;
};

}  // namespace

double gpu_time_us(const GroupView& view, const Choices& choices) { return GpuTime(view, choices).us(); }

}  // namespace hone::tuner
