// A runner as a process over its pipes, for tests: with two threads at most.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/check.h"
#include "browser-agent/native/pipe_frame.h"

namespace hone::native {

class RunnerProcess {
 public:
  explicit RunnerProcess(const char* program) {
    int in[2], out[2];
    CHECK(pipe2(in, O_CLOEXEC) == 0);
    CHECK(pipe2(out, O_CLOEXEC) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      execl(program, program, "2", nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~RunnerProcess() {
    if (pid_ > 0) kill(pid_, SIGKILL), end();
    close(from_);
  }

  void post(nlohmann::json header, std::string payload = "") {
    CHECK(write_frame(to_, {std::move(header), std::move(payload)}).ok());
  }
  void post_bytes(const std::string& bytes) {
    CHECK(write(to_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  // Nothing when the runner has ended.
  std::optional<PipeFrame> answer() {
    auto frame = read_frame(from_);
    return frame.ok() ? std::move(*frame) : std::nullopt;
  }
  // An empty header when the runner has ended.
  PipeFrame ask(nlohmann::json header, std::string payload = "") {
    post(std::move(header), std::move(payload));
    auto frame = answer();
    return frame ? std::move(*frame) : PipeFrame{nlohmann::json::object(), ""};
  }
  pid_t pid() const { return pid_; }
  // Closes its input and waits; its exit code, or minus the signal that ended it.
  int end() {
    if (to_ >= 0) close(to_);
    to_ = -1;
    int status = 0;
    CHECK(waitpid(pid_, &status, 0) == pid_);
    pid_ = 0;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_ = 0;
  int to_ = -1, from_ = -1;
};

}  // namespace hone::native
