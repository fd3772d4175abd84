#include "tests/faults/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"

namespace hone::faults {

Process::Process(const std::vector<std::string>& arguments) {
  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0, "a pipe is made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  CHECK(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ) == 0, "the program is started");
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output_ = ends[0];
}

std::optional<std::string> Process::line() {
  for (;;) {
    if (const size_t end = read_.find('\n'); end != std::string::npos) {
      std::string first = read_.substr(0, end);
      read_.erase(0, end + 1);
      return first;
    }
    char bytes[4096];
    const ssize_t got = read(output_, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    read_.append(bytes, static_cast<size_t>(got));
  }
}

void Process::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace hone::faults
