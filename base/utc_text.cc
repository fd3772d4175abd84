#include "base/utc_text.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace hone {

std::string utc_text(int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> day{}, text{};
  std::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text.data(), text.size(), "%s.%03dZ", day.data(), static_cast<int>(unix_ms % 1000));
  return text.data();
}

}  // namespace hone
