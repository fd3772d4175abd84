#include "tuner/records/record_rows.h"

#include <bit>
#include <chrono>
#include <cstring>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "tuner/measure/error_names.h"
#include "tuner/measure/hash_text.h"
#include "tuner/records/limits.h"
#include "tuner/records/soundness.h"

namespace hone::tuner {

int64_t unix_ms_now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Status write_task(sql::SqliteDb& db, const TaskInfo& task) {
  HONE_ASSIGN(insert, db.prepare("INSERT INTO tasks VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"));
  insert.bind(task.id.hex()).bind(task.name).bind(task.canonical_text).bind(task.flops).bind(unix_ms_now());
  return db.run(insert);
}

namespace {

// The JSON is taken apart where it is new.
constexpr const char* kInsertFingerprint =
    "INSERT INTO fingerprints (device_key, json, browser_major, driver) SELECT ?1, ?2, CASE WHEN json_valid(?2) THEN "
    "CAST(json_extract(?2, '$.browser_major') AS INTEGER) END, CASE WHEN json_valid(?2) THEN CAST(json_extract(?2, "
    "'$.driver') AS TEXT) END WHERE NOT EXISTS (SELECT 1 FROM fingerprints WHERE device_key = ?1 AND json = ?2)";

Status write_fingerprint(sql::SqliteDb& db, const std::string& device_key, const std::string& json) {
  HONE_ASSIGN(insert, db.kept(kInsertFingerprint));
  insert->bind(device_key).bind(json);
  return db.run(*insert);
}

// Little-endian in the database, as on every processor that hone runs on.
static_assert(std::endian::native == std::endian::little);
std::string_view bytes_of(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

constexpr const char* kInsertAttempt =
    "INSERT INTO attempts SELECT trial, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
    "(SELECT fingerprint FROM fingerprints WHERE device_key = trials.device_key AND json = ?), ?, ?, ?, "
    "?, ?, ?, ?, ?, ?, NULLIF(?, ''), NULLIF(?, ''), ?, ? "
    "FROM trials WHERE task_id = ? AND device_key = ? AND source_hash = ? ON CONFLICT DO NOTHING";

// Whether a row was added.
Result<bool> write_attempt(sql::SqliteDb& db, const Record& r) {
  HONE_ASSIGN(insert, db.kept(kInsertAttempt));
  insert->bind(r.attempt).bind(r.job_id).bind(origin_name(r.origin)).bind(error_name(r.outcome)).bind(r.message);
  insert->bind(json_line(nlohmann::json(r.samples_us)))
      .bind(r.latency_us_median)
      .bind(r.method)
      .bind(r.clock_resolution_ns)
      .bind(r.repeats);
  insert->bind(r.create_ms)
      .bind(r.device_ms)
      .bind(r.max_error)
      .bind(r.reference_us)
      .bind(r.fingerprint_json)
      .bind(r.compiler_version);
  insert->bind(r.feature_version).bind(r.fence).bind(r.recorded_unix_ms ? r.recorded_unix_ms : unix_ms_now());
  insert->bind(r.predicted_us).bind(r.agent).bind(r.device).bind(cache_name(r.cache)).bind(r.other_us);
  insert->bind(r.lease_id).bind(r.enrolment).bind(static_cast<int>(r.trusted)).bind(static_cast<int>(r.doubted));
  insert->bind(r.task_id.hex()).bind(r.device_key).bind(r.source_hash.hex());
  HONE_TRY(db.run(*insert));
  return db.changes() > 0;
}

// A trial that has features already takes those of a newer version only.
constexpr const char* kInsertTrial =
    "INSERT INTO trials (task_id, device_key, source_hash, trace_json, features, feature_version) VALUES (?, ?, ?, ?, "
    "?, ?) ON CONFLICT DO UPDATE SET features = excluded.features, feature_version = excluded.feature_version "
    "WHERE excluded.feature_version > trials.feature_version";

Status write_trial(sql::SqliteDb& db, const Record& r) {
  HONE_ASSIGN(trial, db.kept(kInsertTrial));
  trial->bind(r.task_id.hex()).bind(r.device_key).bind(r.source_hash.hex()).bind(r.trace_json);
  trial->bind_blob(bytes_of(r.features)).bind(r.features.empty() ? 0 : r.feature_version);
  return db.run(*trial);
}

}  // namespace

Status write_device(sql::SqliteDb& db, const DeviceInfo& device) {
  HONE_ASSIGN(insert, db.prepare("INSERT INTO devices VALUES (?, ?, ?) ON CONFLICT DO NOTHING"));
  insert.bind(device.key).bind(device.target).bind(unix_ms_now());
  HONE_TRY(db.run(insert));
  return write_fingerprint(db, device.key, device.fingerprint_json);
}

Status write_job(sql::SqliteDb& db, const JobInfo& job) {
  HONE_ASSIGN(insert, db.prepare("INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.bind(job.id).bind(job.kind).bind(job.state).bind(job.device_key).bind(job.request_json).bind(job.message);
  insert.bind(job.started_unix_ms).bind(job.ended_unix_ms);
  return db.run(insert);
}

Status write_label(sql::SqliteDb& db, const DeviceLabel& label) {
  HONE_ASSIGN(write, db.prepare(label.label.empty() ? "DELETE FROM device_labels WHERE device = ?1"
                                                    : "INSERT OR REPLACE INTO device_labels VALUES (?1, ?2)"));
  write.bind(label.device).bind(label.label);
  return db.run(write);
}

Result<bool> write_record(sql::SqliteDb& db, const Record& r) {
  HONE_TRY(write_trial(db, r));
  HONE_TRY(write_fingerprint(db, r.device_key, r.fingerprint_json));
  return write_attempt(db, r);
}

Status write_lease(sql::SqliteDb& db, const DeviceFence& lease) {
  HONE_ASSIGN(write, db.kept("INSERT INTO device_fences VALUES (?, ?, ?, ?) ON CONFLICT (device_id) DO UPDATE SET lease_id = "
                                "excluded.lease_id, fence = excluded.fence, changed_unix_ms = excluded.changed_unix_ms "
                                "WHERE excluded.fence > fence"));
  write->bind(lease.device_id).bind(lease.lease_id).bind(lease.fence).bind(unix_ms_now());
  return db.run(*write);
}

// Where nobody has measured for long, no result of then is under way.
Status end_lease(sql::SqliteDb& db, const std::string& lease_id) {
  HONE_ASSIGN(end, db.kept("UPDATE device_fences SET lease_id = '', changed_unix_ms = ? WHERE lease_id = ?"));
  end->bind(unix_ms_now()).bind(lease_id);
  HONE_TRY(db.run(*end));
  HONE_ASSIGN(old, db.kept("DELETE FROM device_fences WHERE changed_unix_ms < ? AND lease_id = ''"));
  old->bind(unix_ms_now() - kEndedFenceKeptMs);
  return db.run(*old);
}

Result<bool> is_held(sql::SqliteDb& db, const Record& record) {
  if (!record.fenced) return true;
  HONE_ASSIGN(select, db.kept("SELECT 1 FROM device_fences WHERE lease_id = ? AND fence = ?"));
  select->bind(record.lease_id).bind(record.fence);
  const int code = select->step();
  select->reset();
  if (code != SQLITE_ROW && code != SQLITE_DONE) return db.error(code);
  return code == SQLITE_ROW;
}

Status forget_trial(sql::SqliteDb& db, const Hash& task_id, const std::string& device_key, const Hash& source) {
  for (const char* sql :
       {"DELETE FROM attempts WHERE trial IN (SELECT trial FROM trials WHERE task_id = ? AND device_key = ? AND "
        "source_hash = ?)",
        "DELETE FROM trials WHERE task_id = ? AND device_key = ? AND source_hash = ?"}) {
    HONE_ASSIGN(remove, db.prepare(sql));
    remove.bind(task_id.hex()).bind(device_key).bind(source.hex());
    HONE_TRY(db.run(remove));
  }
  return ok_status();
}

namespace {

// What is done in the order of these to make one class of two. ?1: the old key, ?2: the new one.
constexpr const char* kRenames[] = {
    "INSERT INTO devices SELECT ?2, target, created_unix_ms FROM devices WHERE device_key = ?1 ON CONFLICT DO NOTHING",
    "INSERT INTO fingerprints (device_key, json, browser_major, driver) SELECT ?2, json, browser_major, driver FROM "
    "fingerprints WHERE device_key = ?1 ON CONFLICT DO NOTHING",
    "UPDATE attempts SET fingerprint = (SELECT n.fingerprint FROM fingerprints n JOIN fingerprints o USING (json) "
    "WHERE "
    "o.fingerprint = attempts.fingerprint AND n.device_key = ?2) WHERE fingerprint IN (SELECT fingerprint FROM "
    "fingerprints WHERE device_key = ?1)",
    "DELETE FROM fingerprints WHERE device_key = ?1",
    // Attempts of a trial that both have: behind those of the other.
    "UPDATE attempts SET attempt = attempt + 1 + (SELECT MAX(b.attempt) FROM trials o JOIN trials n USING (task_id, "
    "source_hash) JOIN attempts b ON b.trial = n.trial WHERE o.trial = attempts.trial AND n.device_key = ?2), trial = "
    "(SELECT n.trial FROM trials o JOIN trials n USING (task_id, source_hash) WHERE o.trial = attempts.trial AND "
    "n.device_key = ?2) WHERE trial IN (SELECT o.trial FROM trials o JOIN trials n USING (task_id, source_hash) JOIN "
    "attempts b ON b.trial = n.trial WHERE o.device_key = ?1 AND n.device_key = ?2)",
    "DELETE FROM trials WHERE device_key = ?1 AND EXISTS (SELECT 1 FROM trials n WHERE n.task_id = trials.task_id AND "
    "n.source_hash = trials.source_hash AND n.device_key = ?2)",
    "UPDATE trials SET device_key = ?2 WHERE device_key = ?1", "UPDATE jobs SET device_key = ?2 WHERE device_key = ?1",
    "DELETE FROM devices WHERE device_key = ?1"};

}  // namespace

Status rename_device_key(sql::SqliteDb& db, const std::string& from, const std::string& to) {
  if (from == to) return ok_status();
  for (const char* sql : kRenames) {
    HONE_ASSIGN(rename, db.prepare(sql));
    rename.bind(from).bind(to);
    HONE_TRY(db.run(rename));
  }
  return ok_status();
}

namespace {

// ?1 to ?4. Only what is asked for is tested, so that an index serves it.
std::string terms_of(const ForgetRequest& request) {
  return cat(request.task_id ? " AND t.task_id = ?1" : "", request.device_key.empty() ? "" : " AND t.device_key = ?2", request.agent.empty() ? "" : " AND a.agent = ?3",
             request.before_unix_ms == 0 ? "" : " AND a.recorded_unix_ms < ?4", request.device.empty() ? "" : " AND a.device = ?5", request.lease_id.empty() ? "" : " AND a.lease = ?6");
}

void bind_terms(sql::SqliteStatement& statement, const ForgetRequest& request) {
  statement.bind(request.task_id ? request.task_id->hex() : "").bind(request.device_key).bind(request.agent).bind(request.before_unix_ms);
  statement.bind(request.device).bind(request.lease_id);
}

}  // namespace

Result<std::vector<Forgotten>> trials_to_forget(sql::SqliteDb& db, const ForgetRequest& request) {
  HONE_ASSIGN(select, db.prepare(cat("SELECT t.trial, COUNT(*), (SELECT COUNT(*) FROM attempts b WHERE b.trial = t.trial) FROM trials t JOIN attempts a USING (trial) WHERE TRUE",
                                     terms_of(request), " GROUP BY t.trial")));
  bind_terms(select, request);
  std::vector<Forgotten> trials;
  int code;
  while ((code = select.step()) == SQLITE_ROW) trials.push_back({select.integer(0), select.integer(1), select.integer(1) == select.integer(2)});
  if (code != SQLITE_DONE) return db.error(code);
  return trials;
}

Result<ForgetReport> forget_attempts(sql::SqliteDb& db, const ForgetRequest& request, int64_t trial) {
  ForgetReport report;
  HONE_ASSIGN(attempts, db.kept("DELETE FROM attempts WHERE trial = ?1 AND (?2 = '' OR agent = ?2) AND (?3 = 0 OR recorded_unix_ms < ?3) AND (?4 = '' OR device = ?4) AND (?5 = '' OR lease = ?5)"));
  attempts->bind(trial).bind(request.agent).bind(request.before_unix_ms).bind(request.device).bind(request.lease_id);
  HONE_TRY(db.run(*attempts));
  report.attempts = db.changes();
  HONE_ASSIGN(empty, db.kept("DELETE FROM trials WHERE trial = ?1 AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.trial = ?1)"));
  empty->bind(trial);
  HONE_TRY(db.run(*empty));
  report.trials = db.changes();
  return report;
}

namespace {

constexpr const char* kDoubted = " doubted = 0 AND enrolment = ?1 AND device = ?2 AND recorded_unix_ms > ?3";

}  // namespace

Result<std::vector<int64_t>> trials_to_doubt(sql::SqliteDb& db, const Doubt& doubt) {
  HONE_ASSIGN(select, db.prepare(cat("SELECT DISTINCT trial FROM attempts WHERE", kDoubted)));
  select.bind(doubt.enrolment).bind(doubt.device).bind(doubt.after_unix_ms);
  std::vector<int64_t> trials;
  int code;
  while ((code = select.step()) == SQLITE_ROW) trials.push_back(select.integer(0));
  if (code != SQLITE_DONE) return db.error(code);
  return trials;
}

Result<int64_t> doubt_attempts(sql::SqliteDb& db, const Doubt& doubt, int64_t trial) {
  HONE_ASSIGN(mark, db.prepare(cat("UPDATE attempts SET doubted = 1 WHERE", kDoubted, " AND trial = ?4")));
  mark.bind(doubt.enrolment).bind(doubt.device).bind(doubt.after_unix_ms).bind(trial);
  HONE_TRY(db.run(mark));
  return db.changes();
}

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
Status read_int(const sql::SqliteStatement& row, int column, int* out) {
  const int64_t value = row.integer(column);
  *out = static_cast<int>(value);
  if (*out == value) return ok_status();
  return Error{ErrorCode::kParseError, cat("a count of ", value, " is out of range")};
}

Result<CacheState> cache_from(const std::string& name) {
  if (const auto state = parse_cache(name)) return *state;
  return Error{ErrorCode::kParseError, "hone does not know the state of the caches that it was timed in"};
}

Result<Record> read_columns(const sql::SqliteStatement& row) {
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
  HONE_ASSIGN(features, floats_from(row.blob(kTrialColumn + 1)));
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

Result<Record> RecordReader::read(const sql::SqliteStatement& row) {
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
