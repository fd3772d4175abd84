#include "tuner/records/record_reader.h"

#include <cstring>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "tuner/measure/error_names.h"
#include "tuner/measure/hash_text.h"
#include "tuner/records/limits.h"
#include "tuner/records/soundness.h"

namespace hone::tuner {

Result<std::vector<double>> samples_from(const std::string& text) {
  HONE_ASSIGN(json, parse_json(text, {.depth_max = 1, .bytes_max = kSamplesStoredMax * 32}));
  std::vector<double> samples;
  for (const auto& value : json) {
    if (!json.is_array() || !value.is_number()) break;
    samples.push_back(value.get<double>());
  }
  if (json.is_array() && samples.size() == json.size()) return samples;
  return Error{ErrorCode::kParseError, "its samples are not a list of numbers"};
}

namespace {

Result<std::vector<float>> floats_from(const std::string& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  if (bytes.size() % sizeof(float) != 0)
    return Error{ErrorCode::kParseError,
                 cat("its features of ", bytes.size(), " bytes are not a whole number of f32 values")};
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());  // an empty vector has no address
  return numbers;
}

// A number that no int holds stands for one out of range.
Status read_int(const sql::Row& row, int column, int* out) {
  const int64_t value = row.integer(column);
  *out = static_cast<int>(value);
  if (*out == value) return ok_status();
  return Error{ErrorCode::kParseError, cat("a count of ", value, " is out of range")};
}

Result<CacheState> cache_from(const std::string& name) {
  if (const auto state = parse_cache(name)) return *state;
  return Error{ErrorCode::kParseError, "hone does not know the state of the caches that it was timed in"};
}

Result<Record> read_columns(const sql::Row& row) {
  Record r;
  r.task_id = hash_from_hex(row.text(0));
  r.device_key = row.text(1);
  r.source_hash = hash_from_hex(row.text(2));
  r.trace_json = row.text(3);
  HONE_TRY(read_int(row, 4, &r.attempt));
  r.job_id = row.text(5);
  const auto outcome = error_from_name(row.text(7));
  if (!outcome || !parse_origin(row.text(6), &r.origin))
    return Error{ErrorCode::kParseError, "hone does not know its outcome or its origin"};
  r.outcome = *outcome;
  r.message = row.text(8);
  HONE_ASSIGN(samples, samples_from(row.text(9)));
  r.samples_us = std::move(samples);
  r.latency_us_median = row.real(10);
  r.method = row.text(11);
  r.clock_resolution_ns = row.real(12);
  HONE_TRY(read_int(row, 13, &r.repeats));
  r.create_ms = row.real(14);
  r.device_ms = row.real(15);
  r.max_error = row.real(16);
  r.reference_us = row.real(17);
  r.fingerprint_json = row.text(18);
  r.compiler_version = row.text(19);
  HONE_TRY(read_int(row, 20, &r.feature_version));
  r.fence = row.integer(21);
  r.recorded_unix_ms = row.integer(22);
  r.predicted_us = row.real(23);
  r.agent = row.text(24);
  r.device = row.text(25);
  HONE_TRY(read_int(row, 26, &r.browser_major));
  HONE_ASSIGN(cache, cache_from(row.text(27)));
  r.cache = cache;
  r.other_us = row.real(28);
  r.lease_id = row.text(29);
  r.enrolment = row.text(30);
  r.trusted = row.integer(31) == 1;
  r.doubted = row.integer(32) == 1;
  r.trial = row.integer(kTrialColumn);
  HONE_ASSIGN(features, floats_from(row.bytes(kTrialColumn + 1)));
  r.features = std::move(features);
  return r;
}

}  // namespace

const char* const kSelectRecords =
    "SELECT t.task_id, t.device_key, t.source_hash, t.trace_json, a.attempt, a.job_id, a.origin, a.outcome, a.message, "
    "a.samples_us, "
    "a.latency_us_median, a.method, a.clock_resolution_ns, a.repeats, a.create_ms, a.device_ms, a.max_error, "
    "a.reference_us, f.json, "
    "a.compiler_version, a.feature_version, a.fence, a.recorded_unix_ms, a.predicted_us, "
    "a.agent, a.device, f.browser_major, a.cache, a.other_us, a.lease, a.enrolment, a.trusted, a.doubted, a.trial, CASE WHEN t.feature_version = a.feature_version "
    "THEN t.features END "
    "FROM attempts a JOIN trials t USING (trial) JOIN fingerprints f USING (fingerprint) WHERE TRUE";

Result<Record> RecordReader::read(const sql::Row& row) {
  auto record = read_columns(row);
  const bool known = record.ok() && record->fingerprint_json == sound_fingerprint_;
  Status sound = !record.ok() ? Status(record.error())
                 : known      ? check_all_but_fingerprint(*record)
                              : check_record(*record);
  if (sound.ok() && !known) sound_fingerprint_ = record->fingerprint_json;
  if (sound.ok()) return record;
  return Error{sound.error().code, cat("attempt ", row.integer(kAttemptColumn), " of trial ", row.integer(kTrialColumn),
                                       ": ", sound.error().message)};
}

}  // namespace hone::tuner
