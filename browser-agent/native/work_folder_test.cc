#include "browser-agent/native/work_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace hone::native {
namespace {

namespace fs = std::filesystem;

// Given a folder with files, when it ends, then nothing of it is left.
TEST(WorkFolder, EndsWithAllThatIsInIt) {
  auto folder = WorkFolder::make("hone-test");
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const fs::path path = (*folder)->path();
  fs::create_directory(path / "inner");
  std::ofstream(path / "inner" / "file") << "x";
  folder->reset();
  EXPECT_FALSE(fs::exists(path));
}

// Given a process that was killed, when another makes a folder of the same name, then the first one's is removed, and that of one that lives stays.
TEST(WorkFolder, OrphansAreRemoved) {
  const auto mine = WorkFolder::make("hone-test");
  ASSERT_TRUE(mine.ok()) << mine.error().message;
  int out[2];
  ASSERT_EQ(pipe(out), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto its = WorkFolder::make("hone-test");
    const std::string path = its.ok() ? (*its)->path() : "";
    (void)!write(out[1], path.data(), path.size());
    _exit(0);  // without a destructor, as a kill would
  }
  char name[256] = "";
  ASSERT_GT(::read(out[0], name, sizeof name - 1), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(fs::exists(name));
  const auto next = WorkFolder::make("hone-test");
  EXPECT_FALSE(fs::exists(name));
  EXPECT_TRUE(fs::exists((*mine)->path()));
}

}  // namespace
}  // namespace hone::native
