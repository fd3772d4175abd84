#include "base/backoff.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesWithJitterUpToItsLimit) {
  // Given waits from 100 ms to 1 s, when attempts fail, then each wait lies between half of 100, 200, 400, 800, 1000, 1000 ms … and the whole; after
  // one that went well, it begins at 100 ms again.
  Backoff backoff({milliseconds(100), milliseconds(1000)}, 7);
  for (const int64_t whole : {100, 200, 400, 800, 1000, 1000, 1000}) {
    const int64_t wait = backoff.next().count();
    EXPECT_GE(wait, whole / 2);
    EXPECT_LE(wait, whole);
  }
  for (int i = 0; i < 100; ++i) EXPECT_LE(backoff.next().count(), 1000);
  backoff.reset();
  EXPECT_LE(backoff.next().count(), 100);
}

TEST(Backoff, TwoDoNotWaitTheSame) {
  // Given two who were cut off together, when each fails ten times, then their waits differ.
  Backoff one({}, 1), other({}, 2);
  int different = 0;
  for (int i = 0; i < 10; ++i) different += one.next() != other.next();
  EXPECT_GE(different, 8);
}

}  // namespace
}  // namespace hone
