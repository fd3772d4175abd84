#include "tuner/records/sqlite_store.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <thread>
#include <tuple>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "tuner/measure/error_names.h"
#include "tuner/measure/hash_text.h"
#include "tuner/records/combining_vfs.h"
#include "tuner/records/batch_writer.h"
#include "tuner/records/claims.h"
#include "tuner/records/cross_checks.h"
#include "tuner/records/limits.h"
#include "tuner/records/migrate.h"
#include "tuner/records/record_rows.h"
#include "base/sql/sqlite_db.h"
#include "tuner/records/trial_judge.h"

namespace hone::tuner {

namespace {

// A search asks for one task again and again; people ask for several.
std::pair<const char*, std::string> task_term(const RecordFilter& filter) {
  if (!filter.tasks) return {"", ""};
  if (filter.tasks->size() == 1) return {" AND t.task_id = ?", filter.tasks->begin()->hex()};
  nlohmann::json ids = nlohmann::json::array();
  for (const Hash& task : *filter.tasks) ids.push_back(task.hex());
  return {" AND t.task_id IN (SELECT value FROM json_each(?))", json_line(ids)};
}

constexpr const char* kOfRivals =
    " AND (t.task_id, t.device_key) IN (SELECT o.task_id, o.device_key FROM attempts b JOIN trials o USING (trial) "
    "WHERE b.job_id = ?)";

// Only what is asked for is tested, so that an index serves it.
Result<sql::SqliteStatement> select_records(sql::SqliteDb& db, const RecordFilter& filter) {
  const std::pair<const char*, std::string> terms[] = {
      task_term(filter),
      {" AND t.device_key = ?", filter.device_key},
      {filter.with_rivals ? kOfRivals : " AND a.job_id = ?", filter.job_id}};
  std::string sql = kSelectRecords;
  for (const auto& [term, value] : terms) sql += value.empty() ? "" : term;
  if (filter.after) sql += " AND (a.trial, a.attempt) > (?, ?)";
  HONE_ASSIGN(select, db.prepare(sql + " ORDER BY a.trial, a.attempt"));
  for (const auto& [term, value] : terms)
    if (!value.empty()) select.bind(value);
  if (filter.after) select.bind(filter.after->row).bind(filter.after->attempt);
  return std::move(select);
}

constexpr const char* kSelectNeighbours =
    "SELECT t.task_id, k.flops, t.device_key FROM trials t JOIN devices d USING (device_key) JOIN tasks k USING "
    "(task_id) "
    "WHERE t.features IS NOT NULL AND t.feature_version = ?1 AND d.target = ?2 AND NOT (t.task_id = ?3 AND "
    "t.device_key = ?4) GROUP BY t.task_id, t.device_key "
    "ORDER BY t.task_id != ?3, t.device_key != ?4, MIN(t.trial) LIMIT ?5";

constexpr const char* kSelectClaims =
    "SELECT t.source_hash, a.agent, a.origin, a.outcome, a.latency_us_median, a.enrolment, a.device, a.trusted, a.doubted, a.samples_us, "
    "a.reference_us FROM attempts a JOIN trials t USING (trial) WHERE t.task_id = ? AND t.device_key = ? AND a.cache = ? AND a.latency_us_median > 0";

constexpr const char* kOfOneTrial =
    " AND t.task_id = ?1 AND t.device_key = ?2 AND t.source_hash = ?3 ORDER BY a.attempt";

constexpr const char* kOfCheckedTrials =
    " AND a.trial IN (SELECT trial FROM attempts WHERE origin = 'check') AND t.device_key = ? ORDER BY a.trial, a.attempt";

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

double scatter_in(const std::string& samples_json) {
  auto samples = samples_from(samples_json);
  return samples.ok() ? scatter_of(std::move(*samples)) : 0;
}

Claim claim_of(const Record& record) {
  return {.source = record.source_hash,
          .who = witness_of(record),
          .origin = record.origin,
          .latency_us = record.latency_us_median,
          .scatter = scatter_of(record.samples_us),
          .reference_us = record.reference_us,
          .doubted = record.doubted};
}

constexpr int64_t kIncremental = 2;  // of PRAGMA auto_vacuum

Result<int64_t> number_of(sql::SqliteDb& db, const char* pragma) {
  HONE_ASSIGN(select, db.prepare(pragma));
  if (const int code = select.step(); code != SQLITE_ROW) return db.error(code);
  return select.integer(0);
}

// The report is added to where all of it is done: a piece is tried again alone where another in its transaction failed.
Status forget_some(sql::SqliteDb& db, const ForgetRequest& request, std::span<const Forgotten> trials, ForgetReport& report) {
  ForgetReport all;
  for (const Forgotten& one : trials) {
    HONE_ASSIGN(done, forget_attempts(db, request, one.trial));
    all += done;
  }
  report += all;
  return ok_status();
}

class SqliteStore final : public RecordStore {
 public:
  SqliteStore(std::string path, sql::SqliteDb reader, sql::SqliteDb writer, BatchWriter::Limits limits)
      : path_(std::move(path)), reader_(std::move(reader)), writer_(std::move(writer), limits) {}

  Status put_task(const TaskInfo& task) override {
    return writer_.run([&task](sql::SqliteDb& db) { return write_task(db, task); });
  }
  Status put_device(const DeviceInfo& device) override {
    return writer_.run([&device](sql::SqliteDb& db) { return write_device(db, device); });
  }
  Status put_job(const JobInfo& job) override {
    return writer_.run([&job](sql::SqliteDb& db) { return write_job(db, job); });
  }
  void put_label(DeviceLabel label) override {
    post([label = std::move(label)](sql::SqliteDb& db) { return write_label(db, label); });
  }

  void hold_lease(DeviceFence lease) override {
    post([lease = std::move(lease)](sql::SqliteDb& db) { return write_lease(db, lease); });
  }
  void end_lease(std::string lease_id) override {
    post([lease_id = std::move(lease_id)](sql::SqliteDb& db) { return tuner::end_lease(db, lease_id); });
  }

  void insert(Record record, Ack ack) override {
    struct Verdict {
      bool is_held = false, is_new = false;
    };
    auto verdict = std::make_shared<Verdict>();
    writer_.post(
        [record = std::move(record), verdict](sql::SqliteDb& db) -> Status {
          HONE_ASSIGN(held, is_held(db, record));
          *verdict = {.is_held = held};
          if (!held) return ok_status();  // the others of its transaction are none the worse
          HONE_ASSIGN(added, write_record(db, record));
          verdict->is_new = added;
          return ok_status();
        },
        [this, verdict, ack = std::move(ack)](Status status) {
          if (!status.ok()) note_failure(status.error());
          else if (!verdict->is_held) status = Error{ErrorCode::kStaleFence, "the lease of this result has ended; it is measured again"};
          else added_ += verdict->is_new;
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

  CommitReading commits() const override { return writer_.commits(); }

  // A page goes to the log, whether the number that it holds changes or not.
  void try_write() override {
    writer_.post(
        [](sql::SqliteDb& db) -> Status {
          HONE_ASSIGN(version, db.prepare("PRAGMA user_version"));
          version.step();
          return db.execute(cat("PRAGMA user_version=", version.integer(0)));
        },
        nullptr);
  }

  Status forget(const Hash& task_id, const std::string& device_key, const std::vector<Hash>& sources) override {
    for (size_t first = 0; first < sources.size(); first += kForgetTrials) {
      const std::span<const Hash> some(sources.data() + first, std::min(kForgetTrials, sources.size() - first));
      HONE_TRY(in_turns([&](sql::SqliteDb& db) -> Status {
        for (const Hash& source : some) HONE_TRY(forget_trial(db, task_id, device_key, source));
        return ok_status();
      }));
    }
    return ok_status();
  }

  Status rename_device(const std::string& from, const std::string& to) override {
    return writer_.run([&](sql::SqliteDb& db) { return rename_device_key(db, from, to); });
  }

  Status compact() override {
    writer_.flush();
    HONE_ASSIGN(db, sql::SqliteDb::open(path_));
    HONE_ASSIGN(mode, number_of(db, "PRAGMA auto_vacuum"));
    // A database of an older hone: nobody else writes meanwhile, this once.
    if (mode != kIncremental) return db.execute("PRAGMA auto_vacuum=INCREMENTAL; VACUUM");
    for (;;) {
      HONE_ASSIGN(free_pages, number_of(db, "PRAGMA freelist_count"));
      if (free_pages == 0) return ok_status();
      HONE_TRY(in_turns([](sql::SqliteDb& own) { return own.execute(cat("PRAGMA incremental_vacuum(", kVacuumPages, ")")); }));
    }
  }

  Result<std::vector<KnownTrial>> known_trials(const Hash& task_id, const std::string& device_key) override {
    TrialJudge judge;
    HONE_TRY(list({.tasks = std::set{task_id}, .device_key = device_key}, [&judge](const Record& record) {
      judge.add(record);
      return ok_status();
    }));
    return judge.take();
  }

  Result<std::optional<KnownTrial>> best_for(const Hash& task_id, const std::string& device_key) override {
    HONE_ASSIGN(trials, known_trials(task_id, device_key));
    return best_of(trials);
  }

  Result<std::optional<KnownTrial>> naive_for(const Hash& task_id, const std::string& device_key) override {
    HONE_ASSIGN(trials, known_trials(task_id, device_key));
    return yardstick_of(trials);
  }

  Result<std::vector<Neighbour>> neighbours(const std::string& target, int feature_version, const Hash& task_id,
                                            const std::string& device_key, int pairs_max) override {
    HONE_ASSIGN(pairs, neighbour_pairs(target, feature_version, task_id, device_key, pairs_max));
    std::vector<Neighbour> all;
    for (Neighbour& pair : pairs) {
      HONE_ASSIGN(trials, known_trials(pair.task_id, pair.device_key));
      std::erase_if(trials, [feature_version](const KnownTrial& t) {
        return !t.final || t.features.empty() || t.feature_version != feature_version || is_timed_elsewhere(t);
      });
      pair.trials = spread(std::move(trials), kNeighbourTrialsMax);
      if (!pair.trials.empty()) all.push_back(std::move(pair));
    }
    return all;
  }

  Result<ForgetReport> forget(const ForgetRequest& request) override {
    writer_.flush();
    HONE_ASSIGN(db, sql::SqliteDb::open(path_));
    HONE_ASSIGN(trials, trials_to_forget(db, request));
    ForgetReport report;
    if (request.only_count) {
      for (const Forgotten& one : trials) report += {one.attempts, one.whole};
      return report;
    }
    for (size_t first = 0; first < trials.size(); first += kForgetTrials) {
      const std::span<const Forgotten> some(trials.data() + first, std::min(kForgetTrials, trials.size() - first));
      HONE_TRY(in_turns([&](sql::SqliteDb& own) { return forget_some(own, request, some, report); }));
    }
    return report;
  }

  Result<std::vector<TaskInfo>> tasks() override {
    std::vector<TaskInfo> all;
    HONE_TRY(query("SELECT task_id, name, canonical_text, flops FROM tasks ORDER BY rowid",
                   [&all, this](const sql::SqliteStatement& row) {
                     TaskInfo task{hash_from_hex(row.text(0)), row.text(1), row.text(2), row.real(3)};
                     if (!task.id.empty() && std::isfinite(task.flops) && task.flops >= 0)
                       all.push_back(std::move(task));
                     else
                       note_damage(cat("task ", row.text(0)), cat("a task whose id is '", row.text(0).substr(0, 32),
                                                                  "', with ", number_text(task.flops), " flops"));
                   }));
    return all;
  }

  Result<std::vector<std::string>> agents() override {
    std::vector<std::string> all;
    HONE_TRY(query("SELECT DISTINCT agent FROM attempts WHERE agent != '' ORDER BY agent",
                   [&all](const sql::SqliteStatement& row) { all.push_back(row.text(0)); }));
    return all;
  }

  Result<std::vector<std::string>> measured_devices(const std::string& device_key) override {
    std::vector<std::string> all;
    std::lock_guard lock(mutex_);
    HONE_ASSIGN(select, reader_.prepare("SELECT DISTINCT a.device FROM attempts a JOIN trials t USING (trial) WHERE a.device != '' AND "
                                        "a.agent NOT LIKE 'import:%' AND (?1 = '' OR t.device_key = ?1) ORDER BY a.device"));
    select.bind(device_key);
    HONE_TRY(read_rows(select, [&all](const sql::SqliteStatement& row) { all.push_back(row.text(0)); }));
    return all;
  }

  Result<std::vector<CrossCheck>> cross_checks(const std::string& device_key) override {
    CrossChecks checks;
    std::lock_guard lock(mutex_);
    HONE_ASSIGN(select, reader_.prepare(cat(kSelectRecords, kOfCheckedTrials)));
    select.bind(device_key);
    HONE_TRY(read_records(select, [&checks](const Record& record) {
      checks.add(record);
      return ok_status();
    }));
    return checks.take();
  }

  Result<int64_t> doubt(const Doubt& doubt) override {
    writer_.flush();
    HONE_ASSIGN(db, sql::SqliteDb::open(path_));
    HONE_ASSIGN(trials, trials_to_doubt(db, doubt));
    int64_t marked = 0;
    for (size_t first = 0; first < trials.size(); first += kForgetTrials) {
      const std::span<const int64_t> some(trials.data() + first, std::min(kForgetTrials, trials.size() - first));
      int64_t now = 0;
      HONE_TRY(in_turns([&](sql::SqliteDb& own) -> Status {
        now = 0;
        for (const int64_t trial : some) {
          HONE_ASSIGN(one, doubt_attempts(own, doubt, trial));
          now += one;
        }
        return ok_status();
      }));
      marked += now;
    }
    return marked;
  }

  int64_t added() const override { return added_; }

  Damage damage() const override {
    std::lock_guard lock(mutex_);
    return {static_cast<int>(damaged_.size()), first_damage_};
  }

  Result<std::vector<DeviceInfo>> devices() override {
    std::vector<DeviceInfo> all;
    HONE_TRY(
        query("SELECT device_key, target, json FROM devices JOIN fingerprints USING (device_key) ORDER BY fingerprint",
              [&all](const sql::SqliteStatement& row) {
                all.push_back({row.text(0), row.text(1), row.text(2)});
              }));
    return all;
  }

  Result<std::vector<JobInfo>> jobs() override {
    std::vector<JobInfo> all;
    HONE_TRY(
        query("SELECT job_id, kind, state, device_key, request_json, message, started_unix_ms, ended_unix_ms FROM jobs "
              "ORDER BY started_unix_ms",
              [&all](const sql::SqliteStatement& row) {
                all.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5),
                               row.integer(6), row.integer(7)});
              }));
    return all;
  }

  Result<std::vector<Reference>> references(const std::string& device_key) override {
    std::vector<Reference> all;
    std::lock_guard lock(mutex_);
    HONE_ASSIGN(select,
                reader_.prepare("SELECT a.device, a.compiler_version, a.reference_us FROM attempts a JOIN trials t "
                                "USING (trial) WHERE t.device_key = ? AND a.reference_us > 0"));
    select.bind(device_key);
    HONE_TRY(read_rows(select, [&all](const sql::SqliteStatement& row) {
      if (std::isfinite(row.real(2))) all.push_back({row.text(0), row.text(1), row.real(2)});
    }));
    return all;
  }

  Result<std::vector<DeviceLabel>> labels() override {
    std::vector<DeviceLabel> all;
    HONE_TRY(query("SELECT device, label FROM device_labels ORDER BY device", [&all](const sql::SqliteStatement& row) {
      all.push_back({row.text(0), row.text(1)});
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
    HONE_ASSIGN(select, reader_.prepare(cat(kSelectRecords, kOfOneTrial)));
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
  using ClaimsOf =
      std::map<std::tuple<Hash, std::string, CacheState>, Claims>;  // by task, device key, and the times' state

  // One of many pieces of tidying, after which another process's writer finds the lock free for as long as the piece took.
  Status in_turns(BatchWriter::Write piece) {
    const auto began = std::chrono::steady_clock::now();
    HONE_TRY(writer_.run(std::move(piece)));
    std::this_thread::sleep_for(std::chrono::steady_clock::now() - began);
    return ok_status();
  }

  void post(BatchWriter::Write write) {
    writer_.post(std::move(write), [this](Status status) {
      if (!status.ok()) note_failure(status.error());
    });
  }

  // Under mutex_.
  Status visit_all(sql::SqliteStatement& select, const std::function<Status(const Record&)>& visit) {
    ClaimsOf claims;
    return read_records(select, [&](Record& record) -> Status {
      HONE_TRY(judge(record, claims));
      return visit(record);
    });
  }

  // Likewise; not judged.
  Status read_records(sql::SqliteStatement& select, const std::function<Status(Record&)>& visit) {
    RecordReader rows;
    int code;
    while ((code = select.step()) == SQLITE_ROW) {
      auto record = rows.read(select);
      if (!record.ok()) {
        note_damage(cat(select.integer(kTrialColumn), "/", select.integer(kAttemptColumn)), record.error().message);
        continue;
      }
      HONE_TRY(visit(*record));
    }
    if (code != SQLITE_DONE) return reader_.error(code);
    return ok_status();
  }

  // Whether its time is believed, beside what others say of the task.
  Status judge(Record& record, ClaimsOf& all) {
    if (!gives_time(record.origin, record.outcome, record.latency_us_median)) return ok_status();
    const std::tuple key(record.task_id, record.device_key, record.cache);
    auto found = all.find(key);
    if (found == all.end()) {
      HONE_ASSIGN(claims, claims_of(record.task_id, record.device_key, record.cache));
      found = all.emplace(key, std::move(claims)).first;
    }
    record.standing = found->second.standing(claim_of(record));
    return ok_status();
  }

  Result<Claims> claims_of(const Hash& task_id, const std::string& device_key, CacheState cache) {
    HONE_ASSIGN(about, reader_.prepare("SELECT (SELECT target FROM devices WHERE device_key = ?), "
                                       "(SELECT flops FROM tasks WHERE task_id = ?)"));
    if (int code = about.bind(device_key).bind(task_id.hex()).step(); code != SQLITE_ROW) return reader_.error(code);
    Claims claims(about.text(0), about.real(1));
    HONE_ASSIGN(select, reader_.prepare(kSelectClaims));
    select.bind(task_id.hex()).bind(device_key).bind(cache_name(cache));
    HONE_TRY(read_rows(select, [&claims](const sql::SqliteStatement& row) {
      Claim claim{.source = hash_from_hex(row.text(0)),
                  .who = {row.text(1), row.text(5), row.text(6), row.integer(7) == 1},
                  .latency_us = row.real(4),
                  .scatter = scatter_in(row.text(9)),
                  .reference_us = row.real(10),
                  .doubted = row.integer(8) == 1};
      const bool known = parse_origin(row.text(2), &claim.origin);
      const ErrorCode outcome = error_from_name(row.text(3)).value_or(ErrorCode::kInternal);
      if (known && claim.latency_us <= kTimeUsMax && gives_time(claim.origin, outcome, claim.latency_us))
        claims.add(claim);
    }));
    return claims;
  }

  void note_damage(const std::string& place, const std::string& what) {
    if (damaged_.size() >= kDamageNotedMax || !damaged_.insert(place).second || !first_damage_.empty()) return;
    first_damage_ = what;
  }

  Result<std::vector<Neighbour>> neighbour_pairs(const std::string& target, int feature_version, const Hash& task_id,
                                                 const std::string& device_key, int pairs_max) {
    std::vector<Neighbour> pairs;
    std::lock_guard lock(mutex_);
    HONE_ASSIGN(select, reader_.prepare(kSelectNeighbours));
    select.bind(feature_version).bind(target).bind(task_id.hex()).bind(device_key).bind(pairs_max);
    HONE_TRY(read_rows(select, [&pairs](const sql::SqliteStatement& row) {
      pairs.push_back({hash_from_hex(row.text(0)), row.real(1), row.text(2), {}});
    }));
    return pairs;
  }

  void note_failure(const Error& error) {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
  }

  Status query(std::string_view sql, const std::function<void(const sql::SqliteStatement&)>& visit) {
    std::lock_guard lock(mutex_);
    HONE_ASSIGN(select, reader_.prepare(sql));
    return read_rows(select, visit);
  }

  Status read_rows(sql::SqliteStatement& select, const std::function<void(const sql::SqliteStatement&)>& visit) {
    int code;
    while ((code = select.step()) == SQLITE_ROW) visit(select);
    if (code != SQLITE_DONE) return reader_.error(code);
    return ok_status();
  }

  const std::string path_;
  mutable std::mutex mutex_;  // what follows, but for the writer
  sql::SqliteDb reader_;
  std::set<std::string> damaged_;  // the places of rows that were left out
  std::string first_damage_;
  std::optional<Error> failure_;
  std::atomic<int64_t> added_ = 0;
  BatchWriter writer_;  // last: its thread ends before the rest goes
};

}  // namespace

Result<std::unique_ptr<RecordStore>> open_sqlite_store(const SqliteStoreOptions& options) {
  HONE_ASSIGN(writer, sql::SqliteDb::open(options.path, options.durable ? combining_vfs() : nullptr));
  if (options.durable) HONE_TRY(writer.renew_log());
  HONE_TRY(migrate(writer, "records", record_migrations(), options.path));
  HONE_TRY(writer.execute(cat("PRAGMA cache_size=-", kWriterCacheKiB)));
  if (!options.durable) HONE_TRY(writer.execute("PRAGMA synchronous=OFF"));
  if (options.pages_max > 0) HONE_TRY(writer.execute(cat("PRAGMA max_page_count=", options.pages_max)));
  writer.wait_while_locked(options.busy_wait);
  HONE_ASSIGN(reader, sql::SqliteDb::open(options.path));
  BatchWriter::Limits limits{.records_max = options.batch_records_max, .delay_ms = options.batch_delay_ms};
  return std::unique_ptr<RecordStore>(
      std::make_unique<SqliteStore>(options.path, std::move(reader), std::move(writer), limits));
}

}  // namespace hone::tuner
