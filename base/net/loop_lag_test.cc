#include "base/net/loop_lag.h"

#include <gtest/gtest.h>

#include <numeric>

namespace hone::net {
namespace {

uint64_t count(const LoopLag& lag) {
  const auto& counts = lag.seconds().counts();
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

TEST(LoopLag, TellsHowLateALoopComes) {
  // Given a loop whose clock moves on by 350 ms before its timer of 100 ms comes, when the timer has come, then it was 250 ms late, in the sum and
  // as the greatest until that is asked for; what is due and did not come is late, too.
  EventLoop loop;
  FakeClock clock;
  LoopLag lag(loop, clock);
  clock.advance(std::chrono::milliseconds(350));
  ASSERT_TRUE(loop.run_until([&] { return count(lag) == 1; }, std::chrono::seconds(10)));
  EXPECT_NEAR(lag.seconds().sum(), 0.25, 1e-9);
  EXPECT_NEAR(lag.take_max(), 0.25, 1e-9);
  EXPECT_EQ(lag.take_max(), 0);
  clock.advance(std::chrono::milliseconds(1100));
  EXPECT_NEAR(lag.take_max(), 1, 1e-9);
}

}  // namespace
}  // namespace hone::net
