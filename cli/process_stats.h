// What this process takes of its machine, as /proc says.
#pragma once
#include <cstdint>

namespace hone::cli {

struct ProcessStats {
  int64_t resident_bytes = 0;
  int64_t descriptors = 0, descriptors_max = 0;
  double cpu_s = 0;  // of all threads, since the process began
};
ProcessStats process_stats();

}  // namespace hone::cli
