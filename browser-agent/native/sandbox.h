// What is left to a process that runs foreign kernels.
#pragma once
#include "base/result.h"

namespace hone::native {

enum class Sandbox {
  kProcessor,  // memory, its own threads, the clock, and descriptors 0 to 2
  kGraphics,  // for the driver of a GPU, too: what it has opened stays open, is mapped, waited for and told what to do as a GPU is
              // (ioctl of the kernel's DRM), and it starts threads of its own
};

// For all threads of the process, for good. Afterwards:
// - descriptors other than 0, 1 and 2 are closed (kProcessor), and of all only 0 is read, and only 1 and 2 are written;
// - a system call that is not on the list (sandbox.cc) fails with EPERM: nothing is opened, connected, executed, forked, traced or killed,
//   with kProcessor no thread is started and no descriptor mapped;
// - no privileges come back by any exec, and there are no core files.
// Fails: unsupported where this system has no such filter.
Status enter_sandbox(Sandbox sandbox = Sandbox::kProcessor);

}  // namespace hone::native
