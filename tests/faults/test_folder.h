// A folder of a test's own: a database, and beside it what is left of it after a loss of power. The losses are simulated; the folder may lie in memory.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/cat.h"

namespace hone::faults {

class TestFolder {
 public:
  TestFolder() { std::filesystem::create_directories(folder_); }
  ~TestFolder() { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "hone.db"; }
  std::string after() const { return folder_ / "after"; }
  std::string path_after() const { return folder_ / "after" / "hone.db"; }

 private:
  const std::filesystem::path folder_ =
      (std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
      cat("hone_faults_", getpid(), "_", reinterpret_cast<uintptr_t>(this));
};

}  // namespace hone::faults
