// Lines for whoever runs the program, on stderr; cli/console.h says what they look like. Any thread may call. Apart from `base`
// (the target base_log): what runs kernels logs nothing, and needs no spdlog. A line is printed as it is: braces mean nothing.
#pragma once
#include <cstdint>
#include <string_view>

namespace hone {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError, kNone };

void log_line(LogLevel level, std::string_view line);
inline void log_debug(std::string_view line) { log_line(LogLevel::kDebug, line); }
inline void log_info(std::string_view line) { log_line(LogLevel::kInfo, line); }
inline void log_warn(std::string_view line) { log_line(LogLevel::kWarn, line); }
inline void log_error(std::string_view line) { log_line(LogLevel::kError, line); }

// From now on only lines of this level or above are printed; none from kNone on.
void log_from(LogLevel least);

}  // namespace hone
