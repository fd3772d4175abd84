#include "server/child/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <optional>
#include <thread>

#include "server/child/shared_memory.h"

namespace hone::server {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

ChildCommand shell(std::string script, std::vector<int> descriptors = {}) { return {"/bin/sh", {"-c", std::move(script)}, std::move(descriptors)}; }

TEST(ChildProcess, EndsAsItEnds) {
  // Given programs that end well, with a code and by a signal, when each is run, then its end says so.
  EXPECT_EQ(run_child(shell("exit 0"), kLong, nullptr)->exit_code, 0);
  EXPECT_EQ(run_child(shell("exit 7"), kLong, nullptr)->exit_code, 7);
  EXPECT_EQ(run_child(shell("kill -SEGV $$"), kLong, nullptr)->signal, SIGSEGV);
  EXPECT_EQ(run_child(shell("exit 0"), kLong, nullptr)->signal, 0);
}

TEST(ChildProcess, HasWhatItIsGivenAndNothingElse) {
  // Given two memories, and a file that stays open for other programs, when a program has the memories as 3 and 4, then it writes to each what is meant for it, and does not
  // have the file.
  auto first = make_memory("first"), second = make_memory("second");
  ASSERT_TRUE(first.ok() && second.ok());
  const Descriptor careless(fcntl(2, F_DUPFD, 50));
  const std::string look = "test -e /proc/$$/fd/" + std::to_string(careless.number()) + " && echo careless >&3; ";
  const auto end = run_child(shell(look + "echo one >&3; echo two >&4", {second->number(), first->number()}), kLong, nullptr);
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(*SharedMemory::seal(std::move(*second))->bytes(), "one\n");
  EXPECT_EQ(*SharedMemory::seal(std::move(*first))->bytes(), "two\n");
}

TEST(ChildProcess, IsKilledWithItsChildrenWhenItIsCancelled) {
  // Given a program that waits for another one for ever, when it is cancelled once both run, then both end: nobody has the pipe any more that they were given.
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const Descriptor from(ends[0]);
  std::optional<Descriptor> to(ends[1]);
  CancelToken cancel;
  Result<ChildEnd> end = ChildEnd{};
  std::thread work([&] { end = run_child(shell("sleep 1000000 & echo up >&3; wait", {to->number()}), kLong, &cancel); });
  char text[3];
  ASSERT_EQ(read(from.number(), text, sizeof text), 3);
  cancel.cancel();
  work.join();
  to.reset();
  EXPECT_EQ(read(from.number(), text, sizeof text), 0);
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kCancelled);
}

TEST(ChildProcess, IsKilledAtTheEndOfItsTime) {
  // Given a program that waits for ever, when its time is over, then it is killed, and its end says why.
  const auto end = run_child(shell("exec sleep 1000000"), milliseconds(1), nullptr);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->out_of_time);
}

TEST(ChildProcess, ThatIsNotThereIsSaidToBeMissing) {
  // Given the path of no program, when it is to run, then the error names it; and what is cancelled already does not start.
  const auto end = run_child({"/nowhere/program"}, kLong, nullptr);
  ASSERT_FALSE(end.ok());
  EXPECT_NE(end.error().message.find("/nowhere/program cannot be started: No such file"), std::string::npos) << end.error().message;
  CancelToken cancel;
  cancel.cancel();
  EXPECT_EQ(run_child(shell("exit 0"), kLong, &cancel).error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace hone::server
