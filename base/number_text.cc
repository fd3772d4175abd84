#include "base/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "base/cat.h"

namespace hone {

std::string number_text(double value) {
  if (value == 0 || !std::isfinite(value)) return value == 0 ? "0" : "-";
  int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(std::fabs(value)))), 0, 9);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string given_text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string time_text(double ms) {
  if (!(ms > 0) || !std::isfinite(ms)) return "-";
  if (ms < 1e-3) return number_text(ms * 1e6) + " ns";
  if (ms < 1) return number_text(ms * 1e3) + " µs";
  return ms < 1e3 ? number_text(ms) + " ms" : number_text(ms / 1e3) + " s";
}

std::string duration_text(double seconds) {
  auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return cat(whole, " s");
  if (whole < 3600) return cat(whole / 60, " m ", whole % 60, " s");
  return cat(whole / 3600, " h ", whole % 3600 / 60, " m");
}

std::string counted(int64_t count, std::string_view noun, std::string_view plural) {
  if (count == 1) return cat(count, " ", noun);
  return plural.empty() ? cat(count, " ", noun, "s") : cat(count, " ", plural);
}

}  // namespace hone
