#include "browser-agent/native/thread_team.h"

#include <algorithm>

namespace hone::native {
namespace {

constexpr int64_t kRangesPerThread = 4;  // of a launch: who is early takes another one
constexpr int kSpins = 4000;             // some 100 µs; then others may have the processor

// Waits for something that takes microseconds.
template <typename Ready>
void spin_until(const Ready& ready) {
  for (int i = 0; !ready(); ++i) {
    if (i < kSpins) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace

ThreadTeam::ThreadTeam(int threads) {
  for (int i = 1; i < threads; ++i) helpers_.emplace_back([this, i] { help(static_cast<size_t>(i)); });
}

ThreadTeam::~ThreadTeam() {
  ending_ = true;
  on_shift_ = 1;
  on_shift_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

ThreadTeam::Shift::Shift(ThreadTeam& team, bool wanted) : team_(wanted && !team.helpers_.empty() ? &team : nullptr) {
  if (!team_) return;
  team_->on_shift_ = 1;
  team_->on_shift_.notify_all();
  spin_until([this] { return team_->present_.load() == static_cast<int>(team_->helpers_.size()); });
}

ThreadTeam::Shift::~Shift() {
  if (team_) team_->on_shift_ = 0;
}

void ThreadTeam::run(const Launch& launch) {
  if (launch.threads == 1 || helpers_.empty()) return launch.entry(launch.args[0], 0, launch.extent);
  launch_ = &launch;
  grain_ = std::max<int64_t>(1, launch.extent / (kRangesPerThread * threads()));
  next_ = 0;
  owing_ = static_cast<int>(helpers_.size());
  posted_.fetch_add(1);
  take_ranges(launch, 0);
  spin_until([this] { return owing_.load() == 0; });
}

void ThreadTeam::take_ranges(const Launch& launch, size_t thread) {
  for (;;) {
    const int64_t begin = next_.fetch_add(grain_);
    if (begin >= launch.extent) return;
    launch.entry(launch.args[thread], begin, std::min(begin + grain_, launch.extent));
  }
}

void ThreadTeam::help(size_t thread) {
  uint64_t seen = 0;
  while (!ending_) {
    on_shift_.wait(0);
    present_++;
    while (on_shift_.load() == 1 && !ending_) {
      spin_until([&] { return posted_.load() != seen || on_shift_.load() == 0 || ending_.load(); });
      if (posted_.load() == seen) continue;
      ++seen;
      take_ranges(*launch_, thread);
      owing_--;
    }
    present_--;
  }
}

}  // namespace hone::native
