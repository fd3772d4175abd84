#include "cli/forget_records.h"

#include <charconv>
#include <ctime>

#include "base/cat.h"
#include "cli/record_names.h"
#include "tuner/records/limits.h"

namespace hone::cli {

namespace {

constexpr size_t kUnixMsDigitsMin = 5;  // a shorter number is a year, or a slip

Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// Nullopt: it has another form, or names a day that does not exist.
std::optional<int64_t> moment_of(const std::string& text, const char* format) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), format, &parts);
  if (!end || *end) return std::nullopt;
  const std::tm asked = parts;
  parts.tm_isdst = -1;
  const std::time_t seconds = std::mktime(&parts);
  if (seconds < 0 || parts.tm_mday != asked.tm_mday || parts.tm_mon != asked.tm_mon) return std::nullopt;
  return int64_t{seconds} * 1000;
}

}  // namespace

Result<int64_t> parse_moment(const std::string& text) {
  int64_t ms = 0;
  const char* end = text.data() + text.size();
  if (auto [rest, error] = std::from_chars(text.data(), end, ms);
      error == std::errc() && rest == end && text.size() >= kUnixMsDigitsMin && ms > 0 && ms <= tuner::kUnixMsMax)
    return ms;
  for (const char* format : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"})
    if (auto moment = moment_of(text, format); moment && *moment > 0 && *moment <= tuner::kUnixMsMax) return *moment;
  return invalid(
      cat("--before ", text, " is not a date; write 2026-11-24, \"2026-11-24 13:45\", or milliseconds since 1970"));
}

Result<tuner::ForgetRequest> forget_request(const ForgetOptions& options, tuner::RecordStore& store) {
  tuner::ForgetRequest request;
  if (options.device.empty() && options.agent.empty() && options.task.empty() && options.before.empty() && options.lease.empty())
    return invalid("nothing says what to forget; give at least one of --device, --agent, --lease, --task and --before");
  if (!options.before.empty()) {
    HONE_ASSIGN(moment, parse_moment(options.before));
    request.before_unix_ms = moment;
  }
  if (!options.task.empty()) {
    HONE_ASSIGN(task, task_named(options.task, store));
    request.task_id = task;
  }
  if (!options.device.empty()) {
    HONE_ASSIGN(device, one_device_named(options.device, store));
    const auto device_class = device_named(options.device, store);
    if (device.empty() && !device_class.ok()) return device_class.error();
    if (!device.empty() && device_class.ok())
      return invalid(cat("--device ", options.device, " fits the device ", device, " and the class ", *device_class, "; give more of one"));
    request.device = device;
    if (device_class.ok()) request.device_key = *device_class;
  }
  if (!options.agent.empty()) {
    HONE_ASSIGN(agent, agent_named(options.agent, store));
    request.agent = agent;
  }
  request.lease_id = options.lease;
  return request;
}

}  // namespace hone::cli
