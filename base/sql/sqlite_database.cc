#include "base/sql/sqlite_database.h"

#include <optional>

#include "base/cat.h"
#include "base/sql/checkpointer.h"
#include "base/sql/combining_vfs.h"
#include "base/sql/sqlite_db.h"

namespace hone::sql {

namespace {

class SqliteRow final : public Row {
 public:
  explicit SqliteRow(const SqliteStatement& statement) : statement_(statement) {}
  std::string text(int column) const override { return statement_.text(column); }
  std::string bytes(int column) const override { return statement_.blob(column); }
  int64_t integer(int column) const override { return statement_.integer(column); }
  double real(int column) const override { return statement_.real(column); }

 private:
  const SqliteStatement& statement_;
};

constexpr int kIncremental = 2;  // of PRAGMA auto_vacuum

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(SqliteDb db, bool moves_log_beside) : db_(std::move(db)) {
    if (!moves_log_beside) return;
    checkpointer_.emplace(db_.path());
    db_.on_commit(&on_commit_);
  }

  const std::string& name() const override { return db_.path(); }

  Status commit(const std::vector<Command>& commands) override {
    return transaction([&]() -> Status {
      HONE_ASSIGN(changed, run(commands));
      return ok_status();
    });
  }

  Result<std::vector<int64_t>> run(const std::vector<Command>& commands) override {
    std::vector<int64_t> changed;
    for (const Command& command : commands) {
      HONE_ASSIGN(rows, run_one(command));
      changed.push_back(rows);
    }
    return changed;
  }

  Status query(const char* sql, const std::vector<Value>& values, const OnRow& on_row) override {
    HONE_ASSIGN(statement, bound(sql, values));
    int code = SQLITE_OK;
    Status status = ok_status();
    while (status.ok() && (code = statement->step()) == SQLITE_ROW) status = on_row(SqliteRow(*statement));
    if (status.ok() && code != SQLITE_DONE) status = db_.error(code);
    statement->reset();  // the log cannot begin anew while a row is read
    return status;
  }

  Status execute(const std::string& sql) override { return db_.execute(sql); }

  Status transaction(const std::function<Status()>& step) override {
    HONE_TRY(db_.execute("BEGIN IMMEDIATE"));
    Status status = step();
    if (status.ok()) status = db_.execute("COMMIT");
    if (!status.ok()) (void)db_.execute("ROLLBACK");  // fails harmlessly where SQLite rolled back by itself
    return status;
  }

  Status exclusive(const std::function<Status()>& step) override { return transaction(step); }

  void tidy() override {
    if (checkpointer_ && checkpointer_->take_rest()) db_.checkpoint();
  }

  Result<bool> give_back_some() override {
    HONE_ASSIGN(mode, number_of("PRAGMA auto_vacuum"));
    // A database of an older hone: nobody else writes meanwhile, this once.
    if (mode != kIncremental) HONE_TRY(db_.execute("PRAGMA auto_vacuum=INCREMENTAL; VACUUM"));
    HONE_ASSIGN(free_pages, number_of("PRAGMA freelist_count"));
    if (free_pages == 0) return false;
    HONE_TRY(db_.execute(cat("PRAGMA incremental_vacuum(", kVacuumPages, ")")));
    return true;
  }

  void wait_while_away(std::chrono::milliseconds wait) override { db_.wait_while_locked(wait); }

  std::string elements_of(const std::string& parameter) const override { return cat("SELECT value FROM json_each(", parameter, ")"); }

  Status check_tables(const std::vector<std::string>& names) override {
    for (const std::string& one : names)
      HONE_TRY(query("SELECT type FROM sqlite_master WHERE name = $1 AND type <> 'table'", {one}, [&](const Row& row) -> Status {
        return Error{ErrorCode::kVersionMismatch, cat("the database ", name(), " was not made by hone: ", one, " is a ", row.text(0), ", not a table; restore a copy, or give another --db")};
      }));
    return ok_status();
  }

 private:
  Result<int64_t> number_of(const char* pragma) {
    int64_t number = 0;
    HONE_TRY(query(pragma, {}, [&number](const Row& row) { return number = row.integer(0), ok_status(); }));
    return number;
  }

  Result<SqliteStatement*> bound(const char* sql, const std::vector<Value>& values) {
    HONE_ASSIGN(statement, db_.kept(sql));
    for (size_t i = 0; i < values.size(); ++i)
      std::visit([&, number = static_cast<int>(i) + 1](const auto& value) { statement->bind_numbered(number, value); }, values[i]);
    return statement;
  }

  Result<int64_t> run_one(const Command& command) {
    HONE_ASSIGN(statement, bound(command.sql, command.values));
    int64_t rows = 0;
    int code = SQLITE_OK;
    while ((code = statement->step()) == SQLITE_ROW) ++rows;
    if (!statement->only_reads()) rows = db_.changes();
    const Status status = code == SQLITE_DONE ? ok_status() : Status(db_.error(code));
    statement->reset();
    HONE_TRY(status);
    if (command.unless_changed && rows == 0) return *command.unless_changed;
    return rows;
  }

  SqliteDb db_;
  std::optional<Checkpointer> checkpointer_;  // below what it moves the log of
  std::function<void(int)> on_commit_ = [this](int pages) { checkpointer_->log_has(pages); };
};

}  // namespace

Result<std::unique_ptr<Database>> open_sqlite(const std::string& path, const SqliteOptions& options) {
  HONE_ASSIGN(db, SqliteDb::open(path, options.busy && options.durable ? combining_vfs() : nullptr));
  if (options.busy && options.durable) HONE_TRY(db.renew_log());
  if (options.busy) HONE_TRY(db.execute(cat("PRAGMA cache_size=-", kWriterCacheKiB)));
  if (!options.durable) HONE_TRY(db.execute("PRAGMA synchronous=OFF"));
  if (options.pages_max > 0) HONE_TRY(db.execute(cat("PRAGMA max_page_count=", options.pages_max)));
  return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(std::move(db), options.busy));
}

}  // namespace hone::sql
