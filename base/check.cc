#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace hone {
void check_failed(const char* file, int line, const char* condition, const std::string& context) {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed. %s\n", file, line, condition, context.c_str());
  std::abort();
}
}  // namespace hone
