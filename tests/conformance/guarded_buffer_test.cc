#include "tests/conformance/guarded_buffer.h"

#include <gtest/gtest.h>

#include <cstring>

namespace hone::conformance {
namespace {

using Edge = GuardedBuffer::Edge;
using GuardedBufferDeathTest = testing::Test;

// Given buffers at either edge, when all their bytes and those within reach are used, then nothing happens and the border shows a write.
TEST(GuardedBuffer, HoldsItsBytesAndItsReach) {
  for (const Edge edge : {Edge::kFront, Edge::kBack})
    for (const size_t bytes : {size_t{0}, size_t{16}, size_t{4096}, size_t{5008}}) {
      GuardedBuffer buffer(bytes, 12, edge);
      std::memset(buffer.data(), 1, bytes);
      EXPECT_TRUE(buffer.border_is_whole());
      EXPECT_EQ(*(buffer.data() - 12), *(buffer.data() + bytes + 11));
      buffer.data()[bytes] = 1;
      EXPECT_FALSE(buffer.border_is_whole());
    }
}

// Given a buffer, when one byte beyond its edge is written or read, then the process ends.
TEST_F(GuardedBufferDeathTest, FaultsBeyondItsEdge) {
  const GuardedBuffer back(48, 8, Edge::kBack), front(48, 8, Edge::kFront);
  volatile unsigned char *behind = back.data() + 48, *before = front.data();
  EXPECT_DEATH(behind[8] = 1, "");
  EXPECT_DEATH(before[-9] = 1, "");
  EXPECT_DEATH((void)behind[8], "");
  behind[7] = 1;
  before[-8] = 1;
}

// Given a frozen buffer, when it is read, then it holds what it held; when it is written, then the process ends.
TEST_F(GuardedBufferDeathTest, FrozenIsReadOnly) {
  GuardedBuffer buffer(16, 0, Edge::kBack);
  buffer.data()[3] = 7;
  buffer.freeze();
  EXPECT_EQ(buffer.data()[3], 7);
  EXPECT_DEATH(buffer.data()[3] = 8, "");
}

}  // namespace
}  // namespace hone::conformance
