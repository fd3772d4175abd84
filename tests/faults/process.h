// Process: another program, whose lines are read one by one, and which is killed.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace hone::faults {

class Process {
 public:
  // stderr is this process's own. Aborts where it cannot be started.
  explicit Process(const std::vector<std::string>& arguments);
  ~Process() { kill(); }
  Process(const Process&) = delete;

  // Waits for the next line; nullopt at the end of its output.
  std::optional<std::string> line();
  // SIGKILL, and waits for its end. What it has written can still be read.
  void kill();

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string read_;
};

}  // namespace hone::faults
