#include "server/child/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "base/cat.h"
#include "server/child/descriptor.h"

namespace hone::server {

namespace {

constexpr int kFirstDescriptor = 3;
constexpr std::chrono::milliseconds kCancelHeardEvery{20};  // ms; a token wakes nobody

// What posix_spawn does between fork and exec.
class SpawnActions {
 public:
  SpawnActions() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  SpawnActions(const SpawnActions&) = delete;
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // Descriptors come from above those that they become, so that none takes another's place too early.
  int set_descriptors(const std::vector<int>& descriptors) {
    const int end = kFirstDescriptor + static_cast<int>(descriptors.size());
    int failed = posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    failed |= posix_spawn_file_actions_addopen(&actions_, 1, "/dev/null", O_WRONLY, 0);
    for (size_t i = 0; i < descriptors.size(); i++) {
      above_.push_back(Descriptor(fcntl(descriptors[i], F_DUPFD_CLOEXEC, end)));
      if (!above_.back().is_open()) return errno;
      failed |= posix_spawn_file_actions_adddup2(&actions_, above_.back().number(), kFirstDescriptor + static_cast<int>(i));
    }
    return failed | posix_spawn_file_actions_addclosefrom_np(&actions_, end);
  }

  int set_group_and_signals() {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    return posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) |
           posix_spawnattr_setpgroup(&attributes_, 0) | posix_spawnattr_setsigmask(&attributes_, &none) |
           posix_spawnattr_setsigdefault(&attributes_, &all);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::vector<Descriptor> above_;
};

Error not_started(const std::string& program, int error) {
  return {ErrorCode::kIoError, cat(program, " cannot be started: ", std::strerror(error))};
}

Result<pid_t> spawn(const ChildCommand& command) {
  std::vector<std::string> words{command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  SpawnActions actions;
  int error = actions.set_descriptors(command.descriptors);
  if (error == 0) error = actions.set_group_and_signals();
  pid_t pid = 0;
  if (error == 0) error = posix_spawn(&pid, command.program.c_str(), actions.actions(), actions.attributes(), argv.data(), environ);
  if (error != 0) return not_started(command.program, error);
  return pid;
}

// A child that runs; what is left of it and its group is killed with the object.
class RunningChild {
 public:
  explicit RunningChild(pid_t pid) : pid_(pid), ended_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  RunningChild(const RunningChild&) = delete;
  ~RunningChild() {
    if (!reaped_) reap();
  }

  bool is_watched() const { return ended_.is_open(); }

  // Whether it has ended by then.
  bool wait(std::chrono::milliseconds time) const {
    pollfd one{.fd = ended_.number(), .events = POLLIN};
    return poll(&one, 1, static_cast<int>(time.count())) > 0;
  }

  // The group goes first: once the child is reaped, its number may be another's.
  int reap() {
    int status = 0;
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
    return status;
  }

 private:
  const pid_t pid_;
  const Descriptor ended_;
  bool reaped_ = false;
};

ChildEnd end_of(int status) {
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0, .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

}  // namespace

Result<ChildEnd> run_child(const ChildCommand& command, std::chrono::milliseconds time_max, const CancelToken* cancel) {
  HONE_TRY(check_cancel(cancel));
  HONE_ASSIGN(pid, spawn(command));
  RunningChild child(pid);
  if (!child.is_watched()) return not_started(command.program, errno);
  const auto end = std::chrono::steady_clock::now() + time_max;
  while (!child.wait(kCancelHeardEvery)) {
    HONE_TRY(check_cancel(cancel));
    if (std::chrono::steady_clock::now() >= end) return ChildEnd{.signal = SIGKILL, .out_of_time = true};
  }
  return end_of(child.reap());
}

}  // namespace hone::server
