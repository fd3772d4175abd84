#include "tuner/records/job_store.h"

#include <chrono>

#include "base/cat.h"
#include "tuner/measure/error_names.h"
#include "tuner/records/batch_writer.h"
#include "base/sql/statement_text.h"

namespace hone::tuner {

namespace {

constexpr const char* kSelectSubmissions =
    "SELECT job_id, place, \"user\", kind, source, target, priority, detached, request_json, model_sha256, state, outcome, message, "
    "result_json, starts, spent_s, submitted_unix_ms, started_unix_ms, ended_unix_ms, payload_bytes, user_devices_max FROM submissions WHERE server = $1";

int64_t unix_ms_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A name that is none stands only in a database that somebody edited.
std::optional<ErrorCode> outcome_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return error_from_name(name).value_or(ErrorCode::kInternal);
}

Submission submission_of(const sql::Row& row) {
  return {.id = row.text(0), .place = row.integer(1), .user = row.text(2), .kind = row.text(3), .source = row.text(4), .target = row.text(5),
          .priority = row.integer(6), .detached = row.integer(7) != 0, .request_json = row.text(8), .model_sha256 = row.text(9),
          .state = row.text(10), .outcome = outcome_named(row.text(11)), .message = row.text(12), .result_json = row.text(13),
          .starts = static_cast<int>(row.integer(14)), .spent_s = row.real(15), .submitted_unix_ms = row.integer(16),
          .started_unix_ms = row.integer(17), .ended_unix_ms = row.integer(18), .payload_bytes = row.integer(19), .user_devices_max = row.integer(20)};
}

// Those of this user beyond what is kept, and what is too old.
std::vector<sql::Command> removals(const std::string& server, const std::string& user) {
  return {{"DELETE FROM submissions WHERE server = $1 AND \"user\" = $2 AND ended_unix_ms > 0 AND place <= (SELECT place FROM submissions WHERE server = $1 AND "
           "\"user\" = $2 AND ended_unix_ms > 0 ORDER BY place DESC LIMIT 1 OFFSET $3)",
           {server, user, int64_t{kEndedSubmissionsKept}}},
          {"DELETE FROM submissions WHERE server = $1 AND ended_unix_ms BETWEEN 1 AND $2", {server, unix_ms_now() - kEndedSubmissionKeptMs}}};
}

std::vector<sql::Command> rows_of(const std::string& server, const Submission& s) {
  std::vector<sql::Command> rows{
      {"DELETE FROM submissions WHERE job_id = $1", {s.id}},
      {"INSERT INTO submissions (job_id, place, \"user\", kind, source, target, priority, detached, request_json, model_sha256, state, outcome, message, result_json, starts, "
       "spent_s, submitted_unix_ms, started_unix_ms, ended_unix_ms, payload_bytes, user_devices_max, server) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, "
       "$14, $15, $16, $17, $18, $19, $20, $21, $22)",
       {s.id, s.place, s.user, s.kind, s.source, s.target, s.priority, int64_t{s.detached}, s.request_json, s.model_sha256, s.state,
        std::string(s.outcome ? error_name(*s.outcome) : ""), s.message, s.result_json.size() <= kResultBytesKept ? s.result_json : "", int64_t{s.starts}, s.spent_s,
        s.submitted_unix_ms, s.started_unix_ms, s.ended_unix_ms, s.payload_bytes, s.user_devices_max, server}}};
  if (s.ended_unix_ms > 0)
    for (sql::Command& removal : removals(server, s.user)) rows.push_back(std::move(removal));
  return rows;
}

Status read_rows(sql::Database& db, const sql::StatementText& select, std::vector<Submission>& rows) {
  rows.clear();  // a piece of writing beside it may have failed, and it is tried again
  return db.query(select.sql(), select.values(), [&rows](const sql::Row& row) {
    rows.push_back(submission_of(row));
    return ok_status();
  });
}

class SqlJobStore final : public JobStore {
 public:
  SqlJobStore(std::unique_ptr<sql::Database> db, std::string server) : server_(std::move(server)), writer_(std::move(db), {}) {}

  void put(Submission submission, Ack ack) override {
    writer_.post([s = std::move(submission), this] { return Statements{.commands = rows_of(server_, s)}; }, std::move(ack));
  }
  void find(std::string id, Told told) override { read(all().add(" AND job_id = ?", std::move(id)), std::move(told)); }
  void list(std::optional<std::string> user, int64_t before, size_t count_max, Told told) override {
    sql::StatementText select = all();
    if (user) select.add(" AND \"user\" = ?", *user);
    if (before > 0) select.add(" AND place < ?", before);
    read(select.add(" ORDER BY place DESC LIMIT ?", static_cast<int64_t>(count_max)), std::move(told));
  }
  Result<Loaded> load() override {
    Loaded loaded;
    HONE_TRY(writer_.run_step([&loaded, this](sql::Database& db) -> Status {
      HONE_TRY(read_rows(db, all().add(" AND ended_unix_ms = 0 ORDER BY place"), loaded.open));
      return db.query("SELECT COALESCE(MAX(place), 0) FROM submissions WHERE server = $1", {server_}, [&loaded](const sql::Row& row) {
        loaded.next_place = row.integer(0) + 1;
        return ok_status();
      });
    }));
    return loaded;
  }

 private:
  sql::StatementText all() const { return sql::StatementText(kSelectSubmissions, {server_}); }

  // Among the pieces of writing, and so behind those that came before.
  void read(sql::StatementText select, Told told) {
    auto rows = std::make_shared<std::vector<Submission>>();
    writer_.post_step([rows, select = std::move(select)](sql::Database& db) { return read_rows(db, select, *rows); },
                      [rows, told = std::move(told)](const Status& status) {
                        if (status.ok()) told(std::move(*rows));
                        else told(status.error());
                      });
  }

  const std::string server_;
  BatchWriter writer_;
};

}  // namespace

Result<std::unique_ptr<JobStore>> open_job_store(const std::string& where, const std::string& server, int64_t pages_max) {
  HONE_ASSIGN(db, sql::open_database(where, {.pages_max = pages_max}));
  return std::unique_ptr<JobStore>(std::make_unique<SqlJobStore>(std::move(db), server));
}

}  // namespace hone::tuner
