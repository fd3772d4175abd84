// Children that go wrong. They are scripts: what the real one does is tested with it (cli/model_child_test.cc).
#include "server/jobs/child_models.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "server/jobs/child_references.h"

namespace hone::server {
namespace {

namespace fs = std::filesystem;

class ChildModelsTest : public testing::Test {
 protected:
  ChildModelsTest() { fs::create_directories(folder_); }
  ~ChildModelsTest() override { fs::remove_all(folder_); }

  ChildConfig script(const std::string& text) {
    const std::string path = folder_ + "/child";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return {.program = path};
  }
  Result<graph::Graph> ask(ChildConfig config, const CancelToken* cancel = nullptr) {
    return ChildModels(std::move(config), memory_).graph({job_, payload_}, cancel);
  }
  Error error_of(const std::string& text) { return ask(script(text)).error(); }

  const std::string folder_ = fs::temp_directory_path() / cat("hone_child_models_", getpid());
  MemoryBudget memory_{int64_t{1} << 30};
  const protocol::JobRequest job_{.kind = protocol::JobKind::kTune, .source = {.model_name = "m.onnx"}, .target = "webgpu"};
  const SharedMemory payload_ = std::move(SharedMemory::of("a model")).value();
};

struct Ending {
  const char* script;
  ErrorCode code;
  const char* words;
};
constexpr Ending kEndings[] = {
    {"kill -SEGV $$", ErrorCode::kInternal, "reading the model ended with the signal 11 (Segmentation fault)"},
    {"kill -ABRT $$", ErrorCode::kInternal, "the signal 6 (Aborted)"},
    {"kill -XCPU $$", ErrorCode::kLimitExceeded, "reading the model took more than 61 s of the processor"},
    {"kill -XFSZ $$", ErrorCode::kOutOfMemory, "reading the model takes more than the 512 MiB"},
    {"exit 3", ErrorCode::kOutOfMemory, "reading the model takes more than the 512 MiB"},
    {"kill -KILL $$", ErrorCode::kOutOfMemory, "was ended by the system"},
    {"exit 9", ErrorCode::kInternal, "ended with the code 9"},
    {"exit 0", ErrorCode::kInternal, "answered with what is no answer"},
    {"echo this is a text and no answer >&5", ErrorCode::kInternal, "answered with what is no answer"},
    {"head -c 100000 /dev/zero >&5", ErrorCode::kInternal, "answered with what is no answer"},
    {"cat /dev/urandom | head -c 100000 >&5", ErrorCode::kInternal, "answered with what is no answer"},
};

TEST_F(ChildModelsTest, HoweverAChildEndsItsWorkHasAnError) {
  // Given children that crash, reach a limit, or answer with what is no answer, when each is asked for a graph, then the error says so in one sentence, and the budget has what it had.
  for (const Ending& ending : kEndings) {
    const Error error = error_of(ending.script);
    EXPECT_EQ(error.code, ending.code) << ending.script << ": " << error.message;
    EXPECT_NE(error.message.find(ending.words), std::string::npos) << error.message;
  }
  EXPECT_TRUE(memory_.take(1 << 30, "all").ok());
}

TEST_F(ChildModelsTest, HoweverAChildEndsItsReferenceHasAnError) {
  // Given the same children, when each is asked for a task's reference, then the error says so in one sentence, and the budget has what it had.
  const auto task = graph::task_from_spec("matmul:4x4x4");
  ASSERT_TRUE(task.ok()) << task.error().message;
  for (const Ending& ending : kEndings) {
    const auto reference = ChildReferences(script(ending.script), memory_)(*task, nullptr);
    ASSERT_FALSE(reference.ok()) << ending.script;
    EXPECT_EQ(reference.error().code, ending.code) << ending.script << ": " << reference.error().message;
  }
  EXPECT_TRUE(memory_.take(1 << 30, "all").ok());
}

TEST_F(ChildModelsTest, AChildThatHangsIsKilledAtTheEndOfItsTime) {
  // Given a child that waits for ever, when its time is over, then it took too long.
  ChildConfig config = script("exec sleep 1000000");
  config.clock_per_processor = 1e-6;
  EXPECT_EQ(ask(config).error().code, ErrorCode::kLimitExceeded);
}

TEST_F(ChildModelsTest, AChildThatHangsEndsWithACancel) {
  // Given a child that waits for ever, when its work is cancelled, then it ends, and the work is cancelled.
  const std::string fifo = folder_ + "/up";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  CancelToken cancel;
  std::optional<Result<graph::Graph>> answer;
  std::thread work([&] { answer.emplace(ask(script("echo up >" + fifo + "; exec sleep 1000000"), &cancel)); });
  std::string word;
  std::ifstream(fifo) >> word;
  cancel.cancel();
  work.join();
  EXPECT_EQ(word, "up");
  EXPECT_EQ(answer->error().code, ErrorCode::kCancelled);
}

TEST_F(ChildModelsTest, HoweverMuchArithmeticAModelHasItsTimeEnds) {
  // Given a model whose reference would take longer than the world is old, when a child that ends at once is asked for it, then it is waited for, and has no answer.
  const auto answer = ChildModels(script("exit 0"), memory_).reference({job_, payload_}, {.memory_bytes = 1, .processor_s = 1e30}, nullptr);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kInternal) << answer.error().message;
}

TEST_F(ChildModelsTest, AProgramThatIsNotThereIsNamed) {
  // Given no program, when a graph is asked for, then the error names it.
  const Error error = ask({.program = "/nowhere/hone"}).error();
  EXPECT_EQ(error.code, ErrorCode::kIoError);
  EXPECT_NE(error.message.find("/nowhere/hone"), std::string::npos);
}

TEST_F(ChildModelsTest, WithoutMemoryToSpareNoChildStarts) {
  // Given a budget that others have taken, when a graph is asked for, then there is no memory for it, and no child.
  const auto all = memory_.take(1 << 30, "all");
  const Error error = error_of("kill -SEGV $$");
  EXPECT_EQ(error.code, ErrorCode::kOutOfMemory);
  EXPECT_NE(error.message.find("for reading the model"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace hone::server
