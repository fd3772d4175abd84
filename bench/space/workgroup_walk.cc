#include "bench/space/workgroup_walk.h"

#include <algorithm>
#include <array>

#include "bench/space/sector_cache.h"
#include "codegen/ir/thread_values.h"

namespace hone::bench {

namespace {

using Mask = std::vector<uint8_t>;  // by thread

constexpr int64_t kInnerIterations = 9, kOuterIterations = 3;
constexpr int64_t kWholeBelow = 13;  // iterations: a shorter inner loop is walked whole
// Words accessed, from which on a loop is walked for two iterations, and for one.
constexpr int64_t kCostlyFrom = 100000, kTooCostlyFrom = 300000;
constexpr int kWordBytes = 4;
constexpr uint64_t kElsewhere = 1024;  // elements between lanes whose index memory decides: each touches a sector of its own
constexpr uint64_t kBufferBytes = 1ull << 40;  // addresses of two buffers are so far apart

enum class Wait : uint8_t { kNone, kWorkgroup, kL1, kL2 };

struct Active {
  Mask threads;
  double warps = 0;
};

class WorkgroupWalk {
 public:
  WorkgroupWalk(const Hardware& gpu, const ir::Launch& launch, const ir::Dims& block, double l1_bytes)
      : gpu_(gpu), values_(launch, block), l1_(l1_bytes) {}

  WorkgroupCounts run(const std::vector<LaunchStep>& steps) {
    const Active all = active(Mask(static_cast<size_t>(values_.threads()), 1));
    counts_.warps = all.warps;
    walk(steps, all, 1);
    return std::move(counts_);
  }

 private:
  Active active(Mask threads) const {
    Active result{std::move(threads)};
    for_each_warp([&](size_t begin, size_t end) {
      const auto from = result.threads.begin();
      result.warps += std::find(from + static_cast<int64_t>(begin), from + static_cast<int64_t>(end), 1) !=
                      from + static_cast<int64_t>(end);
    });
    return result;
  }

  template <class Visit>
  void for_each_warp(const Visit& visit) const {
    const auto threads = static_cast<size_t>(values_.threads()), warp = static_cast<size_t>(gpu_.warp_threads);
    for (size_t begin = 0; begin < threads; begin += warp) visit(begin, std::min(begin + warp, threads));
  }

  // weight: how many executions this one stands for.
  void walk(const std::vector<LaunchStep>& steps, const Active& active, double weight) {
    for (const LaunchStep& step : steps) {
      count_operations(step.operations, active.warps * weight);
      count_accesses(step, active, weight);
      if (step.kind == StepKind::kLoop) loop(step, active, weight);
      if (step.kind == StepKind::kCondition) condition(step, active, weight);
      if (step.kind == StepKind::kBarrier) counts_.barriers += weight;
    }
  }

  void count_operations(Operations operations, double times) {
    operations.products *= times;
    operations.integers *= times;
    operations.specials *= times;
    operations.exchanges *= times;
    operations.accesses *= times;
    counts_.operations += operations;
  }

  int64_t iterations_of(const LaunchStep& loop) const {
    const auto has_loop = [](const LaunchStep& s) { return s.kind != StepKind::kStraight && s.kind != StepKind::kBarrier; };
    const bool inner = std::none_of(loop.body.begin(), loop.body.end(), has_loop);
    const int64_t extent = loop.source->extent;
    if (words_touched_ > kCostlyFrom) return words_touched_ > kTooCostlyFrom ? 1 : std::min<int64_t>(extent, 2);
    return inner ? (extent < kWholeBelow ? extent : kInnerIterations) : std::min(extent, kOuterIterations);
  }

  void loop(const LaunchStep& step, const Active& active, double weight) {
    const int64_t extent = step.source->extent, walked = iterations_of(step);
    // The first iteration for itself, the others for all others; one alone for all.
    const bool alone = walked == 1;
    const double stands_for = alone ? static_cast<double>(extent) : static_cast<double>(extent - 1) / static_cast<double>(walked - 1);
    double filled_later = 0;
    values_.enter(step.source->var);
    for (int64_t i = 0; i < walked; ++i) {
      const double filled = l1_.filled();
      values_.advance(step.source->var, i);
      walk(step.body, active, weight * (i == 0 && !alone ? 1 : stands_for));
      if (i > 0 || alone) filled_later += l1_.filled() - filled;
    }
    values_.leave();
    l1_.fill(filled_later * (stands_for - 1));
  }

  void condition(const LaunchStep& step, const Active& active, double weight) {
    const int32_t* value = values_.of(step.source->value);
    if (!value) return walk(step.body, active, weight);
    Mask then = active.threads, otherwise = active.threads;
    for (size_t t = 0; t < then.size(); ++t) (value[t] ? otherwise : then)[t] = 0;
    branch(step.body, std::move(then), weight);
    branch(step.otherwise, std::move(otherwise), weight);
  }

  void branch(const std::vector<LaunchStep>& steps, Mask threads, double weight) {
    const Active taken = active(std::move(threads));
    if (taken.warps > 0) walk(steps, taken, weight);
  }

  void count_accesses(const LaunchStep& step, const Active& active, double weight) {
    Wait longest = Wait::kNone;
    for (const MemoryAccess& a : step.accesses) {
      const Wait wait = access(a, active, weight);
      if (!a.is_store) longest = std::max(longest, wait);
    }
    if (longest == Wait::kWorkgroup) counts_.waits_workgroup += weight;
    if (longest == Wait::kL1) counts_.waits_l1 += weight;
    if (longest == Wait::kL2) counts_.waits_l2 += weight;
  }

  Wait access(const MemoryAccess& a, const Active& active, double weight) {
    if (a.buffer->scope == ir::Scope::kRegister) return private_access(a, active, weight);
    const bool shared = a.buffer->scope == ir::Scope::kWorkgroup;
    if (!shared) counts_.index.try_emplace(a.buffer, a.index);
    const int32_t* index = values_.of(a.index);
    const int32_t* mask = a.mask ? values_.of(a.mask) : nullptr;
    Wait wait = Wait::kNone;
    for_each_warp([&](size_t begin, size_t end) {
      if (!find_addresses(a, {index, mask}, active, begin, end)) return;
      const Wait found = shared && !gpu_.workgroup_in_memory ? banks(weight) : sectors(a, weight);
      wait = std::max(wait, found);
    });
    return wait;
  }

  // An array of a thread's own, each thread's words beside its neighbours'.
  Wait private_access(const MemoryAccess& a, const Active& active, double weight) {
    const double words = static_cast<double>(a.buffer->lanes) * a.index->type.lanes;
    const auto threads = static_cast<double>(std::count(active.threads.begin(), active.threads.end(), 1));
    counts_.l1_sectors += threads * weight * words * kWordBytes / kSectorBytes;
    return Wait::kL1;
  }

  struct Numbers {
    const int32_t *index, *mask;
  };

  // Into words_ the places of the words that the warp touches, each once, ascending.
  bool find_addresses(const MemoryAccess& a, Numbers numbers, const Active& active, size_t begin, size_t end) {
    words_.clear();
    const auto threads = static_cast<size_t>(values_.threads());
    const bool mask_of_lanes = a.mask && a.mask->type.lanes > 1;
    for (int lane = 0; lane < a.index->type.lanes; ++lane)
      for (size_t t = begin; t < end; ++t) {
        const size_t at = static_cast<size_t>(lane) * threads + t;
        if (!active.threads[t] || (numbers.mask && !numbers.mask[mask_of_lanes ? at : t])) continue;
        add_words(a.buffer, numbers.index ? static_cast<uint32_t>(numbers.index[at]) : at * kElsewhere);
      }
    words_touched_ += static_cast<int64_t>(words_.size());
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    return !words_.empty();
  }

  void add_words(ir::Buffer buffer, uint64_t element) {
    const uint64_t bytes = static_cast<uint64_t>(ir::size_bytes(buffer->dtype)) * static_cast<uint64_t>(buffer->lanes);
    for (uint64_t byte = 0; byte < bytes; byte += kWordBytes) words_.push_back((element * bytes + byte) / kWordBytes);
  }

  // A bank gives one word a clock; who wants the same word shares it.
  Wait banks(double weight) {
    std::array<int, 64> asked{};
    const auto count = static_cast<uint64_t>(gpu_.workgroup_words_clock);
    for (uint64_t word : words_) ++asked[word % std::min<uint64_t>(count, asked.size())];
    counts_.workgroup_clocks += weight * *std::max_element(asked.begin(), asked.end());
    return Wait::kWorkgroup;
  }

  Wait sectors(const MemoryAccess& a, double weight) {
    const uint64_t base = (1 + a.buffer->id) * (kBufferBytes / kSectorBytes);
    Wait wait = Wait::kL1;
    uint64_t last = UINT64_MAX;
    for (uint64_t word : words_) {
      const uint64_t sector = base + word * kWordBytes / kSectorBytes;
      if (sector != last) wait = std::max(wait, touch(a, sector, weight));
      last = sector;
    }
    return wait;
  }

  Wait touch(const MemoryAccess& a, uint64_t sector, double weight) {
    const bool is_global = a.buffer->scope != ir::Scope::kWorkgroup;
    const SectorCache::Found found = l1_.touch(sector);
    counts_.l1_sectors += weight;
    if (is_global && found == SectorCache::Found::kNew) counts_.sectors[a.buffer] += weight;
    // Stores go through to L2; workgroup memory is written before it is read, in L1.
    const bool is_in_l1 = is_global ? found == SectorCache::Found::kHeld && !a.is_store : found != SectorCache::Found::kGone;
    if (is_in_l1) return Wait::kL1;
    counts_.l2_sectors += weight;
    return Wait::kL2;
  }

  const Hardware& gpu_;
  ir::ThreadValues values_;
  SectorCache l1_;
  WorkgroupCounts counts_;
  std::vector<uint64_t> words_;
  int64_t words_touched_ = 0;
};

// The loops around everything, at their first iteration.
void enter_loops(ir::Stmt s, ir::ThreadValues& values) {
  if (!s) return;
  if (s->kind == ir::StmtKind::kFor) {
    values.enter(s->var);
    values.advance(s->var, 0);
  }
  for (ir::Stmt child : s->body) enter_loops(child, values);
}

// The first `count` workgroups in the grid's order, at least, as the threads of one.
ir::Launch across_workgroups(const ir::Launch& launch, int64_t count) {
  ir::Launch across = launch;
  across.thread_vars = launch.block_vars;
  across.block_vars = launch.thread_vars;
  across.thread_linear = nullptr;
  for (size_t d = 0; d < 3; ++d) {
    across.threads[d] = std::min(launch.grid[d], count);
    count = (count + across.threads[d] - 1) / across.threads[d];
  }
  return across;
}

}  // namespace

WorkgroupCounts walk_workgroup(const Hardware& gpu, const ir::Launch& launch, const ir::Dims& block, double l1_bytes) {
  return WorkgroupWalk(gpu, launch, block, l1_bytes).run(launch_steps(launch.body));
}

double share_of_own(const ir::Launch& launch, ir::Expr index, int64_t workgroups) {
  const ir::Launch across = across_workgroups(launch, workgroups);
  ir::ThreadValues values(across, {0, 0, 0});
  if (launch.thread_linear) {
    values.enter(launch.thread_linear);
    values.advance(launch.thread_linear, 0);
  }
  enter_loops(launch.body, values);
  const int32_t* numbers = values.of(index);
  if (!numbers) return 1;
  std::vector<int32_t> places(numbers, numbers + values.threads());
  std::sort(places.begin(), places.end());
  const auto distinct = std::unique(places.begin(), places.end()) - places.begin();
  return static_cast<double>(distinct) / static_cast<double>(values.threads());
}

}  // namespace hone::bench
