// Generated from schema/bench_report.json by scripts/gen_schema. Do not edit.
#include "schema/generated/bench_report.h"

namespace hone::protocol {
bool read_fields(const nlohmann::json& json, BenchBuild& value, std::string& error);
bool read_fields(const nlohmann::json& json, BenchDevice& value, std::string& error);
bool read_fields(const nlohmann::json& json, BenchTimes& value, std::string& error);
bool read_fields(const nlohmann::json& json, BenchComparison& value, std::string& error);
bool read_fields(const nlohmann::json& json, BenchResult& value, std::string& error);
bool read_fields(const nlohmann::json& json, BenchClass& value, std::string& error);
bool read_fields(const nlohmann::json& json, BenchMean& value, std::string& error);
bool read_fields(const nlohmann::json& json, BenchCase& value, std::string& error);
bool read_fields(const nlohmann::json& json, BenchReport& value, std::string& error);
}  // namespace hone::protocol

#include "schema/json_fields.h"

namespace hone::protocol {

std::string_view to_name(BenchState value) {
  switch (value) {
    case BenchState::kMeasured: return "measured";
    case BenchState::kSkipped: return "skipped";
    case BenchState::kFailed: return "failed";
  }
  return "unknown";
}
bool from_name(std::string_view name, BenchState& value) {
  if (name == "measured") return value = BenchState::kMeasured, true;
  if (name == "skipped") return value = BenchState::kSkipped, true;
  if (name == "failed") return value = BenchState::kFailed, true;
  return false;
}

std::string_view to_name(Verdict value) {
  switch (value) {
    case Verdict::kFaster: return "faster";
    case Verdict::kSlower: return "slower";
    case Verdict::kSame: return "same";
    case Verdict::kInconclusive: return "inconclusive";
  }
  return "unknown";
}
bool from_name(std::string_view name, Verdict& value) {
  if (name == "faster") return value = Verdict::kFaster, true;
  if (name == "slower") return value = Verdict::kSlower, true;
  if (name == "same") return value = Verdict::kSame, true;
  if (name == "inconclusive") return value = Verdict::kInconclusive, true;
  return false;
}

std::string_view to_name(Answer value) {
  switch (value) {
    case Answer::kNo: return "no";
    case Answer::kUnknown: return "unknown";
    case Answer::kYes: return "yes";
  }
  return "unknown";
}
bool from_name(std::string_view name, Answer& value) {
  if (name == "no") return value = Answer::kNo, true;
  if (name == "unknown") return value = Answer::kUnknown, true;
  if (name == "yes") return value = Answer::kYes, true;
  return false;
}

nlohmann::json to_json(const BenchBuild& value) {
  nlohmann::json json = nlohmann::json::object();
  json["name"] = write(value.name);
  json["made_by"] = write(value.made_by);
  if (value.commit) json["commit"] = write(*value.commit);
  return json;
}
bool read_fields(const nlohmann::json& json, BenchBuild& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("name", value.name, {4096, 4096});
  reader.required("made_by", value.made_by, {256, 256});
  reader.optional("commit", value.commit, {128, 128});
  return reader.ok();
}
template <>
Result<BenchBuild> from_json<BenchBuild>(const nlohmann::json& json) {
  return read_value<BenchBuild>(json);
}

nlohmann::json to_json(const BenchDevice& value) {
  nlohmann::json json = nlohmann::json::object();
  json["device_id"] = write(value.device_id);
  json["device_key"] = write(value.device_key);
  json["label"] = write(value.label);
  json["text"] = write(value.text);
  json["target"] = write(value.target);
  json["browser"] = write(value.browser);
  json["fingerprint"] = write(value.fingerprint);
  return json;
}
bool read_fields(const nlohmann::json& json, BenchDevice& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("device_id", value.device_id, {64, 64});
  reader.required("device_key", value.device_key, {64, 64});
  reader.required("label", value.label, {256, 256});
  reader.required("text", value.text, {1024, 1024});
  reader.required("target", value.target, {32, 32});
  reader.required("browser", value.browser, {256, 256});
  reader.required("fingerprint", value.fingerprint, {65536, 65536});
  return reader.ok();
}
template <>
Result<BenchDevice> from_json<BenchDevice>(const nlohmann::json& json) {
  return read_value<BenchDevice>(json);
}

nlohmann::json to_json(const BenchTimes& value) {
  nlohmann::json json = nlohmann::json::object();
  json["median_ms"] = write(value.median_ms);
  json["p10_ms"] = write(value.p10_ms);
  json["p90_ms"] = write(value.p90_ms);
  json["samples_ms"] = write(value.samples_ms);
  return json;
}
bool read_fields(const nlohmann::json& json, BenchTimes& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("median_ms", value.median_ms, {65536, 65536});
  reader.required("p10_ms", value.p10_ms, {65536, 65536});
  reader.required("p90_ms", value.p90_ms, {65536, 65536});
  reader.required("samples_ms", value.samples_ms, {65536, 65536});
  return reader.ok();
}
template <>
Result<BenchTimes> from_json<BenchTimes>(const nlohmann::json& json) {
  return read_value<BenchTimes>(json);
}

nlohmann::json to_json(const BenchComparison& value) {
  nlohmann::json json = nlohmann::json::object();
  json["verdict"] = write(value.verdict);
  json["ratio"] = write(value.ratio);
  if (value.ratio_low) json["ratio_low"] = write(*value.ratio_low);
  if (value.ratio_high) json["ratio_high"] = write(*value.ratio_high);
  json["pairs"] = write(value.pairs);
  json["blocks"] = write(value.blocks);
  json["p_value"] = write(value.p_value);
  if (value.standard_error) json["standard_error"] = write(*value.standard_error);
  if (value.regression) json["regression"] = write(*value.regression);
  return json;
}
bool read_fields(const nlohmann::json& json, BenchComparison& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("verdict", value.verdict, {65536, 65536});
  reader.required("ratio", value.ratio, {65536, 65536});
  reader.optional("ratio_low", value.ratio_low, {65536, 65536});
  reader.optional("ratio_high", value.ratio_high, {65536, 65536});
  reader.required("pairs", value.pairs, {65536, 65536});
  reader.required("blocks", value.blocks, {65536, 65536});
  reader.required("p_value", value.p_value, {65536, 65536, 0, 1});
  reader.optional("standard_error", value.standard_error, {65536, 65536});
  reader.optional("regression", value.regression, {65536, 65536});
  return reader.ok();
}
template <>
Result<BenchComparison> from_json<BenchComparison>(const nlohmann::json& json) {
  return read_value<BenchComparison>(json);
}

nlohmann::json to_json(const BenchResult& value) {
  nlohmann::json json = nlohmann::json::object();
  json["state"] = write(value.state);
  json["message"] = write(value.message);
  if (value.device) json["device"] = write(*value.device);
  json["job"] = write(value.job);
  json["started_unix_ms"] = write(value.started_unix_ms);
  json["took_ms"] = write(value.took_ms);
  if (value.new_times) json["new_times"] = write(*value.new_times);
  if (value.old_times) json["old_times"] = write(*value.old_times);
  if (value.comparison) json["comparison"] = write(*value.comparison);
  return json;
}
bool read_fields(const nlohmann::json& json, BenchResult& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("state", value.state, {65536, 65536});
  reader.required("message", value.message, {4096, 4096});
  reader.optional("device", value.device, {65536, 65536});
  reader.required("job", value.job, {256, 256});
  reader.required("started_unix_ms", value.started_unix_ms, {65536, 65536});
  reader.required("took_ms", value.took_ms, {65536, 65536});
  reader.optional("new_times", value.new_times, {65536, 65536});
  reader.optional("old_times", value.old_times, {65536, 65536});
  reader.optional("comparison", value.comparison, {65536, 65536});
  return reader.ok();
}
template <>
Result<BenchResult> from_json<BenchResult>(const nlohmann::json& json) {
  return read_value<BenchResult>(json);
}

nlohmann::json to_json(const BenchClass& value) {
  nlohmann::json json = nlohmann::json::object();
  json["device_class"] = write(value.device_class);
  json["devices"] = write(value.devices);
  json["ratio"] = write(value.ratio);
  json["p_value"] = write(value.p_value);
  json["differs"] = write(value.differs);
  return json;
}
bool read_fields(const nlohmann::json& json, BenchClass& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("device_class", value.device_class, {1024, 1024});
  reader.required("devices", value.devices, {65536, 65536});
  reader.required("ratio", value.ratio, {65536, 65536});
  reader.required("p_value", value.p_value, {65536, 65536, 0, 1});
  reader.required("differs", value.differs, {65536, 65536});
  return reader.ok();
}
template <>
Result<BenchClass> from_json<BenchClass>(const nlohmann::json& json) {
  return read_value<BenchClass>(json);
}

nlohmann::json to_json(const BenchMean& value) {
  nlohmann::json json = nlohmann::json::object();
  json["ratio"] = write(value.ratio);
  if (value.ratio_low) json["ratio_low"] = write(*value.ratio_low);
  if (value.ratio_high) json["ratio_high"] = write(*value.ratio_high);
  json["devices"] = write(value.devices);
  json["slower"] = write(value.slower);
  json["faster"] = write(value.faster);
  return json;
}
bool read_fields(const nlohmann::json& json, BenchMean& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("ratio", value.ratio, {65536, 65536});
  reader.optional("ratio_low", value.ratio_low, {65536, 65536});
  reader.optional("ratio_high", value.ratio_high, {65536, 65536});
  reader.required("devices", value.devices, {65536, 65536});
  reader.required("slower", value.slower, {65536, 65536});
  reader.required("faster", value.faster, {65536, 65536});
  return reader.ok();
}
template <>
Result<BenchMean> from_json<BenchMean>(const nlohmann::json& json) {
  return read_value<BenchMean>(json);
}

nlohmann::json to_json(const BenchCase& value) {
  nlohmann::json json = nlohmann::json::object();
  json["name"] = write(value.name);
  json["source"] = write(value.source);
  json["target"] = write(value.target);
  json["results"] = write(value.results);
  if (value.mean) json["mean"] = write(*value.mean);
  json["classes"] = write(value.classes);
  return json;
}
bool read_fields(const nlohmann::json& json, BenchCase& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("name", value.name, {1024, 1024});
  reader.required("source", value.source, {4096, 4096});
  reader.required("target", value.target, {32, 32});
  reader.required("results", value.results, {4096, 65536});
  reader.optional("mean", value.mean, {65536, 65536});
  reader.required("classes", value.classes, {4096, 65536});
  return reader.ok();
}
template <>
Result<BenchCase> from_json<BenchCase>(const nlohmann::json& json) {
  return read_value<BenchCase>(json);
}

nlohmann::json to_json(const BenchReport& value) {
  nlohmann::json json = nlohmann::json::object();
  json["format"] = write(value.format);
  json["version"] = write(value.version);
  json["suite"] = write(value.suite);
  json["started_unix_ms"] = write(value.started_unix_ms);
  json["took_ms"] = write(value.took_ms);
  json["new_build"] = write(value.new_build);
  if (value.old_build) json["old_build"] = write(*value.old_build);
  json["alpha"] = write(value.alpha);
  json["minimum_effect"] = write(value.minimum_effect);
  json["same_within"] = write(value.same_within);
  if (value.fail_above) json["fail_above"] = write(*value.fail_above);
  json["cases"] = write(value.cases);
  return json;
}
bool read_fields(const nlohmann::json& json, BenchReport& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("format", value.format, {64, 64});
  reader.required("version", value.version, {65536, 65536});
  reader.required("suite", value.suite, {1024, 1024});
  reader.required("started_unix_ms", value.started_unix_ms, {65536, 65536});
  reader.required("took_ms", value.took_ms, {65536, 65536});
  reader.required("new_build", value.new_build, {65536, 65536});
  reader.optional("old_build", value.old_build, {65536, 65536});
  reader.required("alpha", value.alpha, {65536, 65536, 0, 1});
  reader.required("minimum_effect", value.minimum_effect, {65536, 65536});
  reader.required("same_within", value.same_within, {65536, 65536});
  reader.optional("fail_above", value.fail_above, {65536, 65536});
  reader.required("cases", value.cases, {4096, 65536});
  return reader.ok();
}
template <>
Result<BenchReport> from_json<BenchReport>(const nlohmann::json& json) {
  return read_value<BenchReport>(json);
}

}  // namespace hone::protocol
