#include "tuner/records/job_store.h"

#include <chrono>

#include "base/cat.h"
#include "tuner/measure/error_names.h"
#include "tuner/records/batch_writer.h"
#include "base/sql/sqlite_db.h"

namespace hone::tuner {

namespace {

constexpr const char* kSelectSubmissions =
    "SELECT job_id, place, user, kind, source, target, priority, detached, request_json, model_sha256, state, outcome, message, "
    "result_json, starts, spent_s, submitted_unix_ms, started_unix_ms, ended_unix_ms, payload_bytes, user_devices_max FROM submissions ";

int64_t unix_ms_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A name that is none stands only in a database that somebody edited.
std::optional<ErrorCode> outcome_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return error_from_name(name).value_or(ErrorCode::kInternal);
}

Submission submission_of(const sql::SqliteStatement& row) {
  return {.id = row.text(0), .place = row.integer(1), .user = row.text(2), .kind = row.text(3), .source = row.text(4), .target = row.text(5),
          .priority = row.integer(6), .detached = row.integer(7) != 0, .request_json = row.text(8), .model_sha256 = row.text(9),
          .state = row.text(10), .outcome = outcome_named(row.text(11)), .message = row.text(12), .result_json = row.text(13),
          .starts = static_cast<int>(row.integer(14)), .spent_s = row.real(15), .submitted_unix_ms = row.integer(16),
          .started_unix_ms = row.integer(17), .ended_unix_ms = row.integer(18), .payload_bytes = row.integer(19), .user_devices_max = row.integer(20)};
}

Status remove_old(sql::SqliteDb& db, const std::string& user) {
  HONE_ASSIGN(many, db.prepare("DELETE FROM submissions WHERE user = ?1 AND ended_unix_ms > 0 AND place <= (SELECT place FROM submissions WHERE "
                               "user = ?1 AND ended_unix_ms > 0 ORDER BY place DESC LIMIT 1 OFFSET ?2)"));
  HONE_TRY(db.run(many.bind(user).bind(kEndedSubmissionsKept)));
  HONE_ASSIGN(old, db.prepare("DELETE FROM submissions WHERE ended_unix_ms BETWEEN 1 AND ?"));
  return db.run(old.bind(unix_ms_now() - kEndedSubmissionKeptMs));
}

Status write_submission(sql::SqliteDb& db, const Submission& s) {
  HONE_ASSIGN(insert, db.prepare("INSERT OR REPLACE INTO submissions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.bind(s.id).bind(s.place).bind(s.user).bind(s.kind).bind(s.source).bind(s.target).bind(s.priority).bind(int{s.detached});
  insert.bind(s.request_json).bind(s.model_sha256).bind(s.state).bind(s.outcome ? error_name(*s.outcome) : "").bind(s.message);
  insert.bind(s.result_json.size() <= kResultBytesKept ? s.result_json : "").bind(s.starts).bind(s.spent_s);
  insert.bind(s.submitted_unix_ms).bind(s.started_unix_ms).bind(s.ended_unix_ms).bind(s.payload_bytes).bind(s.user_devices_max);
  HONE_TRY(db.run(insert));
  return s.ended_unix_ms > 0 ? remove_old(db, s.user) : ok_status();
}

Status read_rows(sql::SqliteDb& db, sql::SqliteStatement select, std::vector<Submission>& rows) {
  rows.clear();  // a piece of writing beside it may have failed, and it is tried again
  int code = SQLITE_OK;
  while ((code = select.step()) == SQLITE_ROW) rows.push_back(submission_of(select));
  return code == SQLITE_DONE ? ok_status() : Status(db.error(code));
}

class SqliteJobStore final : public JobStore {
 public:
  explicit SqliteJobStore(sql::SqliteDb db) : writer_(std::move(db), {}) {}

  void put(Submission submission, Ack ack) override {
    writer_.post([s = std::move(submission)](sql::SqliteDb& db) { return write_submission(db, s); }, std::move(ack));
  }
  void find(std::string id, Told told) override {
    read([id = std::move(id)](sql::SqliteDb& db) -> Result<sql::SqliteStatement> {
      HONE_ASSIGN(select, db.prepare(cat(kSelectSubmissions, "WHERE job_id = ?")));
      select.bind(id);
      return std::move(select);
    }, std::move(told));
  }
  void list(std::optional<std::string> user, int64_t before, size_t count_max, Told told) override {
    read([user = std::move(user), before, count_max](sql::SqliteDb& db) -> Result<sql::SqliteStatement> {
      HONE_ASSIGN(select, db.prepare(cat(kSelectSubmissions, "WHERE ", user ? "user = ?" : "?1 = ''", before > 0 ? " AND place < ?" : " AND ? = 0",
                                         " ORDER BY place DESC LIMIT ?")));
      select.bind(user.value_or("")).bind(before).bind(static_cast<int64_t>(count_max));
      return std::move(select);
    }, std::move(told));
  }
  Result<Loaded> load() override {
    Loaded loaded;
    HONE_TRY(writer_.run([&loaded](sql::SqliteDb& db) -> Status {
      HONE_ASSIGN(open, db.prepare(cat(kSelectSubmissions, "WHERE ended_unix_ms = 0 ORDER BY place")));
      HONE_TRY(read_rows(db, std::move(open), loaded.open));
      HONE_ASSIGN(last, db.prepare("SELECT COALESCE(MAX(place), 0) FROM submissions"));
      if (const int code = last.step(); code != SQLITE_ROW) return db.error(code);
      loaded.next_place = last.integer(0) + 1;
      return ok_status();
    }));
    return loaded;
  }

 private:
  // Among the pieces of writing, and so behind those that came before.
  void read(std::function<Result<sql::SqliteStatement>(sql::SqliteDb&)> select, Told told) {
    auto rows = std::make_shared<std::vector<Submission>>();
    writer_.post(
        [rows, select = std::move(select)](sql::SqliteDb& db) -> Status {
          HONE_ASSIGN(statement, select(db));
          return read_rows(db, std::move(statement), *rows);
        },
        [rows, told = std::move(told)](const Status& status) {
          if (status.ok()) told(std::move(*rows));
          else told(status.error());
        });
  }

  BatchWriter writer_;
};

}  // namespace

Result<std::unique_ptr<JobStore>> open_job_store(const std::string& path, int64_t pages_max) {
  HONE_ASSIGN(db, sql::SqliteDb::open(path));
  if (pages_max > 0) HONE_TRY(db.execute(cat("PRAGMA max_page_count=", pages_max)));
  return std::unique_ptr<JobStore>(std::make_unique<SqliteJobStore>(std::move(db)));
}

}  // namespace hone::tuner
