#include "server/child/shared_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace hone::server {
namespace {

TEST(SharedMemory, HasTheBytesAndNeverOthers) {
  // Given bytes that are shared, when their descriptor is written to, cut or mapped to be written, then the system refuses, and the bytes are those that were given.
  const auto memory = SharedMemory::of("some bytes");
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(*memory->bytes(), "some bytes");
  EXPECT_EQ(write(memory->descriptor(), "x", 1), -1);
  EXPECT_NE(ftruncate(memory->descriptor(), 1), 0);
  EXPECT_EQ(mmap(nullptr, 1, PROT_WRITE, MAP_SHARED, memory->descriptor(), 0), MAP_FAILED);
  EXPECT_EQ(*memory->bytes(), "some bytes");
}

TEST(SharedMemory, OfNoBytesHasNone) {
  // Given no bytes, when they are shared, then there are none, and a descriptor.
  const auto memory = SharedMemory::of("");
  ASSERT_TRUE(memory.ok());
  EXPECT_TRUE(memory->bytes()->empty());
  EXPECT_GE(memory->descriptor(), 0);
  EXPECT_TRUE(SharedMemory().bytes()->empty());
}

TEST(SharedMemory, LivesAsLongAsSomebodyHoldsItsBytes) {
  // Given bytes that are held, when the memory's owner goes, then they are still there.
  SharedBytes held;
  {
    const auto memory = SharedMemory::of("some bytes");
    held = memory->bytes();
  }
  EXPECT_EQ(*held, "some bytes");
}

TEST(SharedMemory, IsNotSealedWhileSomebodyCanWriteToIt) {
  // Given memory that is mapped to be written, when it is to be sealed, then it is busy; without the mapping it has what was written.
  auto memory = make_memory("test");
  ASSERT_TRUE(memory.ok() && write_memory(memory->number(), "0123").ok());
  void* mapped = mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, memory->number(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  Descriptor other(fcntl(memory->number(), F_DUPFD_CLOEXEC, 0));
  EXPECT_EQ(SharedMemory::seal(std::move(*memory)).error().code, ErrorCode::kBusy);
  munmap(mapped, 4);
  const auto sealed = SharedMemory::seal(std::move(other));
  ASSERT_TRUE(sealed.ok());
  EXPECT_EQ(*sealed->bytes(), "0123");
}

}  // namespace
}  // namespace hone::server
