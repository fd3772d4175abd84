// What a thread has computed: for tests of the loop, which must not depend on what else the machine does.
#pragma once
#include <ctime>

namespace hone::net {

// [ms] of processor time that the calling thread has used.
inline double thread_cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

}  // namespace hone::net
