#include "tuner/records/record_pages.h"

#include <cmath>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "codegen/target/target.h"
#include "tuner/records/limits.h"
#include "tuner/records/line_fields.h"

namespace hone::tuner {

namespace {

using Json = nlohmann::ordered_json;

Json object_from(const std::string& text) {
  auto value = parse_json(text);
  return value.ok() && value->is_object() ? Json(*value) : Json::object();
}

std::string line_of(const TaskInfo& task) {
  return json_line(Json{
      {"task", task.id.hex()}, {"task_name", task.name}, {"task_text", task.canonical_text}, {"flops", task.flops}});
}

std::string line_of(const DeviceInfo& device) {
  return json_line(Json{
      {"device_key", device.key}, {"target", device.target}, {"fingerprint", object_from(device.fingerprint_json)}});
}

std::string line_of(const JobInfo& job) {
  return json_line(Json{{"job", job.id},
                        {"kind", job.kind},
                        {"state", job.state},
                        {"device_key", job.device_key},
                        {"request", object_from(job.request_json)},
                        {"message", job.message},
                        {"started_unix_ms", job.started_unix_ms},
                        {"ended_unix_ms", job.ended_unix_ms}});
}

class PageWriter {
 public:
  explicit PageWriter(size_t bytes_max) : bytes_max_(bytes_max) {}
  bool full() const { return page_.lines.size() >= bytes_max_; }
  void add(const std::string& line) {
    if (line.size() <= kLineBytesMax) page_.lines += line + '\n';
    else ++page_.too_long;
  }
  RecordPage ending_at(std::optional<RecordPlace> next) && {
    page_.next = next;
    return std::move(page_);
  }

 private:
  const size_t bytes_max_;
  RecordPage page_;
};

template <class Info>
RecordPage page_of(const std::vector<Info>& all, const RecordFilter& filter, size_t bytes_max) {
  PageWriter page(bytes_max);
  const int64_t before = filter.after ? filter.after->row : 0;
  for (int64_t row = before; row < static_cast<int64_t>(all.size()); ++row) {
    if (page.full()) return std::move(page).ending_at(RecordPlace{.row = row});
    page.add(line_of(all[static_cast<size_t>(row)]));
  }
  return std::move(page).ending_at(std::nullopt);
}

Result<RecordPage> page_of_attempts(RecordStore& store, const RecordFilter& filter, size_t bytes_max) {
  HONE_ASSIGN(tasks, store.tasks());
  HONE_ASSIGN(devices, store.devices());
  std::map<Hash, TaskInfo> task_of;
  std::map<std::string, std::string> target_of;
  for (TaskInfo& task : tasks) task_of[task.id] = std::move(task);
  for (const DeviceInfo& device : devices) target_of[device.key] = device.target;
  PageWriter page(bytes_max);
  RecordPlace last;
  const Status read = store.list(filter, [&](const Record& record) -> Status {
    if (page.full()) return Error{ErrorCode::kLimitExceeded, "the page is full"};
    page.add(record_to_json(record, task_of[record.task_id], target_of[record.device_key]));
    last = {.row = record.trial, .attempt = record.attempt};
    return ok_status();
  });
  if (!read.ok() && !page.full()) return read.error();
  return std::move(page).ending_at(read.ok() ? std::nullopt : std::optional(last));
}

Error no_such(const char* what, const std::string& found) {
  return {ErrorCode::kParseError, cat("its ", what, " is '", found.substr(0, 64), "', which none is")};
}

Status check_name(const char* what, const std::string& name) {
  return name.empty() || name.size() > kNameBytesMax ? Status(no_such(what, name)) : ok_status();
}

bool is_time(int64_t unix_ms) { return unix_ms >= 0 && unix_ms <= kUnixMsMax; }

Status copy_task(LineFields& fields, RecordStore& into) {
  TaskInfo task;
  fields.get("task", &task.id);
  fields.get("task_name", &task.name);
  fields.get("task_text", &task.canonical_text);
  fields.get("flops", &task.flops);
  HONE_TRY(fields.all_fit());
  if (!(std::isfinite(task.flops) && task.flops >= 0))
    return Error{ErrorCode::kParseError, "its flops are below 0 or no number"};
  return into.put_task(task);
}

Status copy_device(LineFields& fields, RecordStore& into) {
  DeviceInfo device;
  fields.get("device_key", &device.key);
  fields.get("target", &device.target);
  fields.object("fingerprint", &device.fingerprint_json);
  HONE_TRY(fields.all_fit());
  HONE_TRY(check_name("device_key", device.key));
  if (!target::parse_kind(device.target)) return no_such("target", device.target);
  return into.put_device(device);
}

Status copy_job(LineFields& fields, RecordStore& into) {
  JobInfo job;
  fields.get("job", &job.id);
  fields.get("kind", &job.kind);
  fields.get("state", &job.state);
  fields.get("device_key", &job.device_key);
  fields.object("request", &job.request_json);
  fields.get("message", &job.message);
  fields.get("started_unix_ms", &job.started_unix_ms);
  fields.get("ended_unix_ms", &job.ended_unix_ms);
  HONE_TRY(fields.all_fit());
  for (const auto& [what, name] : {std::pair("job", &job.id), {"kind", &job.kind}, {"state", &job.state}})
    HONE_TRY(check_name(what, *name));
  if (job.device_key.size() > kNameBytesMax) return no_such("device_key", job.device_key);
  if (!is_time(job.started_unix_ms) || !is_time(job.ended_unix_ms))
    return Error{ErrorCode::kParseError, "its times are before 1970 or after the year 9999"};
  return into.put_job(job);
}

Status copy_line(const std::string& text, RecordPart part, RecordStore& into) {
  HONE_ASSIGN(object, parse_json(text, {.bytes_max = kLineBytesMax}));
  if (!object.is_object()) return Error{ErrorCode::kParseError, "it is not a JSON object"};
  LineFields fields(object);
  switch (part) {
    case RecordPart::kTasks:
      return copy_task(fields, into);
    case RecordPart::kDevices:
      return copy_device(fields, into);
    default:
      return copy_job(fields, into);
  }
}

}  // namespace

Result<RecordPage> read_page(RecordStore& store, RecordPart part, const RecordFilter& filter, size_t bytes_max) {
  if (part == RecordPart::kAttempts) return page_of_attempts(store, filter, bytes_max);
  if (part == RecordPart::kTasks) {
    HONE_ASSIGN(tasks, store.tasks());
    return page_of(tasks, filter, bytes_max);
  }
  if (part == RecordPart::kDevices) {
    HONE_ASSIGN(devices, store.devices());
    return page_of(devices, filter, bytes_max);
  }
  HONE_ASSIGN(jobs, store.jobs());
  return page_of(jobs, filter, bytes_max);
}

Result<ImportReport> copy_page(const std::string& lines, RecordPart part, RecordStore& into) {
  std::istringstream in(lines);
  if (part == RecordPart::kAttempts) return copy_json_lines(in, into);
  ImportReport report;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    const Status copied = copy_line(text, part, into);
    if (copied.ok()) ++report.records;
    else if (copied.error().code != ErrorCode::kParseError) return copied.error();
    else if (++report.bad_lines == 1) report.first_error = cat("line ", number, ": ", copied.error().message);
  }
  return report;
}

}  // namespace hone::tuner
