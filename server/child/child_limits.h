// What a child takes upon itself before it looks at anything that others made. Beyond its limits it ends, and nothing else does.
#pragma once
#include <sys/types.h>

#include <cstdint>

#include "base/result.h"

namespace hone::server {

struct ChildLimits {
  int64_t memory_bytes = 0;   // that it may write to, beside what it has when it begins; not counted under sanitizers, whose shadows are larger
  int64_t written_bytes = 0;  // of each file and shared memory
  int64_t processor_s = 0;    // of all its threads together
};

inline constexpr int64_t kChildStackBytes = 8 << 20;  // what threads have by default, as those of jobs
inline constexpr int kExitWithoutMemory = 3;  // with which a child ends when an allocation finds none

// The kernel kills this process when the thread ends that started it. Ends it at once where that has happened already.
// parent: the process of that thread, which says its number.
void end_with_parent(pid_t parent);

// Beyond the limits: memory ends it with kExitWithoutMemory, processor time with SIGXCPU, what it writes with SIGXFSZ, and the stack with SIGSEGV. It leaves no core file, and where the
// machine's memory runs out it is the first that the kernel ends. Fails: internal, with what the system refused.
Status enter_limits(const ChildLimits& limits);

}  // namespace hone::server
