// What is left to a process that runs foreign kernels.
#pragma once
#include <string>

#include "base/result.h"

namespace hone::native {

enum class Sandbox {
  kProcessor,  // memory, its own threads, the clock, and descriptors 0 to 2
  kGraphics,  // for the driver of a GPU, too: what it has opened stays open, is mapped, waited for and told what to do as a GPU is
              // (ioctl of the kernel's DRM), and it starts threads of its own
  kCompiler,  // for a driver that compiles by way of files and programs (a linker), too: what fence_files has left is opened, read, written
              // and executed, and processes are started, which are held likewise; ioctl as GPUs' kernel drivers have it
};

// For the calling thread, and for all threads and processes that it starts from then on: of files, only the system's (/usr, /etc, /sys, /proc and
// the like) are read and executed, only GPUs' devices and what lies in `folder` are written. Before a second thread is started.
// Fails: unsupported where this system has no Landlock.
Status fence_files(const std::string& folder);

// For all threads of the process, for good. Afterwards:
// - descriptors other than 0, 1 and 2 are closed (kProcessor), and of all only 0 is read, and only 1 and 2 are written;
// - a system call that is not on the list (sandbox.cc) fails with EPERM: nothing is opened, connected, executed, forked, traced or killed,
//   with kProcessor no thread is started and no descriptor mapped;
// - no privileges come back by any exec, and there are no core files.
// Fails: unsupported where this system has no such filter.
Status enter_sandbox(Sandbox sandbox = Sandbox::kProcessor);

}  // namespace hone::native
