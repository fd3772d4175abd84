#include "browser-agent/native/guarded_block.h"

#include <gtest/gtest.h>

#include <cstring>

#include "codegen/emit/llvm/cpu_bindings.h"

namespace hone::native {
namespace {

std::unique_ptr<GuardedBlock> make(int64_t bytes) {
  auto block = GuardedBlock::make(bytes);
  EXPECT_TRUE(block.ok());
  return std::move(*block);
}

// Given blocks of all kinds of sizes, when made, then data begins at a multiple of 64, can be written when open, and slack is whole.
TEST(GuardedBlock, Data) {
  for (int64_t bytes : {0, 16, 64, 4000, 4096, 100'000}) {
    const auto block = make(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block->data()) % 64, 0u);
    block->open();
    block->fill(7);
    block->close();
    EXPECT_TRUE(block->mend_slack()) << bytes;
    uint32_t last = 0;
    if (bytes >= 4) std::memcpy(&last, block->data() + bytes - 4, 4);
    EXPECT_EQ(last, bytes >= 4 ? 7u : 0u);
  }
}

// Given a write between the data and the next page, when looked for, then it is found once, and made good.
TEST(GuardedBlock, SlackTellsWrites) {
  for (int64_t beside : {-1, 1000}) {
    const auto block = make(1000);
    block->open();
    block->data()[beside] = std::byte{1};
    EXPECT_FALSE(block->mend_slack()) << beside;
    EXPECT_TRUE(block->mend_slack()) << beside;
    block->close();
  }
}

// Given a block, when something is written behind its page, or to it while it is closed, or read beyond what is allowed, then the process
// ends; what is allowed is fine.
TEST(GuardedBlockDeathTest, FaultsBesideIt) {
  const auto block = make(4096);
  volatile auto* data = reinterpret_cast<volatile char*>(block->data());
  EXPECT_DEATH(data[0] = 1, "");
  block->open();
  data[0] = 1;
  EXPECT_DEATH(data[4096] = 1, "");
  EXPECT_DEATH((void)data[4096 + 100], "");
  EXPECT_DEATH((void)data[-100], "");
  ASSERT_TRUE(block->allow_reads(5000).ok());
  (void)data[4096 + 4999];
  (void)data[-5000];
  EXPECT_DEATH(data[4096] = 1, "");
  block->close();
  EXPECT_FALSE(block->allow_reads(emit::kReachBytesMax + 1).ok());
}

// Given a size that no machine has, when made, then it is out of memory.
TEST(GuardedBlock, TooLarge) {
  const auto block = GuardedBlock::make(int64_t{1} << 50);
  ASSERT_FALSE(block.ok());
  EXPECT_EQ(block.error().code, ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace hone::native
