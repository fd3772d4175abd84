// CHECK: our own bugs. Prints the place, the condition and the context, then aborts. Never reachable from user input.
#pragma once
#include <string>

namespace hone {
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& context);
}  // namespace hone

#define CHECK(condition, ...)                                                                         \
  do {                                                                                                \
    if (!(condition)) ::hone::check_failed(__FILE__, __LINE__, #condition, std::string{__VA_ARGS__}); \
  } while (false)
