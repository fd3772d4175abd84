#include "tuner/records/record_rows.h"

#include <bit>
#include <chrono>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/sql/statement_text.h"
#include "tuner/measure/error_names.h"
#include "tuner/measure/hash_text.h"
#include "tuner/records/limits.h"

namespace hone::tuner {

using sql::Command;
using sql::Value;

int64_t unix_ms_now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Command task_row(const TaskInfo& task) {
  return {"INSERT INTO tasks (task_id, name, canonical_text, flops, created_unix_ms) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
          {task.id.hex(), task.name, task.canonical_text, task.flops, unix_ms_now()}};
}

namespace {

Value or_null(const std::string& text) { return text.empty() ? Value(sql::Null()) : Value(text); }
std::string named(std::string_view name) { return std::string(name); }

// What of a fingerprint's JSON has columns of its own.
struct FingerprintFacts {
  std::string json;
  Value browser_major = sql::Null(), driver = sql::Null();
};

FingerprintFacts facts_in(const std::string& text) {
  FingerprintFacts facts{.json = text};
  const auto json = parse_json(text);
  if (!json.ok() || !json->is_object()) return facts;
  if (const auto major = json->find("browser_major"); major != json->end() && major->is_number_integer()) facts.browser_major = major->get<int64_t>();
  if (const auto driver = json->find("driver"); driver != json->end() && driver->is_string()) facts.driver = driver->get<std::string>();
  return facts;
}

// Little-endian in the database, as on every processor that hone runs on.
static_assert(std::endian::native == std::endian::little);
Value bytes_of(const std::vector<float>& numbers) {
  if (numbers.empty()) return sql::Null();
  return sql::Bytes{std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float))};
}

// A trial that has features already takes those of a newer version only.
Command trial_row(const Record& r) {
  return {"INSERT INTO trials (task_id, device_key, source_hash, trace_json, features, feature_version) VALUES ($1, $2, $3, $4, $5, $6) "
          "ON CONFLICT (task_id, device_key, source_hash) DO UPDATE SET features = excluded.features, feature_version = excluded.feature_version "
          "WHERE excluded.feature_version > trials.feature_version",
          {r.task_id.hex(), r.device_key, r.source_hash.hex(), r.trace_json, bytes_of(r.features), int64_t{r.features.empty() ? 0 : r.feature_version}}};
}

// Of the trial and the fingerprint that stand there by now.
Command attempt_row(const Record& r) {
  return {"INSERT INTO attempts (trial, fingerprint, attempt, job_id, origin, outcome, message, samples_us, latency_us_median, method, clock_resolution_ns, repeats, "
          "create_ms, device_ms, max_error, reference_us, compiler_version, feature_version, fence, recorded_unix_ms, predicted_us, agent, device, cache, other_us, lease, "
          "enrolment, trusted, doubted) VALUES ((SELECT trial FROM trials WHERE task_id = $1 AND device_key = $2 AND source_hash = $3), (SELECT fingerprint FROM "
          "fingerprints WHERE device_key = $2 AND json = $4), $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, "
          "$27, $28, $29, $30, $31) ON CONFLICT DO NOTHING",
          {r.task_id.hex(), r.device_key, r.source_hash.hex(), r.fingerprint_json,
           int64_t{r.attempt}, r.job_id, named(origin_name(r.origin)), named(error_name(r.outcome)), r.message, json_line(nlohmann::json(r.samples_us)), r.latency_us_median,
           r.method, r.clock_resolution_ns, int64_t{r.repeats}, r.create_ms, r.device_ms, r.max_error, r.reference_us, r.compiler_version, int64_t{r.feature_version}, r.fence,
           r.recorded_unix_ms ? r.recorded_unix_ms : unix_ms_now(), r.predicted_us, r.agent, r.device, named(cache_name(r.cache)), r.other_us, or_null(r.lease_id),
           or_null(r.enrolment), int64_t{r.trusted}, int64_t{r.doubted}}};
}

}  // namespace

// It is taken apart where it is another one than before.
Command fingerprint_row(const std::string& device_key, const std::string& json) {
  thread_local FingerprintFacts facts;
  if (facts.json != json) facts = facts_in(json);
  return {"INSERT INTO fingerprints (device_key, json, browser_major, driver) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
          {device_key, json, facts.browser_major, facts.driver}};
}

std::vector<Command> device_rows(const DeviceInfo& device) {
  return {{"INSERT INTO devices (device_key, target, created_unix_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", {device.key, device.target, unix_ms_now()}},
          fingerprint_row(device.key, device.fingerprint_json)};
}

std::vector<Command> job_rows(const JobInfo& job) {
  return {{"DELETE FROM jobs WHERE job_id = $1", {job.id}},
          {"INSERT INTO jobs (job_id, kind, state, device_key, request_json, message, started_unix_ms, ended_unix_ms, server) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
           {job.id, job.kind, job.state, job.device_key, job.request_json, job.message, job.started_unix_ms, job.ended_unix_ms, job.server}}};
}

std::vector<Command> label_rows(const DeviceLabel& label) {
  std::vector<Command> rows{{"DELETE FROM device_labels WHERE device = $1", {label.device}}};
  if (!label.label.empty()) rows.push_back({"INSERT INTO device_labels (device, label) VALUES ($1, $2)", {label.device, label.label}});
  return rows;
}

std::vector<Command> record_rows(const Record& r) { return {trial_row(r), attempt_row(r)}; }

Command lease_row(const DeviceFence& lease) {
  return {"INSERT INTO device_fences (device_id, lease_id, fence, changed_unix_ms) VALUES ($1, $2, $3, $4) ON CONFLICT (device_id) DO UPDATE SET lease_id = "
          "excluded.lease_id, fence = excluded.fence, changed_unix_ms = excluded.changed_unix_ms WHERE excluded.fence > device_fences.fence",
          {lease.device_id, lease.lease_id, lease.fence, unix_ms_now()}};
}

// Where nobody has measured for long, no result of then is under way.
std::vector<Command> ended_lease_rows(const std::string& lease_id) {
  return {{"UPDATE device_fences SET lease_id = '', changed_unix_ms = $1 WHERE lease_id = $2", {unix_ms_now(), lease_id}},
          {"DELETE FROM device_fences WHERE changed_unix_ms < $1 AND lease_id = ''", {unix_ms_now() - kEndedFenceKeptMs}}};
}

// An update, so that a server keeps the row as it is until the transaction is over.
Command lease_guard(const Record& record) {
  return {"UPDATE device_fences SET fence = fence WHERE lease_id = $1 AND fence = $2", {record.lease_id, record.fence}};
}

std::vector<Command> trial_removal(const Hash& task_id, const std::string& device_key, const Hash& source) {
  const std::vector<Value> which{task_id.hex(), device_key, source.hex()};
  return {{"DELETE FROM attempts WHERE trial IN (SELECT trial FROM trials WHERE task_id = $1 AND device_key = $2 AND source_hash = $3)", which},
          {"DELETE FROM trials WHERE task_id = $1 AND device_key = $2 AND source_hash = $3", which}};
}

namespace {

// What is done in the order of these to make one class of two: of both keys, the new one alone, or the old one alone.
enum class Of { kBoth, kOld };
struct Rename {
  const char* sql;  // $1: the old key, $2: the new one
  Of of = Of::kBoth;
};
constexpr Rename kRenames[] = {
    {"INSERT INTO devices (device_key, target, created_unix_ms) SELECT $2, target, created_unix_ms FROM devices WHERE device_key = $1 ON CONFLICT DO NOTHING"},
    {"INSERT INTO fingerprints (device_key, json, browser_major, driver) SELECT $2, json, browser_major, driver FROM fingerprints WHERE device_key = $1 ON CONFLICT DO NOTHING"},
    {"UPDATE attempts SET fingerprint = (SELECT n.fingerprint FROM fingerprints n JOIN fingerprints o USING (json) WHERE o.fingerprint = attempts.fingerprint AND "
     "n.device_key = $2) WHERE fingerprint IN (SELECT fingerprint FROM fingerprints WHERE device_key = $1)"},
    {"DELETE FROM fingerprints WHERE device_key = $1", Of::kOld},
    // Attempts of a trial that both have: behind those of the other.
    {"UPDATE attempts SET attempt = attempt + 1 + (SELECT MAX(b.attempt) FROM trials o JOIN trials n USING (task_id, source_hash) JOIN attempts b ON b.trial = n.trial "
     "WHERE o.trial = attempts.trial AND n.device_key = $2), trial = (SELECT n.trial FROM trials o JOIN trials n USING (task_id, source_hash) WHERE o.trial = "
     "attempts.trial AND n.device_key = $2) WHERE trial IN (SELECT o.trial FROM trials o JOIN trials n USING (task_id, source_hash) JOIN attempts b ON b.trial = n.trial "
     "WHERE o.device_key = $1 AND n.device_key = $2)"},
    {"DELETE FROM trials WHERE device_key = $1 AND EXISTS (SELECT 1 FROM trials n WHERE n.task_id = trials.task_id AND n.source_hash = trials.source_hash AND "
     "n.device_key = $2)"},
    {"UPDATE trials SET device_key = $2 WHERE device_key = $1"},
    {"UPDATE jobs SET device_key = $2 WHERE device_key = $1"},
    {"DELETE FROM devices WHERE device_key = $1", Of::kOld}};

}  // namespace

std::vector<Command> renamed_device_rows(const std::string& from, const std::string& to) {
  if (from == to) return {};
  std::vector<Command> rows;
  for (const Rename& one : kRenames) rows.push_back({one.sql, one.of == Of::kOld ? std::vector<Value>{from} : std::vector<Value>{from, to}});
  return rows;
}

Result<std::vector<Forgotten>> trials_to_forget(sql::Database& db, const ForgetRequest& request) {
  sql::StatementText select("SELECT t.trial, COUNT(*), (SELECT COUNT(*) FROM attempts b WHERE b.trial = t.trial) FROM trials t JOIN attempts a USING (trial) WHERE TRUE");
  // Only what is asked for is tested, so that an index serves it.
  if (request.task_id) select.add(" AND t.task_id = ?", request.task_id->hex());
  if (!request.device_key.empty()) select.add(" AND t.device_key = ?", request.device_key);
  if (!request.agent.empty()) select.add(" AND a.agent = ?", request.agent);
  if (request.before_unix_ms != 0) select.add(" AND a.recorded_unix_ms < ?", request.before_unix_ms);
  if (!request.device.empty()) select.add(" AND a.device = ?", request.device);
  if (!request.lease_id.empty()) select.add(" AND a.lease = ?", request.lease_id);
  select.add(" GROUP BY t.trial");
  std::vector<Forgotten> trials;
  HONE_TRY(db.query(select.sql(), select.values(), [&trials](const sql::Row& row) {
    trials.push_back({row.integer(0), row.integer(1), row.integer(1) == row.integer(2)});
    return ok_status();
  }));
  return trials;
}

std::vector<Command> attempts_removal(const ForgetRequest& request, int64_t trial) {
  sql::StatementText attempts("DELETE FROM attempts WHERE trial = $1", {trial});
  if (!request.agent.empty()) attempts.add(" AND agent = ?", request.agent);
  if (request.before_unix_ms != 0) attempts.add(" AND recorded_unix_ms < ?", request.before_unix_ms);
  if (!request.device.empty()) attempts.add(" AND device = ?", request.device);
  if (!request.lease_id.empty()) attempts.add(" AND lease = ?", request.lease_id);
  return {attempts.command(), {"DELETE FROM trials WHERE trial = $1 AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.trial = trials.trial)", {trial}}};
}

Result<std::vector<int64_t>> trials_to_doubt(sql::Database& db, const Doubt& doubt) {
  std::vector<int64_t> trials;
  HONE_TRY(db.query("SELECT DISTINCT trial FROM attempts WHERE doubted = 0 AND enrolment = $1 AND device = $2 AND recorded_unix_ms > $3",
                    {doubt.enrolment, doubt.device, doubt.after_unix_ms}, [&trials](const sql::Row& row) {
                      trials.push_back(row.integer(0));
                      return ok_status();
                    }));
  return trials;
}

Command doubted_rows(const Doubt& doubt, int64_t trial) {
  return {"UPDATE attempts SET doubted = 1 WHERE doubted = 0 AND enrolment = $1 AND device = $2 AND recorded_unix_ms > $3 AND trial = $4",
          {doubt.enrolment, doubt.device, doubt.after_unix_ms, trial}};
}

}  // namespace hone::tuner
