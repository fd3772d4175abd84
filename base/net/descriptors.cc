#include "base/net/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

#include "base/net/limits.h"

namespace hone::net {

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kDescriptorsWanted) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, kDescriptorsWanted);
  (void)setrlimit(RLIMIT_NOFILE, &limit);  // else it stays as it was, and the server takes in fewer
}

size_t descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1'024;  // POSIX' usual one
  return static_cast<size_t>(std::min<rlim_t>(limit.rlim_cur, kDescriptorsWanted));
}

}  // namespace hone::net
