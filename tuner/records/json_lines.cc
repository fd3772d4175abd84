#include "tuner/records/json_lines.h"

#include <cmath>
#include <istream>
#include <limits>
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
#include "tuner/records/soundness.h"

namespace hone::tuner {

namespace {

using nlohmann::json;

constexpr int kLineVersion = 1;

// Reads fields of one object; remembers the first that is missing or of another type.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {}
  template <class T>
  void get(const char* name, T* out) {
    auto field = object_.find(name);
    bool fits = field != object_.end() && (std::is_same_v<T, std::string> ? field->is_string() : field->is_number());
    if constexpr (std::is_integral_v<T>) fits = fits && holds<T>(*field);
    if (fits) *out = field->template get<T>();
    else if (wrong_.empty()) wrong_ = name;
  }
  void get(const char* name, Hash* out) {
    std::string hex;
    get(name, &hex);
    *out = hash_from_hex(hex);
    if (out->empty() && wrong_.empty()) wrong_ = name;
  }
  template <class T>
  void numbers(const char* name, std::vector<T>* out) {
    auto field = object_.find(name);
    bool fits = field != object_.end() && field->is_array();
    if (fits)
      for (const json& value : *field)
        fits = fits && value.is_number() && std::abs(value.get<double>()) <= std::numeric_limits<T>::max();
    if (fits) *out = field->template get<std::vector<T>>();
    else if (wrong_.empty()) wrong_ = name;
  }
  bool has(const char* name) const { return object_.contains(name); }
  // An object is kept as its text.
  void object(const char* name, std::string* out) {
    auto field = object_.find(name);
    if (field != object_.end() && field->is_object()) *out = field->dump();
    else if (wrong_.empty()) wrong_ = name;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  template <class T>
  static bool holds(const json& number) {
    if (number.is_number_unsigned())
      return number.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max());
    if (!number.is_number_integer()) return false;
    return number.get<int64_t>() >= std::numeric_limits<T>::min() &&
           number.get<int64_t>() <= std::numeric_limits<T>::max();
  }

  const json& object_;
  std::string wrong_;
};

struct Line {
  Record record;
  TaskInfo task;
  std::string target;
};

Status check_line(const Line& line) {
  const Record& r = line.record;
  HONE_TRY(check_record(r));
  if (!target::parse_kind(line.target)) return Error{ErrorCode::kParseError, "hone does not know its target"};
  if (!(std::isfinite(line.task.flops) && line.task.flops >= 0))
    return Error{ErrorCode::kParseError, "its flops are negative or not a number"};
  if (r.latency_us_median > 0 && r.samples_us.empty())
    return Error{ErrorCode::kParseError, "it has a time without samples"};
  for (double us : r.samples_us) HONE_TRY(check_possible(line.target, 0, us));
  return r.samples_us.empty() ? ok_status() : check_possible(line.target, line.task.flops, r.latency_us_median);
}

Result<Line> parse_line(const std::string& text) {
  HONE_ASSIGN(object, parse_json(text));
  if (!object.is_object()) return Error{ErrorCode::kParseError, "it is not a JSON object"};
  Fields fields(object);
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
  line.task.id = r.task_id;
  auto code = error_from_name(outcome);
  if (!fields.wrong().empty())
    return Error{ErrorCode::kParseError, cat("the field ", fields.wrong(), " is missing or of another type")};
  if (!code || !parse_origin(origin, &r.origin))
    return Error{ErrorCode::kParseError, "hone does not know the outcome or the origin"};
  r.outcome = *code;
  if (!r.samples_us.empty()) r.latency_us_median = median(r.samples_us);
  HONE_TRY(check_line(line));
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
  if (r.unconfirmed) line["unconfirmed"] = true;
  if (r.predicted_us > 0) line["predicted_us"] = r.predicted_us;
  if (!r.features.empty()) line["features"] = r.features;
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
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

Result<ImportReport> import_json_lines(std::istream& in, const std::string& source, RecordStore& store) {
  ImportReport report;
  std::set<std::pair<Hash, std::string>> known;
  std::string text;
  for (int number = 1;; ++number) {
    const size_t bytes = read_line(in, text);
    if (bytes == 0) break;
    if (bytes > kEndlessLineBytes)
      return Error{ErrorCode::kParseError, cat("line ", number, " does not end within ", kEndlessLineBytes,
                                               " bytes; give a file that hone records export wrote")};
    if (text.empty()) continue;
    auto line = bytes > kLineBytesMax + 1 ? Result<Line>(too_long(bytes)) : parse_line(text);
    if (line.ok()) {
      line->record.agent = cat("import:", source);
      HONE_TRY(store_line(*line, store, known));
      ++report.records;
    } else if (++report.bad_lines == 1) {
      report.first_error = cat("line ", number, ": ", line.error().message);
    }
  }
  HONE_TRY(store.flush());
  return report;
}

Result<ImportReport> merge_records(RecordStore& from, RecordStore& into) {
  HONE_ASSIGN(tasks, from.tasks());
  HONE_ASSIGN(devices, from.devices());
  for (const TaskInfo& task : tasks) HONE_TRY(into.put_task(task));
  for (const DeviceInfo& device : devices) HONE_TRY(into.put_device(device));
  ImportReport report;
  HONE_TRY(from.list({}, [&](const Record& record) {
    into.insert(record);
    ++report.records;
    return ok_status();
  }));
  HONE_TRY(into.flush());
  return report;
}

}  // namespace hone::tuner
