#include "tuner/records/sqlite_store.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <numeric>
#include <tuple>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "tuner/measure/error_names.h"
#include "tuner/measure/hash_text.h"
#include "tuner/records/batch_writer.h"
#include "tuner/records/migrate.h"
#include "tuner/records/sqlite_db.h"
#include "tuner/records/trial_judge.h"

namespace hone::tuner {

namespace {

int64_t unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Status write_task(SqliteDb& db, const TaskInfo& task) {
  HONE_ASSIGN(insert, db.prepare("INSERT INTO tasks VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"));
  insert.bind(task.id.hex()).bind(task.name).bind(task.canonical_text).bind(task.flops).bind(unix_ms());
  return db.run(insert);
}

Status write_fingerprint(SqliteDb& db, const std::string& device_key, const std::string& json) {
  HONE_ASSIGN(insert, db.prepare("INSERT INTO fingerprints (device_key, json) VALUES (?, ?) ON CONFLICT DO NOTHING"));
  insert.bind(device_key).bind(json);
  return db.run(insert);
}

Status write_device(SqliteDb& db, const DeviceInfo& device) {
  HONE_ASSIGN(insert, db.prepare("INSERT INTO devices VALUES (?, ?, ?) ON CONFLICT DO NOTHING"));
  insert.bind(device.key).bind(device.target).bind(unix_ms());
  HONE_TRY(db.run(insert));
  return write_fingerprint(db, device.key, device.fingerprint_json);
}

Status write_job(SqliteDb& db, const JobInfo& job) {
  HONE_ASSIGN(insert, db.prepare("INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.bind(job.id).bind(job.kind).bind(job.state).bind(job.device_key).bind(job.request_json).bind(job.message);
  insert.bind(job.started_unix_ms).bind(job.ended_unix_ms);
  return db.run(insert);
}

// Little-endian in the database, as on every processor that hone runs on.
static_assert(std::endian::native == std::endian::little);
std::string_view bytes_of(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

std::vector<float> floats_from(const std::string& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

Status write_attempt(SqliteDb& db, const Record& r) {
  HONE_ASSIGN(
      insert,
      db.prepare(
          "INSERT INTO attempts SELECT trial, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
          "(SELECT fingerprint FROM fingerprints WHERE device_key = trials.device_key AND json = ?), ?, ?, ?, ?, ? "
          "FROM trials WHERE task_id = ? AND device_key = ? AND source_hash = ? ON CONFLICT DO NOTHING"));
  insert.bind(r.attempt).bind(r.job_id).bind(origin_name(r.origin)).bind(error_name(r.outcome)).bind(r.message);
  insert.bind(nlohmann::json(r.samples_us).dump())
      .bind(r.latency_us_median)
      .bind(r.method)
      .bind(r.clock_resolution_ns)
      .bind(r.repeats);
  insert.bind(r.create_ms)
      .bind(r.device_ms)
      .bind(r.max_error)
      .bind(r.reference_us)
      .bind(r.fingerprint_json)
      .bind(r.compiler_version);
  insert.bind(r.feature_version).bind(r.fence).bind(r.recorded_unix_ms ? r.recorded_unix_ms : unix_ms());
  insert.bind(r.predicted_us);
  insert.bind(r.task_id.hex()).bind(r.device_key).bind(r.source_hash.hex());
  return db.run(insert);
}

// A trial that has features already takes those of a newer version only.
Status write_trial(SqliteDb& db, const Record& r) {
  HONE_ASSIGN(trial, db.prepare("INSERT INTO trials (task_id, device_key, source_hash, trace_json, features, "
                                "feature_version) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                                "features = excluded.features, feature_version = excluded.feature_version "
                                "WHERE excluded.feature_version > trials.feature_version"));
  trial.bind(r.task_id.hex()).bind(r.device_key).bind(r.source_hash.hex()).bind(r.trace_json);
  trial.bind_blob(bytes_of(r.features)).bind(r.features.empty() ? 0 : r.feature_version);
  return db.run(trial);
}

Status write_record(SqliteDb& db, const Record& r) {
  HONE_TRY(write_trial(db, r));
  HONE_TRY(write_fingerprint(db, r.device_key, r.fingerprint_json));
  return write_attempt(db, r);
}

Status forget_trial(SqliteDb& db, const Hash& task_id, const std::string& device_key, const Hash& source) {
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

constexpr const char* kRecords =
    "SELECT t.task_id, t.device_key, t.source_hash, t.trace_json, a.attempt, a.job_id, a.origin, a.outcome, a.message, "
    "a.samples_us, "
    "a.latency_us_median, a.method, a.clock_resolution_ns, a.repeats, a.create_ms, a.device_ms, a.max_error, "
    "a.reference_us, f.json, "
    "a.compiler_version, a.feature_version, a.fence, a.recorded_unix_ms, a.predicted_us, "
    "CASE WHEN t.feature_version = a.feature_version THEN t.features END "
    "FROM attempts a JOIN trials t USING (trial) JOIN fingerprints f USING (fingerprint) WHERE TRUE";

// Only what is asked for is tested, so that an index serves it.
Result<SqliteStatement> select_records(SqliteDb& db, const RecordFilter& filter) {
  const std::pair<const char*, std::string> terms[] = {
      {" AND t.task_id = ?", filter.task_id ? filter.task_id->hex() : ""},
      {" AND t.device_key = ?", filter.device_key},
      {" AND a.job_id = ?", filter.job_id}};
  std::string sql = kRecords;
  for (const auto& [term, value] : terms) sql += value.empty() ? "" : term;
  HONE_ASSIGN(select, db.prepare(sql + " ORDER BY a.trial, a.attempt"));
  for (const auto& [term, value] : terms)
    if (!value.empty()) select.bind(value);
  return std::move(select);
}

constexpr const char* kSelectNeighbours =
    "SELECT t.task_id, k.flops, t.device_key FROM trials t JOIN devices d USING (device_key) JOIN tasks k USING "
    "(task_id) "
    "WHERE t.features IS NOT NULL AND t.feature_version = ?1 AND d.target = ?2 AND NOT (t.task_id = ?3 AND "
    "t.device_key = ?4) GROUP BY t.task_id, t.device_key "
    "ORDER BY t.task_id != ?3, t.device_key != ?4, MIN(t.trial) LIMIT ?5";

constexpr const char* kOfOneTrial =
    " AND t.task_id = ?1 AND t.device_key = ?2 AND t.source_hash = ?3 ORDER BY a.attempt";

std::vector<double> samples_from(const std::string& text) {
  auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<double> samples;
  if (!json.is_array()) return samples;
  for (const auto& value : json)
    if (value.is_number()) samples.push_back(value.get<double>());
  return samples;
}

// At most `max` of them, in their order: the fastest, and of the others every so manieth.
std::vector<KnownTrial> spread(std::vector<KnownTrial> trials, size_t max) {
  if (trials.size() <= max) return trials;
  std::vector<size_t> places(trials.size());
  std::iota(places.begin(), places.end(), 0);
  const auto others = places.begin() + kNeighbourFastest;
  const auto rank = [&trials](size_t at) { return std::tuple(trials[at].latency_us == 0, trials[at].latency_us, at); };
  std::partial_sort(places.begin(), others, places.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
  std::sort(others, places.end());
  std::vector<size_t> kept(places.begin(), others);
  const size_t wanted = max - kept.size(), there = trials.size() - kept.size();
  for (size_t i = 0; i < wanted; ++i) kept.push_back(others[static_cast<long>(i * there / wanted)]);
  std::sort(kept.begin(), kept.end());
  std::vector<KnownTrial> some;
  for (size_t place : kept) some.push_back(std::move(trials[place]));
  return some;
}

Record read_record(const SqliteStatement& row) {
  Record r;
  r.task_id = hash_from_hex(row.text(0));
  r.device_key = row.text(1);
  r.source_hash = hash_from_hex(row.text(2));
  r.trace_json = row.text(3);
  r.attempt = static_cast<int>(row.integer(4));
  r.job_id = row.text(5);
  parse_origin(row.text(6), &r.origin);
  r.outcome = error_from_name(row.text(7)).value_or(ErrorCode::kInternal);
  r.message = row.text(8);
  r.samples_us = samples_from(row.text(9));
  r.latency_us_median = row.real(10);
  r.method = row.text(11);
  r.clock_resolution_ns = row.real(12);
  r.repeats = static_cast<int>(row.integer(13));
  r.create_ms = row.real(14);
  r.device_ms = row.real(15);
  r.max_error = row.real(16);
  r.reference_us = row.real(17);
  r.fingerprint_json = row.text(18);
  r.compiler_version = row.text(19);
  r.feature_version = static_cast<int>(row.integer(20));
  r.fence = row.integer(21);
  r.recorded_unix_ms = row.integer(22);
  r.predicted_us = row.real(23);
  r.features = floats_from(row.blob(24));
  return r;
}

class SqliteStore final : public RecordStore {
 public:
  SqliteStore(std::string path, SqliteDb reader, SqliteDb writer, BatchWriter::Limits limits)
      : path_(std::move(path)), reader_(std::move(reader)), writer_(std::move(writer), limits) {}

  Status put_task(const TaskInfo& task) override {
    return writer_.run([&task](SqliteDb& db) { return write_task(db, task); });
  }
  Status put_device(const DeviceInfo& device) override {
    return writer_.run([&device](SqliteDb& db) { return write_device(db, device); });
  }
  Status put_job(const JobInfo& job) override {
    return writer_.run([&job](SqliteDb& db) { return write_job(db, job); });
  }

  void insert(Record record, Ack ack) override {
    writer_.post([record = std::move(record)](SqliteDb& db) { return write_record(db, record); },
                 [this, ack = std::move(ack)](Status status) {
                   if (!status.ok()) note_failure(status.error());
                   if (ack) ack(std::move(status));
                 });
  }

  Status flush() override {
    writer_.flush();
    std::lock_guard lock(mutex_);
    if (!failure_) return ok_status();
    Error error = std::move(*failure_);
    failure_.reset();
    return error;
  }

  Status forget(const Hash& task_id, const std::string& device_key, const std::vector<Hash>& sources) override {
    return writer_.run([&](SqliteDb& db) -> Status {
      for (const Hash& source : sources) HONE_TRY(forget_trial(db, task_id, device_key, source));
      return ok_status();
    });
  }

  Status compact() override {
    writer_.flush();
    HONE_ASSIGN(db, SqliteDb::open(path_));
    return db.execute("VACUUM");
  }

  Result<std::vector<KnownTrial>> known_trials(const Hash& task_id, const std::string& device_key) override {
    TrialJudge judge;
    HONE_TRY(list({.task_id = task_id, .device_key = device_key}, [&judge](const Record& record) {
      judge.add(record);
      return ok_status();
    }));
    return judge.take();
  }

  Result<std::optional<KnownTrial>> best_for(const Hash& task_id, const std::string& device_key) override {
    HONE_ASSIGN(trials, known_trials(task_id, device_key));
    std::optional<KnownTrial> best;
    for (KnownTrial& trial : trials)
      if (trial.candidate && trial.outcome == ErrorCode::kOk && (!best || trial.latency_us < best->latency_us))
        best = std::move(trial);
    return best;
  }

  Result<std::optional<KnownTrial>> naive_for(const Hash& task_id, const std::string& device_key) override {
    HONE_ASSIGN(trials, known_trials(task_id, device_key));
    std::optional<KnownTrial> naive;
    for (KnownTrial& trial : trials)
      if (trial.yardstick) naive = std::move(trial);
    return naive;
  }

  Result<std::vector<Neighbour>> neighbours(const std::string& target, int feature_version, const Hash& task_id,
                                            const std::string& device_key, int pairs_max) override {
    HONE_ASSIGN(pairs, neighbour_pairs(target, feature_version, task_id, device_key, pairs_max));
    std::vector<Neighbour> all;
    for (Neighbour& pair : pairs) {
      HONE_ASSIGN(trials, known_trials(pair.task_id, pair.device_key));
      std::erase_if(trials, [feature_version](const KnownTrial& t) {
        return !t.final || t.features.empty() || t.feature_version != feature_version;
      });
      pair.trials = spread(std::move(trials), kNeighbourTrialsMax);
      if (!pair.trials.empty()) all.push_back(std::move(pair));
    }
    return all;
  }

  Result<std::vector<TaskInfo>> tasks() override {
    std::vector<TaskInfo> all;
    HONE_TRY(query("SELECT task_id, name, canonical_text, flops FROM tasks ORDER BY rowid",
                   [&all](const SqliteStatement& row) {
                     all.push_back({hash_from_hex(row.text(0)), row.text(1), row.text(2), row.real(3)});
                   }));
    return all;
  }

  Result<std::vector<DeviceInfo>> devices() override {
    std::vector<DeviceInfo> all;
    HONE_TRY(
        query("SELECT device_key, target, json FROM devices JOIN fingerprints USING (device_key) ORDER BY fingerprint",
              [&all](const SqliteStatement& row) {
                all.push_back({row.text(0), row.text(1), row.text(2)});
              }));
    return all;
  }

  Result<std::vector<JobInfo>> jobs() override {
    std::vector<JobInfo> all;
    HONE_TRY(
        query("SELECT job_id, kind, state, device_key, request_json, message, started_unix_ms, ended_unix_ms FROM jobs "
              "ORDER BY started_unix_ms",
              [&all](const SqliteStatement& row) {
                all.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5),
                               row.integer(6), row.integer(7)});
              }));
    return all;
  }

  Status list(const RecordFilter& filter, const std::function<Status(const Record&)>& visit) override {
    std::lock_guard lock(mutex_);
    HONE_ASSIGN(select, select_records(reader_, filter));
    return visit_all(select, visit);
  }

  Result<std::optional<KnownTrial>> known_trial(const Hash& task_id, const std::string& device_key,
                                                const Hash& source) override {
    TrialJudge judge;
    std::lock_guard lock(mutex_);
    HONE_ASSIGN(select, reader_.prepare(cat(kRecords, kOfOneTrial)));
    select.bind(task_id.hex()).bind(device_key).bind(source.hex());
    HONE_TRY(visit_all(select, [&judge](const Record& record) {
      judge.add(record);
      return ok_status();
    }));
    std::vector<KnownTrial> found = judge.take();
    if (found.empty()) return std::optional<KnownTrial>();
    return std::optional(std::move(found.front()));
  }

 private:
  // Under mutex_.
  Status visit_all(SqliteStatement& select, const std::function<Status(const Record&)>& visit) {
    int code;
    while ((code = select.step()) == SQLITE_ROW) HONE_TRY(visit(read_record(select)));
    if (code != SQLITE_DONE) return reader_.error(code);
    return ok_status();
  }

  Result<std::vector<Neighbour>> neighbour_pairs(const std::string& target, int feature_version, const Hash& task_id,
                                                 const std::string& device_key, int pairs_max) {
    std::vector<Neighbour> pairs;
    std::lock_guard lock(mutex_);
    HONE_ASSIGN(select, reader_.prepare(kSelectNeighbours));
    select.bind(feature_version).bind(target).bind(task_id.hex()).bind(device_key).bind(pairs_max);
    HONE_TRY(read_rows(select, [&pairs](const SqliteStatement& row) {
      pairs.push_back({hash_from_hex(row.text(0)), row.real(1), row.text(2), {}});
    }));
    return pairs;
  }

  void note_failure(const Error& error) {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
  }

  Status query(std::string_view sql, const std::function<void(const SqliteStatement&)>& visit) {
    std::lock_guard lock(mutex_);
    HONE_ASSIGN(select, reader_.prepare(sql));
    return read_rows(select, visit);
  }

  Status read_rows(SqliteStatement& select, const std::function<void(const SqliteStatement&)>& visit) {
    int code;
    while ((code = select.step()) == SQLITE_ROW) visit(select);
    if (code != SQLITE_DONE) return reader_.error(code);
    return ok_status();
  }

  const std::string path_;
  std::mutex mutex_;  // reader_ and failure_
  SqliteDb reader_;
  std::optional<Error> failure_;
  BatchWriter writer_;  // last: its thread ends before the rest goes
};

}  // namespace

Result<std::unique_ptr<RecordStore>> open_sqlite_store(const SqliteStoreOptions& options) {
  HONE_ASSIGN(writer, SqliteDb::open(options.path));
  HONE_TRY(migrate(writer, "records", record_migrations(), options.path));
  if (options.pages_max > 0) HONE_TRY(writer.execute(cat("PRAGMA max_page_count=", options.pages_max)));
  HONE_ASSIGN(reader, SqliteDb::open(options.path));
  BatchWriter::Limits limits{.records_max = options.batch_records_max, .delay_ms = options.batch_delay_ms};
  return std::unique_ptr<RecordStore>(
      std::make_unique<SqliteStore>(options.path, std::move(reader), std::move(writer), limits));
}

}  // namespace hone::tuner
