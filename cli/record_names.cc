#include "cli/record_names.h"

#include "base/cat.h"

namespace hone::cli {

namespace {

// The one of `all` that is `text`, or else begins with it.
Result<std::string> one_that_begins(const std::string& text, const std::set<std::string>& all, const char* what,
                                    const char* listed_by) {
  if (all.count(text)) return text;
  auto first = all.lower_bound(text);
  if (first == all.end() || first->rfind(text, 0) != 0)
    return Error{ErrorCode::kNotFound, cat("the records have no ", what, " ", text, "; ", listed_by, " shows what is there")};
  if (auto next = std::next(first); next != all.end() && next->rfind(text, 0) == 0)
    return Error{ErrorCode::kInvalidArgument,
                 cat("the ", what, " ", text, " fits several, ", *first, " and ", *next, " among them; give more of it")};
  return *first;
}

}  // namespace

Result<std::set<Hash>> tasks_named(const std::string& text, tuner::RecordStore& store) {
  HONE_ASSIGN(tasks, store.tasks());
  std::set<Hash> found;
  for (const tuner::TaskInfo& task : tasks)
    if (task.id.hex().rfind(text, 0) == 0 || task.name.find(text) != std::string::npos) found.insert(task.id);
  if (!found.empty()) return found;
  return Error{ErrorCode::kNotFound, cat("no task fits --task ", text, "; hone records best lists them")};
}

Result<Hash> task_named(const std::string& text, tuner::RecordStore& store) {
  HONE_ASSIGN(named, tasks_named(text, store));
  std::set<Hash> found;
  HONE_TRY(store.list({.tasks = named}, [&found](const tuner::Record& r) {
    found.insert(r.task_id);
    return ok_status();
  }));
  if (found.empty()) return Error{ErrorCode::kNotFound, cat("no attempt was made at a task that fits --task ", text)};
  if (found.size() == 1) return *found.begin();
  return Error{ErrorCode::kInvalidArgument,
               cat("--task ", text, " fits ", found.size(),
                   " tasks, expected one; give more digits of the id, as hone records best --json shows it")};
}

Result<std::string> device_named(const std::string& text, tuner::RecordStore& store) {
  HONE_ASSIGN(devices, store.devices());
  std::set<std::string> keys;
  for (const tuner::DeviceInfo& device : devices) keys.insert(device.key);
  return one_that_begins(text, keys, "device", "hone records best");
}

Result<std::string> one_device_named(const std::string& text, tuner::RecordStore& store) {
  HONE_ASSIGN(labels, store.labels());
  for (const tuner::DeviceLabel& one : labels)
    if (one.label == text) return one.device;
  HONE_ASSIGN(measured, store.measured_devices());
  const std::set<std::string> devices(measured.begin(), measured.end());
  auto found = one_that_begins(text, devices, "device", "hone records list --json");
  if (!found.ok() && found.error().code == ErrorCode::kNotFound) return std::string();
  return found;
}

Result<std::string> agent_named(const std::string& text, tuner::RecordStore& store) {
  HONE_ASSIGN(agents, store.agents());
  return one_that_begins(text, {agents.begin(), agents.end()}, "agent", "hone records list --json");
}

Result<std::string> job_named(const std::string& text, tuner::RecordStore& store) {
  HONE_ASSIGN(jobs, store.jobs());
  std::set<std::string> ids;
  for (const tuner::JobInfo& job : jobs) ids.insert(job.id);
  return one_that_begins(text, ids, "job", "hone records list");
}

}  // namespace hone::cli
