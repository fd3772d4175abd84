#include "server/child/child_limits.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>

#include "base/cat.h"

namespace hone::server {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsMemory = false;
#else
constexpr bool kCountsMemory = true;
#endif

// proc(5), statm: the sixth number is data and stack, in pages: what RLIMIT_DATA is held against, and the stack.
int64_t writable_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  for (int i = 0; i < 6; i++) file >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

Status limit(__rlimit_resource_t resource, const char* name, int64_t soft, int64_t hard) {
  rlimit had{};
  getrlimit(resource, &had);
  const rlimit wanted{std::min<rlim_t>(static_cast<rlim_t>(soft), had.rlim_max), std::min<rlim_t>(static_cast<rlim_t>(hard), had.rlim_max)};
  if (setrlimit(resource, &wanted) == 0) return ok_status();
  return Error{ErrorCode::kInternal, cat("this system sets no limit ", name, ": ", std::strerror(errno))};
}
Status limit(__rlimit_resource_t resource, const char* name, int64_t most) { return limit(resource, name, most, most); }

}  // namespace

void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

Status enter_limits(const ChildLimits& limits) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  std::set_new_handler([] { _exit(kExitWithoutMemory); });
  // It need not hold: it says who goes first.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  HONE_TRY(limit(RLIMIT_CORE, "RLIMIT_CORE", 0));
  HONE_TRY(limit(RLIMIT_STACK, "RLIMIT_STACK", kChildStackBytes));
  HONE_TRY(limit(RLIMIT_FSIZE, "RLIMIT_FSIZE", limits.written_bytes));
  // At the hard limit the kernel kills without a word.
  HONE_TRY(limit(RLIMIT_CPU, "RLIMIT_CPU", limits.processor_s, limits.processor_s + 1));
  return kCountsMemory ? limit(RLIMIT_DATA, "RLIMIT_DATA", writable_bytes() + limits.memory_bytes) : ok_status();
}

}  // namespace hone::server
