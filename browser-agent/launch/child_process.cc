// <utility> before Asio: Boost 1.74 uses std::exchange without naming its header.
#include <utility>

#include "browser-agent/launch/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/cat.h"

namespace hone::launch {
namespace {

struct Image {
  std::vector<char*> argv;
  std::vector<char*> envp;
  const char* output;
  int answer;
  int report;  // write end of a pipe that closes at exec
  pid_t parent;
};

// Between fork and exec: async-signal-safe calls only, other threads may have held any lock.
[[noreturn]] void become(const Image& image) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != image.parent) _exit(127);  // the parent ended before prctl took hold
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const int null_in = open("/dev/null", O_RDONLY);
  const int out = open(image.output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(null_in, 0);
  if (out >= 0) {
    dup2(out, 1);
    dup2(out, 2);
  }
  if (image.answer >= 0) dup2(image.answer, 1);
  execve(image.argv[0], image.argv.data(), image.envp.data());
  const int error = errno;
  (void)!write(image.report, &error, sizeof error);
  _exit(127);
}

// Ours, but what `more` names. Copies: the environment may change before the child has it.
std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** entry = environ; *entry != nullptr; entry++) {
    const std::string_view own = *entry, name = own.substr(0, own.find('=') + 1);
    const bool replaced = std::any_of(more.begin(), more.end(), [&](const auto& one) { return one.starts_with(name); });
    if (!replaced) all.emplace_back(own);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) return cat("signal ", WTERMSIG(status));
  return cat("exit code ", WEXITSTATUS(status));
}

// 0, or the errno with which exec failed.
int exec_error(int report) {
  int error = 0;
  ssize_t got;
  do got = read(report, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(boost::asio::io_context& io, const Config& config,
                                                          OnExit on_exit) {
  std::vector<std::string> words{config.program};
  words.insert(words.end(), config.arguments.begin(), config.arguments.end());
  std::vector<std::string> environment = environment_with(config.environment);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    return Error{ErrorCode::kIoError, cat("no pipe for ", config.program, ": ", std::strerror(errno))};
  const Image image{.argv = pointers_to(words),
                    .envp = pointers_to(environment),
                    .output = config.output.c_str(),
                    .answer = config.answer,
                    .report = report[1],
                    .parent = getpid()};

  const pid_t pid = fork();
  if (pid == 0) become(image);
  close(report[1]);
  const int error = pid < 0 ? errno : exec_error(report[0]);
  close(report[0]);
  if (error != 0) {
    if (pid > 0) waitpid(pid, nullptr, 0);
    return Error{ErrorCode::kIoError, cat(config.program, " cannot be started: ", std::strerror(error))};
  }
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (descriptor < 0) {
    kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return Error{ErrorCode::kUnsupported, cat("this kernel cannot watch processes (pidfd_open: ", std::strerror(errno),
                                              "); Linux 5.3 is needed")};
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(io, pid, descriptor, std::move(on_exit)));
}

ChildProcess::ChildProcess(boost::asio::io_context& io, pid_t pid, int pid_descriptor, OnExit on_exit)
    : pid_(pid), exit_(io, pid_descriptor), on_exit_(std::move(on_exit)) {
  watch();
}

void ChildProcess::watch() {
  exit_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error) return;  // the object is gone
    int status = 0;
    waitpid(pid_, &status, 0);
    reaped_ = true;
    kill(-pid_, SIGKILL);  // what the main process left of its group
    const OnExit on_exit = std::move(on_exit_);
    on_exit(describe(status));  // may destroy this object
  });
}

ChildProcess::~ChildProcess() {
  boost::system::error_code ignored;
  exit_.cancel(ignored);
  if (reaped_) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace hone::launch
