#include "base/sql/sqlite_database.h"

#include "base/cat.h"
#include "base/sql/sqlite_db.h"

namespace hone::sql {

namespace {

class SqliteRow final : public Row {
 public:
  explicit SqliteRow(const SqliteStatement& statement) : statement_(statement) {}
  std::string text(int column) const override { return statement_.text(column); }
  int64_t integer(int column) const override { return statement_.integer(column); }
  double real(int column) const override { return statement_.real(column); }

 private:
  const SqliteStatement& statement_;
};

class SqliteDatabase final : public Database {
 public:
  explicit SqliteDatabase(SqliteDb db) : db_(std::move(db)) {}

  const std::string& name() const override { return db_.path(); }

  Status commit(const std::vector<Command>& commands) override {
    return exclusive([&]() -> Status {
      for (const Command& command : commands) HONE_TRY(run(command));
      return ok_status();
    });
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

  Status exclusive(const std::function<Status()>& step) override {
    HONE_TRY(db_.execute("BEGIN IMMEDIATE"));
    Status status = step();
    if (status.ok()) status = db_.execute("COMMIT");
    if (!status.ok()) (void)db_.execute("ROLLBACK");
    return status;
  }

 private:
  Result<SqliteStatement*> bound(const char* sql, const std::vector<Value>& values) {
    HONE_ASSIGN(statement, db_.kept(sql));
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string parameter = cat("$", i + 1);
      std::visit([&](const auto& value) { statement->bind_named(parameter, value); }, values[i]);
    }
    return statement;
  }

  Status run(const Command& command) {
    HONE_ASSIGN(statement, bound(command.sql, command.values));
    const Status status = db_.run(*statement);
    statement->reset();
    if (status.ok() && command.unless_changed && db_.changes() == 0) return *command.unless_changed;
    return status;
  }

  SqliteDb db_;
};

}  // namespace

Result<std::unique_ptr<Database>> open_sqlite(const std::string& path) {
  HONE_ASSIGN(db, SqliteDb::open(path));
  return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(std::move(db)));
}

}  // namespace hone::sql
