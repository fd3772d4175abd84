// What is left to a process that runs foreign kernels: memory, its own threads, the clock, and three open descriptors.
#pragma once
#include "base/result.h"

namespace hone::native {

// For all threads of the process, for good. Afterwards:
// - descriptors other than 0, 1 and 2 are closed;
// - a system call that is not on the list (sandbox.cc) fails with EPERM: nothing is opened, connected, executed, forked, traced or killed,
//   no thread is started, and descriptors 0 to 2 are only read and written, never mapped;
// - no privileges come back by any exec, and there are no core files.
// Threads that the process needs are started before. Fails: unsupported where this system has no such filter.
Status enter_sandbox();

}  // namespace hone::native
