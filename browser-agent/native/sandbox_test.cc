#include "browser-agent/native/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "browser-agent/native/load_kernel.h"
#include "browser-agent/native/work_folder.h"

namespace hone::native {
namespace {

constexpr const char* kKernel =
    "arg A: f32[64]\nout C: f32[64]\nlaunch grid(bx: 64) threads(1)\n  C[bx] = sin(A[bx]) + 1.0\n";

bool denied(long result) { return result == -1 && errno == EPERM; }

// What is wrong in a process that has entered the sandbox: a sentence, or "".
const char* fault_inside() {
  if (!load_kernel(kKernel).ok()) return "a kernel does not compile before";
  const int left_open = open("/dev/null", O_RDONLY);
  if (!enter_sandbox().ok()) return "there is no sandbox";
  char byte;
  if (read(left_open, &byte, 1) != -1) return "a descriptor stayed open";
  if (!denied(open("/etc/hostname", O_RDONLY))) return "open";
  if (!denied(socket(AF_INET, SOCK_STREAM, 0))) return "socket";
  if (!denied(fork())) return "fork";
  if (!denied(execl("/bin/true", "true", nullptr))) return "exec";
  if (!denied(kill(getppid(), 0))) return "kill";
  if (!denied(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr))) return "ptrace";
  if (mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, 0, 0) != MAP_FAILED) return "a descriptor can be mapped";
  const auto kernel = load_kernel(kKernel);
  if (!kernel.ok()) return "a kernel does not compile after";
  float in[64] = {}, out[64] = {};
  void* args[] = {in, out, nullptr};
  (*kernel)->launches()[0].entry(args, 0, 64);
  return out[63] == 1.0f ? "" : "a kernel does not run";
}

// Given a process with a thread and an open file, when it enters the sandbox, then it opens, connects, starts and traces nothing any more,
// the file is closed, and kernels still compile and run.
TEST(SandboxDeathTest, NothingIsLeftButMemoryAndTheClock) {
  EXPECT_EXIT(
      {
        const char* fault = fault_inside();
        (void)!write(2, fault, strlen(fault));
        _exit(*fault ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

// What is wrong in a process that has entered the sandbox of drivers: a sentence, or "".
const char* fault_beside_a_driver() {
  const int null = open("/dev/null", O_RDWR);
  if (!enter_sandbox(Sandbox::kGraphics).ok()) return "there is no sandbox";
  if (!denied(open("/etc/hostname", O_RDONLY))) return "open";
  if (!denied(open("/tmp", O_TMPFILE | O_WRONLY, 0600))) return "open to write";
  if (!denied(write(null, "x", 1))) return "write to another descriptor";
  if (!denied(socket(AF_UNIX, SOCK_STREAM, 0))) return "socket";
  if (!denied(fork())) return "fork";
  if (!denied(execl("/bin/true", "true", nullptr))) return "exec";
  if (!denied(kill(getppid(), 0))) return "kill";
  if (!denied(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr))) return "ptrace";
  if (!denied(ioctl(0, TIOCSTI, "x"))) return "ioctl of a terminal";
  bool started = false;
  std::thread([&started] { started = true; }).join();
  if (!started) return "a driver starts no thread";
  return close(null) == 0 ? "" : "close";
}

// Given a process that runs a GPU's driver, when it enters the sandbox, then it starts threads, and nothing is opened, written, connected or
// executed, no process started, and no descriptor told anything but what GPUs are told.
TEST(SandboxDeathTest, DriversHaveThreadsAndTheirGpu) {
  EXPECT_EXIT(
      {
        const char* fault = fault_beside_a_driver();
        (void)!write(2, fault, strlen(fault));
        _exit(*fault ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

bool fenced(int descriptor) { return descriptor == -1 && errno == EACCES; }

int exit_code_of(const char* program) {
  const pid_t child = fork();
  if (child == 0) {
    execl(program, program, nullptr);
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What is wrong in a process that compiles by way of files in `folder`, beside `foreign`, a user's file: a sentence, or "".
const char* fault_of_a_compiler(const std::string& folder, const std::string& foreign) {
  if (!fence_files(folder).ok()) return "there is no fence";
  if (!enter_sandbox(Sandbox::kCompiler).ok()) return "there is no sandbox";
  const int own = open((folder + "/file").c_str(), O_RDWR | O_CREAT, 0600);
  if (own < 0 || write(own, "x", 1) != 1) return "its own folder is closed to it";
  if (open("/usr/bin/env", O_RDONLY) < 0) return "the system's files are closed to it";
  if (exit_code_of("/bin/true") != 0) return "it starts no program";
  if (!fenced(open("/usr/bin/env", O_RDWR))) return "a program can be written";
  if (!fenced(open("/tmp/hone_beside", O_RDWR | O_CREAT, 0600))) return "a file beside its folder can be made";
  if (!fenced(open(foreign.c_str(), O_RDONLY))) return "a user's file can be read";
  if (!denied(socket(AF_UNIX, SOCK_STREAM, 0))) return "socket";
  if (!denied(kill(getppid(), 0))) return "kill";
  if (!denied(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr))) return "ptrace";
  if (!denied(unshare(CLONE_NEWUSER))) return "unshare";
  return denied(ioctl(0, TIOCSTI, "x")) ? "" : "ioctl of a terminal";
}

// Given a process whose driver compiles by files and programs, when it enters the sandbox, then its own folder and the system's programs are
// open to it, and no file of a user, no socket and no other process is.
TEST(SandboxDeathTest, CompilersHaveAFolderAndTheSystem) {
  const auto folder = WorkFolder::make("hone-test"), beside = WorkFolder::make("hone-test");
  ASSERT_TRUE(folder.ok() && beside.ok());
  const std::string foreign = (*beside)->path() + "/file";
  ASSERT_GE(open(foreign.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600), 0);
  EXPECT_EXIT(
      {
        const char* fault = fault_of_a_compiler((*folder)->path(), foreign);
        (void)!write(2, fault, strlen(fault));
        _exit(*fault ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

// Given a thread that was started before, when another one enters the sandbox, then it holds for both.
TEST(SandboxDeathTest, HoldsForAllThreads) {
  EXPECT_EXIT(
      {
        std::atomic<bool> inside{false};
        std::thread other([&inside] {
          inside.wait(false);
          _exit(denied(open("/etc/hostname", O_RDONLY)) ? 0 : 1);
        });
        if (!enter_sandbox().ok()) _exit(2);
        inside = true;
        inside.notify_all();
        other.join();
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hone::native
