#include "server/compile/pause_budget.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace hone::server {
namespace {

using namespace std::chrono_literals;

const PauseBudget::Time kStart{};

TEST(PauseBudget, AShortPauseIsKept) {
  // Given a budget of 2 s, when pauses of half a second come a second apart, then the workers stand still in each, to its end.
  PauseBudget budget(2000ms);
  for (int second = 0; second < 100; ++second) {
    const auto begin = kStart + std::chrono::seconds(second);
    budget.want(true, begin);
    EXPECT_TRUE(budget.still(begin + 499ms)) << second;
    budget.want(false, begin + 500ms);
    EXPECT_FALSE(budget.still(begin + 600ms));
  }
}

TEST(PauseBudget, APauseWithoutEndRunsOutAndComesBack) {
  // Given a pause that nobody ends, when 2 s are over, then the workers work for half a second, then stand still again.
  PauseBudget budget(2000ms);
  budget.want(true, kStart);
  EXPECT_EQ(budget.changes_at(kStart), kStart + 2000ms);
  EXPECT_TRUE(budget.still(kStart + 1999ms));
  EXPECT_FALSE(budget.still(kStart + 2000ms));
  EXPECT_EQ(budget.changes_at(kStart + 2000ms), kStart + 2500ms);
  EXPECT_FALSE(budget.still(kStart + 2499ms));
  EXPECT_TRUE(budget.still(kStart + 2500ms));
  EXPECT_FALSE(budget.still(kStart + 4600ms)) << "also where nobody looked in between";
}

TEST(PauseBudget, WorkersGetAFifthHoweverPausesFollow) {
  // Given pauses and gaps of random length, as of many agents at once, when an hour has passed, then the workers had a fifth of it, less one budget.
  Rng rng(3);
  PauseBudget budget(2000ms);
  auto now = kStart;
  std::chrono::nanoseconds worked{0};
  while (now < kStart + 1h) {
    if (rng.below(10) == 0) budget.want(rng.below(20) != 0, now);
    if (!budget.still(now)) worked += 7ms;
    now += 7ms;
  }
  EXPECT_GT(worked, 12min - 2s - 7ms * 1800);
}

}  // namespace
}  // namespace hone::server
