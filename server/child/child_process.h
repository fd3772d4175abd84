// A piece of work in a process of its own, so that what ends it (a signal, a limit, nobody's waiting) ends nothing else.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"

namespace hone::server {

struct ChildCommand {
  std::string program;                 // a path
  std::vector<std::string> arguments;  // behind the program's name
  std::vector<int> descriptors;        // become 3, 4, …: beside them it has 0 and 1, which are /dev/null, and 2, which is this process's
};

struct ChildEnd {
  int exit_code = 0;
  int signal = 0;          // that ended it; 0: it ended itself
  bool out_of_time = false;  // it was killed at the limit
};

// Starts the program by exec (this process has other threads), as a group of its own that no signal of a terminal reaches, and waits for its end. It is killed with all that it started
// when it is cancelled (within 20 ms) and at the limit; when this function returns, nothing of it is left. Any thread; a program that calls end_with_parent
// (child_limits.h) ends with the thread that called this. Fails: cancelled; io_error where it cannot be started, with the reason.
Result<ChildEnd> run_child(const ChildCommand& command, std::chrono::milliseconds time_max, const CancelToken* cancel);

}  // namespace hone::server
