#include "tuner/records/json_lines.h"

#include <cmath>
#include <istream>
#include <map>
#include <ostream>
#include <set>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/median.h"
#include "codegen/target/target.h"
#include "tuner/measure/error_names.h"
#include "tuner/measure/hash_text.h"
#include "tuner/records/limits.h"
#include "tuner/records/line_fields.h"
#include "tuner/records/soundness.h"

namespace hone::tuner {

namespace {

using nlohmann::json;

constexpr int kLineVersion = 1;

// Whose records lines are. A copy is the store's they come from, with its agents and times; what is believed of them is judged when they are read.
enum class Lines : uint8_t { kImported, kCopied };

struct Line {
  Record record;
  TaskInfo task;
  std::string target;
};

Status check_times(const Line& line) {
  const Record& r = line.record;
  if (r.latency_us_median > 0 && r.samples_us.empty())
    return Error{ErrorCode::kParseError, "it has a time without samples"};
  for (double us : r.samples_us) HONE_TRY(check_possible(line.target, 0, us));
  if (r.other_us > 0) HONE_TRY(check_possible(line.target, line.task.flops, r.other_us));
  return r.samples_us.empty() ? ok_status() : check_possible(line.target, line.task.flops, r.latency_us_median);
}

Status check_line(const Line& line) {
  HONE_TRY(check_record(line.record));
  if (!target::parse_kind(line.target)) return Error{ErrorCode::kParseError, "its target is none that hone knows"};
  if (!(std::isfinite(line.task.flops) && line.task.flops >= 0))
    return Error{ErrorCode::kParseError, "its flops are below 0 or no number"};
  return ok_status();
}

// Who stands behind a record is the copied store's to say; a file that is imported says nothing of it.
void read_vouchers(LineFields& fields, Record& r) {
  int trusted = 0, doubted = 0;
  if (fields.has("agent")) fields.get("agent", &r.agent);
  if (fields.has("enrolment")) fields.get("enrolment", &r.enrolment);
  if (fields.has("trusted")) fields.get("trusted", &trusted);
  if (fields.has("doubted")) fields.get("doubted", &doubted);
  r.trusted = trusted == 1;
  r.doubted = doubted == 1;
}

Result<Line> parse_line(const std::string& text, Lines lines) {
  HONE_ASSIGN(object, parse_json(text));
  if (!object.is_object()) return Error{ErrorCode::kParseError, "it is not a JSON object"};
  LineFields fields(object);
  int version = 0;
  fields.get("version", &version);
  if (version != kLineVersion)
    return Error{ErrorCode::kVersionMismatch,
                 cat("the line has version ", version, ", this hone reads version ", kLineVersion)};
  Line line;
  Record& r = line.record;
  std::string origin, outcome;
  fields.get("task", &r.task_id);
  fields.get("task_name", &line.task.name);
  fields.get("task_text", &line.task.canonical_text);
  fields.get("flops", &line.task.flops);
  fields.get("target", &line.target);
  fields.get("device_key", &r.device_key);
  fields.get("source", &r.source_hash);
  fields.get("attempt", &r.attempt);
  fields.object("trace", &r.trace_json);
  fields.get("job", &r.job_id);
  fields.get("origin", &origin);
  fields.get("outcome", &outcome);
  fields.get("message", &r.message);
  fields.numbers("samples_us", &r.samples_us);
  fields.get("latency_us_median", &r.latency_us_median);
  fields.get("method", &r.method);
  fields.get("clock_resolution_ns", &r.clock_resolution_ns);
  fields.get("repeats", &r.repeats);
  fields.get("create_ms", &r.create_ms);
  fields.get("device_ms", &r.device_ms);
  fields.get("max_error", &r.max_error);
  fields.get("reference_us", &r.reference_us);
  fields.object("fingerprint", &r.fingerprint_json);
  fields.get("compiler_version", &r.compiler_version);
  fields.get("feature_version", &r.feature_version);
  fields.get("fence", &r.fence);
  fields.get("recorded_unix_ms", &r.recorded_unix_ms);
  if (fields.has("predicted_us")) fields.get("predicted_us", &r.predicted_us);
  if (fields.has("features")) fields.numbers("features", &r.features);
  std::string cache(cache_name(r.cache));
  if (fields.has("cache")) fields.get("cache", &cache);
  if (fields.has("other_us")) fields.get("other_us", &r.other_us);
  if (lines == Lines::kCopied) read_vouchers(fields, r);
  if (fields.has("lease")) fields.get("lease", &r.lease_id);
  if (fields.has("device")) fields.get("device", &r.device);
  line.task.id = r.task_id;
  auto code = error_from_name(outcome);
  HONE_TRY(fields.all_fit());
  const auto state = parse_cache(cache);
  if (!code || !state || !parse_origin(origin, &r.origin))
    return Error{ErrorCode::kParseError, "hone does not know the outcome, the origin or the state of the caches"};
  r.cache = *state;
  r.outcome = *code;
  if (lines == Lines::kImported && !r.samples_us.empty()) r.latency_us_median = median(r.samples_us);
  HONE_TRY(check_line(line));
  if (lines == Lines::kImported) HONE_TRY(check_times(line));
  return line;
}

Error too_long(size_t bytes) {
  return {ErrorCode::kParseError, cat("its ", bytes, " bytes are more than ", kLineBytesMax)};
}

// The next line without its end, cut off at kLineBytesMax; the answer is the bytes taken, its end included, so that 0 says that nothing is left.
// Stops within a line that goes on beyond kEndlessLineBytes.
size_t read_line(std::istream& in, std::string& text) {
  text.clear();
  std::streambuf& bytes = *in.rdbuf();
  size_t taken = 0;
  for (int c = bytes.sbumpc(); c != std::streambuf::traits_type::eof(); c = bytes.sbumpc()) {
    if (++taken > kEndlessLineBytes || c == '\n') break;
    if (text.size() < kLineBytesMax) text += static_cast<char>(c);
  }
  return taken;
}

Status store_line(const Line& line, RecordStore& store, std::set<std::pair<Hash, std::string>>& known) {
  if (known.emplace(line.record.task_id, line.record.device_key).second) {
    HONE_TRY(store.put_task(line.task));
    HONE_TRY(store.put_device({line.record.device_key, line.target, line.record.fingerprint_json}));
  }
  store.insert(line.record);
  return ok_status();
}

// `source`: of imported lines.
Result<ImportReport> read_lines(std::istream& in, Lines lines, const std::string& source, const ClassOf& class_of,
                                RecordStore& store) {
  ImportReport report;
  const int64_t added_before = store.added();
  std::set<std::pair<Hash, std::string>> known;
  std::string text;
  for (int number = 1;; ++number) {
    const size_t bytes = read_line(in, text);
    if (bytes == 0) break;
    if (bytes > kEndlessLineBytes)
      return Error{ErrorCode::kParseError, cat("line ", number, " does not end within ", kEndlessLineBytes,
                                               " bytes; give a file that hone records export wrote")};
    if (text.empty()) continue;
    auto line = bytes > kLineBytesMax + 1 ? Result<Line>(too_long(bytes)) : parse_line(text, lines);
    if (line.ok()) {
      if (lines == Lines::kImported) line->record.agent = cat("import:", source);
      if (class_of) line->record.device_key = class_of(line->record.device_key, line->record.fingerprint_json);
      HONE_TRY(store_line(*line, store, known));
      ++report.records;
    } else if (++report.bad_lines == 1) {
      report.first_error = cat("line ", number, ": ", line.error().message);
    }
  }
  HONE_TRY(store.flush());
  report.added = static_cast<int>(store.added() - added_before);
  return report;
}

}  // namespace

std::string record_to_json(const Record& r, const TaskInfo& task, const std::string& target) {
  auto parsed = [](const std::string& text) {
    auto value = parse_json(text);
    return value.ok() && value->is_object() ? *value : json::object();
  };
  nlohmann::ordered_json line{{"version", kLineVersion},
                              {"task", r.task_id.hex()},
                              {"task_name", task.name},
                              {"task_text", task.canonical_text},
                              {"flops", task.flops},
                              {"target", target},
                              {"device_key", r.device_key},
                              {"source", r.source_hash.hex()},
                              {"attempt", r.attempt},
                              {"trace", parsed(r.trace_json)},
                              {"job", r.job_id},
                              {"origin", origin_name(r.origin)},
                              {"outcome", error_name(r.outcome)},
                              {"message", r.message},
                              {"samples_us", r.samples_us},
                              {"latency_us_median", r.latency_us_median},
                              {"method", r.method},
                              {"clock_resolution_ns", r.clock_resolution_ns},
                              {"repeats", r.repeats},
                              {"create_ms", r.create_ms},
                              {"device_ms", r.device_ms},
                              {"max_error", r.max_error},
                              {"reference_us", r.reference_us},
                              {"fingerprint", parsed(r.fingerprint_json)},
                              {"compiler_version", r.compiler_version},
                              {"feature_version", r.feature_version},
                              {"fence", r.fence},
                              {"recorded_unix_ms", r.recorded_unix_ms}};
  if (!r.agent.empty()) line["agent"] = r.agent;
  if (r.cache != CacheState::kHot) line["cache"] = cache_name(r.cache);
  if (r.other_us > 0) line["other_us"] = r.other_us;
  if (!r.device.empty()) line["device"] = r.device;
  if (!r.lease_id.empty()) line["lease"] = r.lease_id;
  if (!r.enrolment.empty()) line["enrolment"] = r.enrolment;
  if (r.trusted) line["trusted"] = 1;
  if (r.doubted) line["doubted"] = 1;
  if (r.standing != Standing::kUnconfirmed) line["standing"] = standing_name(r.standing);
  if (r.predicted_us > 0) line["predicted_us"] = r.predicted_us;
  if (!r.features.empty()) line["features"] = r.features;
  return json_line(line);
}

Status export_json_lines(RecordStore& store, const RecordFilter& filter, std::ostream& out) {
  HONE_ASSIGN(tasks, store.tasks());
  HONE_ASSIGN(devices, store.devices());
  std::map<Hash, TaskInfo> task_of;
  std::map<std::string, std::string> target_of;
  for (const TaskInfo& task : tasks) task_of[task.id] = task;
  for (const DeviceInfo& device : devices) target_of[device.key] = device.target;
  return store.list(filter, [&](const Record& record) -> Status {
    out << record_to_json(record, task_of[record.task_id], target_of[record.device_key]) << '\n';
    if (!out)
      return Error{ErrorCode::kIoError,
                   "the export cannot be written; check the space and the permissions of its file"};
    return ok_status();
  });
}

Result<ImportReport> import_json_lines(std::istream& in, const std::string& source, RecordStore& store,
                                       const ClassOf& class_of) {
  return read_lines(in, Lines::kImported, source, class_of, store);
}

Result<ImportReport> copy_json_lines(std::istream& in, RecordStore& store) {
  return read_lines(in, Lines::kCopied, "", nullptr, store);
}

Result<ImportReport> merge_records(RecordStore& from, RecordStore& into) {
  HONE_ASSIGN(tasks, from.tasks());
  HONE_ASSIGN(devices, from.devices());
  for (const TaskInfo& task : tasks) HONE_TRY(into.put_task(task));
  for (const DeviceInfo& device : devices) HONE_TRY(into.put_device(device));
  ImportReport report;
  const int64_t added_before = into.added();
  HONE_TRY(from.list({}, [&](Record record) {
    record.trusted = false;
    into.insert(std::move(record));
    ++report.records;
    return ok_status();
  }));
  HONE_TRY(into.flush());
  report.added = static_cast<int>(into.added() - added_before);
  return report;
}

}  // namespace hone::tuner
