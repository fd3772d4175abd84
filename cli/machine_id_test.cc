#include "cli/machine_id.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace hone::cli {
namespace {

class MachineId : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("XDG_STATE_HOME")) before_ = before;
    setenv("XDG_STATE_HOME", folder_.c_str(), 1);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    before_.empty() ? unsetenv("XDG_STATE_HOME") : setenv("XDG_STATE_HOME", before_.c_str(), 1);
  }
  const std::string folder_ = std::filesystem::temp_directory_path() / ("hone-machine-" + std::to_string(getpid()));
  std::string before_;
};

// Given a machine without an id, when asked twice, then it is made once; a damaged one is made anew; where nothing can be kept there is none.
TEST_F(MachineId, IsMadeOnceAndKept) {
  const std::string id = machine_id();
  EXPECT_EQ(id.size(), 32u);
  EXPECT_EQ(machine_id(), id);
  std::ofstream(folder_ + "/hone/machine_id") << "no id";
  EXPECT_EQ(machine_id().size(), 32u);
  EXPECT_NE(machine_id(), id);
  setenv("XDG_STATE_HOME", "/proc/none", 1);
  EXPECT_EQ(machine_id(), "");
}

}  // namespace
}  // namespace hone::cli
