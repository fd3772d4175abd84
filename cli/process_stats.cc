#include "cli/process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/net/descriptors.h"

namespace hone::cli {

namespace {

int64_t resident_bytes() {
  int64_t total_pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

// One of them is that of the folder.
int64_t descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator open("/proc/self/fd", error);
  return error ? 0 : std::distance(begin(open), end(open)) - 1;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

ProcessStats process_stats() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return {.resident_bytes = resident_bytes(),
          .descriptors = descriptors(),
          .descriptors_max = static_cast<int64_t>(net::descriptor_limit()),
          .cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime)};
}

}  // namespace hone::cli
