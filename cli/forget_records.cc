#include "cli/forget_records.h"

#include <charconv>
#include <ctime>
#include <set>

#include "base/cat.h"
#include "tuner/records/limits.h"

namespace hone::cli {

namespace {

constexpr size_t kUnixMsDigitsMin = 5;  // a shorter number is a year, or a slip

Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// The one of `all` that is `text`, or else begins with it.
Result<std::string> one_that_begins(const std::string& text, const std::set<std::string>& all, const char* option) {
  if (all.count(text)) return text;
  auto first = all.lower_bound(text);
  if (first == all.end() || first->rfind(text, 0) != 0)
    return Error{ErrorCode::kNotFound,
                 cat("no record fits ", option, " ", text, "; hone records list --json shows what is there")};
  if (auto next = std::next(first); next != all.end() && next->rfind(text, 0) == 0)
    return invalid(cat(option, " ", text, " fits several, ", *first, " and ", *next, " among them; give more of it"));
  return *first;
}

Result<std::string> device_of(const std::string& text, tuner::RecordStore& store) {
  HONE_ASSIGN(devices, store.devices());
  std::set<std::string> keys;
  for (const tuner::DeviceInfo& device : devices) keys.insert(device.key);
  return one_that_begins(text, keys, "--device");
}

Result<std::string> agent_of(const std::string& text, tuner::RecordStore& store) {
  HONE_ASSIGN(agents, store.agents());
  return one_that_begins(text, {agents.begin(), agents.end()}, "--agent");
}

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

Result<Hash> task_named(const std::string& text, tuner::RecordStore& store) {
  HONE_ASSIGN(tasks, store.tasks());
  std::optional<Hash> found;
  for (const tuner::TaskInfo& task : tasks) {
    if (task.id.hex().rfind(text, 0) != 0 && task.name.find(text) == std::string::npos) continue;
    if (found)
      return invalid(cat("--task ", text,
                         " fits several tasks; give more digits of the id, as hone records best --json shows it"));
    found = task.id;
  }
  if (found) return *found;
  return Error{ErrorCode::kNotFound, cat("no task fits --task ", text, "; hone records best lists them")};
}

Result<int64_t> parse_moment(const std::string& text) {
  int64_t ms = 0;
  const char* end = text.data() + text.size();
  if (auto [rest, error] = std::from_chars(text.data(), end, ms);
      error == std::errc() && rest == end && text.size() >= kUnixMsDigitsMin && ms > 0 && ms <= tuner::kUnixMsMax)
    return ms;
  for (const char* format : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"})
    if (auto moment = moment_of(text, format); moment && *moment > 0 && *moment <= tuner::kUnixMsMax) return *moment;
  return invalid(
      cat("--before ", text, " is no date; write 2026-11-24, \"2026-11-24 13:45\", or milliseconds since 1970"));
}

Result<tuner::ForgetRequest> forget_request(const ForgetOptions& options, tuner::RecordStore& store) {
  tuner::ForgetRequest request;
  if (options.device.empty() && options.agent.empty() && options.task.empty() && options.before.empty())
    return invalid("nothing says what to forget; give --device, --agent, --task or --before, or several of them");
  if (!options.before.empty()) {
    HONE_ASSIGN(moment, parse_moment(options.before));
    request.before_unix_ms = moment;
  }
  if (!options.task.empty()) {
    HONE_ASSIGN(task, task_named(options.task, store));
    request.task_id = task;
  }
  if (!options.device.empty()) {
    HONE_ASSIGN(device, device_of(options.device, store));
    request.device_key = device;
  }
  if (!options.agent.empty()) {
    HONE_ASSIGN(agent, agent_of(options.agent, store));
    request.agent = agent;
  }
  return request;
}

}  // namespace hone::cli
