#include "base/log.h"

#include <spdlog/spdlog.h>

namespace hone {

namespace {
spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kNone:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

// spdlog hands on the line alone. Its sinks print on the thread that logs.
thread_local std::span<const LogField> fields_of_line;
}  // namespace

void log_line(LogLevel level, std::string_view line, LogFields fields) {
  fields_of_line = {fields.begin(), fields.size()};
  spdlog::log(spdlog_level(level), line);
  fields_of_line = {};
}

std::span<const LogField> log_fields() { return fields_of_line; }

void log_from(LogLevel least) { spdlog::set_level(spdlog_level(least)); }

}  // namespace hone
