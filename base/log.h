// Lines for whoever runs the program, on stderr; cli/console.h says what they look like. Any thread may call. Apart from `base`
// (the target base_log): what runs kernels logs nothing, and needs no spdlog. A line is printed as it is: braces mean nothing.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace hone {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError, kNone };

// What a line is about, for logs that programs read: {"job", "tune-1f…"}. People have it in the line, or do not need it.
struct LogField {
  std::string_view name, value;
};
using LogFields = std::initializer_list<LogField>;

void log_line(LogLevel level, std::string_view line, LogFields fields = {});
inline void log_debug(std::string_view line, LogFields fields = {}) { log_line(LogLevel::kDebug, line, fields); }
inline void log_info(std::string_view line, LogFields fields = {}) { log_line(LogLevel::kInfo, line, fields); }
inline void log_warn(std::string_view line, LogFields fields = {}) { log_line(LogLevel::kWarn, line, fields); }
inline void log_error(std::string_view line, LogFields fields = {}) { log_line(LogLevel::kError, line, fields); }

// For what prints a line, on the thread that logs it: its fields.
std::span<const LogField> log_fields();

// From now on only lines of this level or above are printed; none from kNone on.
void log_from(LogLevel least);

}  // namespace hone
