#include "server/child/child_limits.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

namespace hone::server {
namespace {

constexpr ChildLimits kWide{.memory_bytes = 1 << 30, .written_bytes = 1 << 30, .processor_s = 60};

void enter(const ChildLimits& limits) {
  if (!enter_limits(limits).ok()) _exit(99);
}

// Given a process within limits, when it stays within them, then it ends as it wants to; when it goes beyond one, then as the header says.
TEST(ChildLimitsDeathTest, WithinThemNothingEnds) {
  EXPECT_EXIT(
      {
        enter(kWide);
        const auto some = std::make_unique<std::string>(64 << 20, 'x');
        _exit(some->back() == 'x' ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ChildLimitsDeathTest, MemoryEndsItWithACode) {
  EXPECT_EXIT(
      {
        enter({.memory_bytes = 32 << 20, .written_bytes = 1 << 30, .processor_s = 60});
        const auto much = std::make_unique<std::string>(64 << 20, 'x');
        _exit(much->back() == 'x' ? 0 : 1);
      },
      testing::ExitedWithCode(kExitWithoutMemory), "");
}

int depth_of(int levels, volatile char* above) {
  volatile char here[4096];
  here[0] = above[0];
  return levels == 0 ? here[0] : depth_of(levels - 1, here) + here[0];
}

TEST(ChildLimitsDeathTest, TheStackEndsIt) {
  EXPECT_EXIT(
      {
        enter(kWide);
        volatile char top[1] = {0};
        _exit(depth_of(1 << 20, top));
      },
      testing::KilledBySignal(SIGSEGV), "");
}
#endif

TEST(ChildLimitsDeathTest, ProcessorTimeEndsIt) {
  EXPECT_EXIT(
      {
        enter({.memory_bytes = 1 << 30, .written_bytes = 1 << 30, .processor_s = 1});
        for (std::atomic<int> i = 0;; i++) {
        }
      },
      testing::KilledBySignal(SIGXCPU), "");
}

TEST(ChildLimitsDeathTest, WhatItWritesEndsIt) {
  EXPECT_EXIT(
      {
        enter({.memory_bytes = 1 << 30, .written_bytes = 4096, .processor_s = 60});
        const int memory = memfd_create("test", 0);
        const std::string page(4096, 'x');
        if (write(memory, page.data(), page.size()) != 4096) _exit(98);
        (void)!write(memory, "x", 1);
        _exit(0);
      },
      testing::KilledBySignal(SIGXFSZ), "");
}

TEST(ChildLimits, AChildEndsWithTheThreadThatStartedIt) {
  // Given a child that waits for ever, when the thread that started it ends, then the child is killed.
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t child = 0;
  std::thread([&] {
    const pid_t parent = getpid();
    child = fork();
    if (child == 0) {
      end_with_parent(parent);
      (void)!write(ready[1], "x", 1);
      while (true) pause();
    }
    char byte;
    (void)!read(ready[0], &byte, 1);
  }).join();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(ChildLimits, AChildWithoutItsParentEndsAtOnce) {
  // Given a child whose parent is another process than it was told, when it asks to end with it, then it ends.
  const pid_t child = fork();
  if (child == 0) {
    end_with_parent(1);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
}  // namespace hone::server
