#include "server/jobs/memory_budget.h"

#include <gtest/gtest.h>

namespace hone::server {
namespace {

TEST(MemoryBudget, IsSharedByTheJobsThatRun) {
  // Given a budget of which one job has taken most, when another wants more than is left, then it is refused with both numbers; when the
  // first has ended, it is there.
  MemoryBudget budget(100 << 20);
  {
    auto first = budget.take(80 << 20, "its inputs");
    ASSERT_TRUE(first.ok());
    const auto second = budget.take(30 << 20, "the inputs of m.onnx");
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::kOutOfMemory);
    EXPECT_EQ(second.error().message,
              "the job needs 30 MiB for the inputs of m.onnx; of the 100 MiB that jobs may take here 20 MiB are left; "
              "repeat when other jobs have ended");
    MemoryBudget::Share moved = std::move(*first);
  }
  EXPECT_TRUE(budget.take(100 << 20, "all").ok());
  EXPECT_NE(budget.take(101 << 20, "more").error().message.find("take smaller shapes"), std::string::npos);
}

TEST(MemoryBudget, LeavesHalfOfWhatIsLeftToOthers) {
  // Given a budget of 100 MiB, when works that do with 20 MiB and may take 40 ask for as much as may be had, then each gets half of what is left within these bounds, and who finds less than
  // the least is refused.
  MemoryBudget budget(100 << 20);
  const auto first = budget.take_most(20 << 20, 40 << 20, "this"), second = budget.take_most(20 << 20, 40 << 20, "this"), third = budget.take_most(20 << 20, 40 << 20, "this");
  ASSERT_TRUE(first.ok() && second.ok() && third.ok());
  EXPECT_EQ(first->bytes(), 40 << 20);
  EXPECT_EQ(second->bytes(), 30 << 20);
  EXPECT_EQ(third->bytes(), 20 << 20);
  EXPECT_EQ(budget.take_most(20 << 20, 40 << 20, "this").error().code, ErrorCode::kOutOfMemory);
}

TEST(MemoryBudget, OfThisMachineIsMoreThanNothingAndLessThanAll) {
  // Given this machine, when its usable memory is measured, then a job has some, and not more than an address space holds.
  EXPECT_GT(usable_memory_bytes(), 16 << 20);
  EXPECT_LT(usable_memory_bytes(), int64_t{1} << 47);
}

}  // namespace
}  // namespace hone::server
