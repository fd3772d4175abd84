#include "browser-agent/native/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>

#include "browser-agent/native/thread_choice.h"

namespace hone::native {
namespace {

// args[0]: counters, one per iteration.
void count(void* const* args, int64_t begin, int64_t end) {
  auto* counters = static_cast<std::atomic<int>*>(args[0]);
  for (int64_t i = begin; i < end; ++i) counters[i]++;
}

// Given teams and launches of all kinds of sizes, when run in several shifts, then each iteration runs once each time.
TEST(ThreadTeam, EachIterationOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    EXPECT_EQ(team.threads(), threads);
    for (int64_t extent : {1, 3, 64, 1000}) {
      std::vector<std::atomic<int>> counters(static_cast<size_t>(extent));
      void* args[] = {counters.data()};
      const Launch launch{count, extent, std::vector<void* const*>(static_cast<size_t>(threads), args), threads};
      for (int shift = 0; shift < 3; ++shift) {
        const ThreadTeam::Shift ready(team, true);
        for (int i = 0; i < 10; ++i) team.run(launch);
      }
      for (const auto& counter : counters) EXPECT_EQ(counter, 30);
    }
  }
}

struct Tried {
  int threads = 0, runs = 0;
};

// A launch of work_ns, on a machine where the other threads cost fork_ns.
Tried choose(int64_t work_ns, int64_t fork_ns, int all = 4) {
  Tried tried;
  tried.threads = choose_threads(
      [&](int threads, int runs) {
        tried.runs += runs;
        return runs * (threads == 1 ? work_ns : work_ns / threads + fork_ns);
      },
      all);
  return tried;
}

// Given a launch shorter than waking the threads takes, when tried, then it runs alone; a longer one runs on all; so does one of many
// milliseconds, after a single run. One thread needs no trial.
TEST(ThreadChoice, TheFasterOne) {
  EXPECT_EQ(choose(400, 5000).threads, 1);
  EXPECT_EQ(choose(40'000, 5000).threads, 4);
  EXPECT_EQ(choose(40'000, 100'000).threads, 1);
  EXPECT_EQ(choose(50'000'000, 100'000).threads, 4);
  EXPECT_EQ(choose(50'000'000, 100'000).runs, 1);
  EXPECT_EQ(choose(1000, 5000, 1).runs, 0);
}

}  // namespace
}  // namespace hone::native
