#include "server/compile/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace hone::server {
namespace {

using std::chrono::milliseconds;

TEST(WorkerPool, RunsEachPieceOnce) {
  // Given a pool of two threads, when 100 pieces are posted, then each runs once.
  WorkerPool pool({.threads = 2});
  std::atomic<int> ran{0};
  std::promise<void> all;
  for (int i = 0; i < 100; ++i)
    pool.post([&] {
      if (++ran == 100) all.set_value();
    });
  all.get_future().wait();
  EXPECT_EQ(ran, 100);
}

TEST(WorkerPool, APausedPoolStartsNothingUntilEachPauseIsResumed) {
  // Given two pauses, when work is posted and one of them ends, then nothing has run; when the second ends, then the work runs.
  WorkerPool pool({.threads = 2, .pause_max = milliseconds(60000)});
  pool.pause();
  pool.pause();
  std::promise<void> ran;
  std::future<void> done = ran.get_future();
  pool.post([&] { ran.set_value(); });
  pool.resume();
  EXPECT_EQ(done.wait_for(milliseconds(30)), std::future_status::timeout);
  pool.resume();
  EXPECT_EQ(done.wait_for(milliseconds(10000)), std::future_status::ready);
}

TEST(WorkerPool, APauseThatNobodyEndsRunsOut) {
  // Given a pause that is never resumed, when its longest time is over, then the work runs.
  WorkerPool pool({.threads = 1, .pause_max = milliseconds(20)});
  pool.pause();
  std::promise<void> ran;
  pool.post([&] { ran.set_value(); });
  EXPECT_EQ(ran.get_future().wait_for(milliseconds(10000)), std::future_status::ready);
}

TEST(WorkerPool, EndsWithWorkInItsQueue) {
  // Given a paused pool with work waiting, when it is destroyed, then the destructor returns and the work never ran.
  bool ran = false;
  {
    WorkerPool pool({.threads = 1, .pause_max = milliseconds(60000)});
    pool.pause();
    pool.post([&] { ran = true; });
  }
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace hone::server
