#include "tuner/records/sql_store.h"

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
#include "base/sql/migrate.h"
#include "base/sql/statement_text.h"
#include "tuner/measure/error_names.h"
#include "tuner/measure/hash_text.h"
#include "tuner/records/batch_writer.h"
#include "tuner/records/claims.h"
#include "tuner/records/cross_checks.h"
#include "tuner/records/limits.h"
#include "tuner/records/record_reader.h"
#include "tuner/records/record_rows.h"
#include "tuner/records/trial_judge.h"

namespace hone::tuner {

namespace {

constexpr const char* kOfRivals =
    " AND (t.task_id, t.device_key) IN (SELECT o.task_id, o.device_key FROM attempts b JOIN trials o USING (trial) WHERE b.job_id = ?)";

// Only what is asked for is tested, so that an index serves it. A search asks for one task again and again; people ask for several.
sql::StatementText select_records(const sql::Database& db, const RecordFilter& filter) {
  sql::StatementText select(kSelectRecords);
  if (filter.tasks && filter.tasks->size() == 1) {
    select.add(" AND t.task_id = ?", filter.tasks->begin()->hex());
  } else if (filter.tasks) {
    nlohmann::json ids = nlohmann::json::array();
    for (const Hash& task : *filter.tasks) ids.push_back(task.hex());
    select.add(cat(" AND t.task_id IN (", db.elements_of("?"), ")"), json_line(ids));
  }
  if (!filter.device_key.empty()) select.add(" AND t.device_key = ?", filter.device_key);
  if (!filter.job_id.empty()) select.add(filter.with_rivals ? kOfRivals : " AND a.job_id = ?", filter.job_id);
  return select;
}

constexpr const char* kSelectNeighbours =
    "SELECT t.task_id, k.flops, t.device_key FROM trials t JOIN devices d USING (device_key) JOIN tasks k USING "
    "(task_id) "
    "WHERE t.features IS NOT NULL AND t.feature_version = $1 AND d.target = $2 AND NOT (t.task_id = $3 AND "
    "t.device_key = $4) GROUP BY t.task_id, t.device_key, k.flops "
    "ORDER BY t.task_id <> $3, t.device_key <> $4, MIN(t.trial) LIMIT $5";

constexpr const char* kSelectClaims =
    "SELECT t.source_hash, a.agent, a.origin, a.outcome, a.latency_us_median, a.enrolment, a.device, a.trusted, a.doubted, a.samples_us, "
    "a.reference_us FROM attempts a JOIN trials t USING (trial) WHERE t.task_id = $1 AND t.device_key = $2 AND a.cache = $3 AND a.latency_us_median > 0";

constexpr const char* kOfCheckedTrials = " AND a.trial IN (SELECT trial FROM attempts WHERE origin = 'check') AND t.device_key = ?";

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

Result<ForgetReport> forget_some(sql::Database& db, const ForgetRequest& request, std::span<const Forgotten> trials) {
  std::vector<sql::Command> all;
  for (const Forgotten& one : trials)
    for (sql::Command& command : attempts_removal(request, one.trial)) all.push_back(std::move(command));
  HONE_ASSIGN(changed, db.run(all));
  ForgetReport report;
  for (size_t i = 0; i < changed.size(); i += 2) report += {changed[i], changed[i + 1]};
  return report;
}

class SqlStore final : public RecordStore {
 public:
  SqlStore(const StoreOptions& options, std::unique_ptr<sql::Database> reader, std::unique_ptr<sql::Database> writer)
      : where_(options.where), server_(options.server), reader_(std::move(reader)),
        writer_(std::move(writer), {.records_max = options.batch_records_max, .delay_ms = options.batch_delay_ms, .busy_wait = options.busy_wait}) {}

  Status put_task(const TaskInfo& task) override {
    return writer_.run([&task] { return Statements{.commands = {task_row(task)}}; });
  }
  Status put_device(const DeviceInfo& device) override {
    return writer_.run([&device] { return Statements{.commands = device_rows(device)}; });
  }
  Status put_job(const JobInfo& job) override {
    JobInfo own = job;
    own.server = server_;
    return writer_.run([&own] { return Statements{.commands = job_rows(own)}; });
  }
  void put_label(DeviceLabel label) override {
    post([label = std::move(label)] { return Statements{.commands = label_rows(label)}; });
  }

  void hold_lease(DeviceFence lease) override {
    post([lease = std::move(lease)] { return Statements{.commands = {lease_row(lease)}}; });
  }
  void end_lease(std::string lease_id) override {
    post([lease_id = std::move(lease_id)] { return Statements{.commands = ended_lease_rows(lease_id)}; });
  }

  void insert(Record record, Ack ack) override {
    struct Verdict {
      bool is_held = false, is_new = false;
    };
    auto verdict = std::make_shared<Verdict>();
    writer_.post(
        [record = std::move(record), verdict] {
          return Statements{.guard = record.fenced ? std::optional(lease_guard(record)) : std::nullopt,
                            .shared = {fingerprint_row(record.device_key, record.fingerprint_json)},
                            .commands = record_rows(record),
                            .told = [verdict](bool held, std::span<const int64_t> changed) { *verdict = {held, held && changed.back() > 0}; }};
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

  // The label of no device comes and goes. An update that changes nothing would not do: SQLite writes no page for it.
  void try_write() override {
    writer_.post(
        [] {
          return Statements{.commands = {{"INSERT INTO device_labels (device, label) VALUES ('', '') ON CONFLICT DO NOTHING", {}}, {"DELETE FROM device_labels WHERE device = ''", {}}}};
        },
        nullptr);
  }

  Status forget(const Hash& task_id, const std::string& device_key, const std::vector<Hash>& sources) override {
    for (size_t first = 0; first < sources.size(); first += kForgetTrials) {
      const std::span<const Hash> some(sources.data() + first, std::min(kForgetTrials, sources.size() - first));
      HONE_TRY(in_turns([&](sql::Database& db) -> Status {
        for (const Hash& source : some) HONE_TRY(db.run(trial_removal(task_id, device_key, source)));
        return ok_status();
      }));
    }
    return ok_status();
  }

  Status rename_device(const std::string& from, const std::string& to) override {
    // Records before it and behind it share no row that it takes away.
    return writer_.run_step([&](sql::Database& db) -> Status {
      HONE_TRY(db.run(renamed_device_rows(from, to)));
      return ok_status();
    });
  }

  Status compact() override {
    writer_.flush();
    HONE_ASSIGN(db, sql::open_database(where_));
    for (bool more = true; more;)
      HONE_TRY(resting([&]() -> Status {
        HONE_ASSIGN(given, db->give_back_some());
        more = given;
        return ok_status();
      }));
    return ok_status();
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
    HONE_ASSIGN(db, sql::open_database(where_));
    HONE_ASSIGN(trials, trials_to_forget(*db, request));
    ForgetReport report;
    if (request.only_count) {
      for (const Forgotten& one : trials) report += {one.attempts, one.whole};
      return report;
    }
    for (size_t first = 0; first < trials.size(); first += kForgetTrials) {
      const std::span<const Forgotten> some(trials.data() + first, std::min(kForgetTrials, trials.size() - first));
      ForgetReport now;  // a piece is done again where another one in its transaction failed
      HONE_TRY(in_turns([&](sql::Database& own) -> Status {
        HONE_ASSIGN(done, forget_some(own, request, some));
        now = done;
        return ok_status();
      }));
      report += now;
    }
    return report;
  }

  Result<std::vector<TaskInfo>> tasks() override {
    std::vector<TaskInfo> all;
    HONE_TRY(query("SELECT task_id, name, canonical_text, flops FROM tasks ORDER BY rowid", {}, [&all, this](const sql::Row& row) {
      TaskInfo task{hash_from_hex(row.text(0)), row.text(1), row.text(2), row.real(3)};
      if (!task.id.empty() && std::isfinite(task.flops) && task.flops >= 0) all.push_back(std::move(task));
      else
        note_damage(cat("task ", row.text(0)),
                    cat("a task whose id is '", row.text(0).substr(0, 32), "', with ", number_text(task.flops), " flops"));
    }));
    return all;
  }

  Result<std::vector<std::string>> agents() override { return texts("SELECT DISTINCT agent FROM attempts WHERE agent <> '' ORDER BY agent", {}); }

  Result<std::vector<std::string>> measured_devices(const std::string& device_key) override {
    return texts("SELECT DISTINCT a.device FROM attempts a JOIN trials t USING (trial) WHERE a.device <> '' AND a.agent NOT LIKE 'import:%' AND "
                 "($1 = '' OR t.device_key = $1) ORDER BY a.device",
                 {device_key});
  }

  Result<std::vector<CrossCheck>> cross_checks(const std::string& device_key) override {
    CrossChecks checks;
    std::lock_guard lock(mutex_);
    sql::StatementText select(kSelectRecords);
    HONE_TRY(read_records(select.add(kOfCheckedTrials, device_key), {}, [&checks](const Record& record) {
      checks.add(record);
      return ok_status();
    }));
    return checks.take();
  }

  Result<int64_t> doubt(const Doubt& doubt) override {
    writer_.flush();
    HONE_ASSIGN(db, sql::open_database(where_));
    HONE_ASSIGN(trials, trials_to_doubt(*db, doubt));
    int64_t marked = 0;
    for (size_t first = 0; first < trials.size(); first += kForgetTrials) {
      std::vector<sql::Command> marks;
      for (size_t i = first; i < std::min(first + kForgetTrials, trials.size()); ++i) marks.push_back(doubted_rows(doubt, trials[i]));
      int64_t now = 0;  // a piece is done again where another one in its transaction failed
      HONE_TRY(in_turns([&](sql::Database& own) -> Status {
        HONE_ASSIGN(changed, own.run(marks));
        now = std::accumulate(changed.begin(), changed.end(), int64_t{0});
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
    HONE_TRY(query("SELECT device_key, target, json FROM devices JOIN fingerprints USING (device_key) ORDER BY fingerprint", {},
                   [&all](const sql::Row& row) { all.push_back({row.text(0), row.text(1), row.text(2)}); }));
    return all;
  }

  Result<std::vector<JobInfo>> jobs() override {
    std::vector<JobInfo> all;
    HONE_TRY(query("SELECT job_id, kind, state, device_key, request_json, message, started_unix_ms, ended_unix_ms, server FROM jobs ORDER BY started_unix_ms", {},
                   [&all](const sql::Row& row) {
                     all.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5), row.integer(6), row.integer(7), row.text(8)});
                   }));
    return all;
  }

  Result<std::vector<Reference>> references(const std::string& device_key) override {
    std::vector<Reference> all;
    HONE_TRY(query("SELECT a.device, a.compiler_version, a.reference_us FROM attempts a JOIN trials t USING (trial) WHERE t.device_key = $1 AND a.reference_us > 0",
                   {device_key}, [&all](const sql::Row& row) {
                     if (std::isfinite(row.real(2))) all.push_back({row.text(0), row.text(1), row.real(2)});
                   }));
    return all;
  }

  Result<std::vector<DeviceLabel>> labels() override {
    std::vector<DeviceLabel> all;
    HONE_TRY(query("SELECT device, label FROM device_labels ORDER BY device", {}, [&all](const sql::Row& row) { all.push_back({row.text(0), row.text(1)}); }));
    return all;
  }

  Status list(const RecordFilter& filter, const std::function<Status(const Record&)>& visit) override {
    std::lock_guard lock(mutex_);
    return visit_all(select_records(*reader_, filter), filter.after, visit);
  }

  Result<std::optional<KnownTrial>> known_trial(const Hash& task_id, const std::string& device_key,
                                                const Hash& source) override {
    TrialJudge judge;
    std::lock_guard lock(mutex_);
    sql::StatementText select(kSelectRecords);
    select.add(" AND t.task_id = ?", task_id.hex()).add(" AND t.device_key = ?", device_key).add(" AND t.source_hash = ?", source.hex());
    HONE_TRY(visit_all(select, {}, [&judge](const Record& record) {
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
  static Status resting(const std::function<Status()>& piece) {
    const auto began = std::chrono::steady_clock::now();
    HONE_TRY(piece());
    std::this_thread::sleep_for(std::chrono::steady_clock::now() - began);
    return ok_status();
  }
  Status in_turns(BatchWriter::Step piece) {
    return resting([&] { return writer_.run_step(std::move(piece)); });
  }

  void post(BatchWriter::Make make) {
    writer_.post(std::move(make), [this](Status status) {
      if (!status.ok()) note_failure(status.error());
    });
  }

  // Under mutex_.
  Status visit_all(const sql::StatementText& select, const std::optional<RecordPlace>& after, const std::function<Status(const Record&)>& visit) {
    ClaimsOf claims;
    return read_records(select, after, [&](Record& record) -> Status {
      HONE_TRY(judge(record, claims));
      return visit(record);
    });
  }

  // Likewise; not judged. An answer is whole before its records are visited, and while they are, no row is being read.
  Status read_records(const sql::StatementText& select, std::optional<RecordPlace> after, const std::function<Status(Record&)>& visit) {
    RecordReader rows;
    for (;;) {
      sql::StatementText page = select;
      if (after) page.add(" AND (a.trial, a.attempt) > (?", after->row).add(", ?)", int64_t{after->attempt});
      page.add(" ORDER BY a.trial, a.attempt LIMIT ?", int64_t{kRecordsRead});
      std::vector<Record> records;
      int count = 0;
      HONE_TRY(reader_->query(page.sql(), page.values(), [&](const sql::Row& row) -> Status {
        ++count;
        after = {.row = row.integer(kTrialColumn), .attempt = static_cast<int>(row.integer(kAttemptColumn))};
        if (auto record = rows.read(row); record.ok()) records.push_back(std::move(*record));
        else note_damage(cat(row.integer(kTrialColumn), "/", row.integer(kAttemptColumn)), record.error().message);
        return ok_status();
      }));
      for (Record& record : records) HONE_TRY(visit(record));
      if (count < kRecordsRead) return ok_status();
    }
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
    std::optional<Claims> claims;
    HONE_TRY(read_rows("SELECT (SELECT target FROM devices WHERE device_key = $1), (SELECT flops FROM tasks WHERE task_id = $2)", {device_key, task_id.hex()},
                       [&claims](const sql::Row& row) { claims.emplace(row.text(0), row.real(1)); }));
    HONE_TRY(read_rows(kSelectClaims, {task_id.hex(), device_key, std::string(cache_name(cache))}, [&claims](const sql::Row& row) {
      Claim claim{.source = hash_from_hex(row.text(0)),
                  .who = {row.text(1), row.text(5), row.text(6), row.integer(7) == 1},
                  .latency_us = row.real(4),
                  .scatter = scatter_in(row.text(9)),
                  .reference_us = row.real(10),
                  .doubted = row.integer(8) == 1};
      const bool known = parse_origin(row.text(2), &claim.origin);
      const ErrorCode outcome = error_from_name(row.text(3)).value_or(ErrorCode::kInternal);
      if (known && claim.latency_us <= kTimeUsMax && gives_time(claim.origin, outcome, claim.latency_us)) claims->add(claim);
    }));
    return std::move(*claims);
  }

  void note_damage(const std::string& place, const std::string& what) {
    if (damaged_.size() >= kDamageNotedMax || !damaged_.insert(place).second || !first_damage_.empty()) return;
    first_damage_ = what;
  }

  Result<std::vector<Neighbour>> neighbour_pairs(const std::string& target, int feature_version, const Hash& task_id,
                                                 const std::string& device_key, int pairs_max) {
    std::vector<Neighbour> pairs;
    HONE_TRY(query(kSelectNeighbours, {int64_t{feature_version}, target, task_id.hex(), device_key, int64_t{pairs_max}},
                   [&pairs](const sql::Row& row) { pairs.push_back({hash_from_hex(row.text(0)), row.real(1), row.text(2), {}}); }));
    return pairs;
  }

  void note_failure(const Error& error) {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
  }

  using Visit = std::function<void(const sql::Row&)>;
  Status query(const char* sql, const std::vector<sql::Value>& values, const Visit& visit) {
    std::lock_guard lock(mutex_);
    return read_rows(sql, values, visit);
  }

  // Under mutex_.
  Status read_rows(const char* sql, const std::vector<sql::Value>& values, const Visit& visit) {
    return reader_->query(sql, values, [&visit](const sql::Row& row) { return visit(row), ok_status(); });
  }

  Result<std::vector<std::string>> texts(const char* sql, const std::vector<sql::Value>& values) {
    std::vector<std::string> all;
    HONE_TRY(query(sql, values, [&all](const sql::Row& row) { all.push_back(row.text(0)); }));
    return all;
  }

  const std::string where_, server_;
  mutable std::mutex mutex_;  // what follows, but for the writer
  const std::unique_ptr<sql::Database> reader_;
  std::set<std::string> damaged_;  // the places of rows that were left out
  std::string first_damage_;
  std::optional<Error> failure_;
  std::atomic<int64_t> added_ = 0;
  BatchWriter writer_;  // last: its thread ends before the rest goes
};

}  // namespace

Result<std::unique_ptr<RecordStore>> open_record_store(const StoreOptions& options) {
  HONE_ASSIGN(writer, sql::open_database(options.where, {.busy = true, .durable = options.durable, .pages_max = options.pages_max}));
  HONE_TRY(sql::migrate(*writer, "records", sql::is_postgres(options.where) ? record_postgres_migrations() : record_migrations()));
  writer->wait_while_away(options.busy_wait);
  HONE_ASSIGN(reader, sql::open_database(options.where));
  if (sql::is_postgres(options.where)) reader->wait_while_away(options.busy_wait);
  return std::unique_ptr<RecordStore>(std::make_unique<SqlStore>(options, std::move(reader), std::move(writer)));
}

}  // namespace hone::tuner
