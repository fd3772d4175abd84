#include "base/sql/postgres_database.h"

#include <libpq-fe.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/cat.h"
#include "base/sql/postgres_connection.h"

namespace hone::sql {

namespace {

constexpr int64_t kSchemaLock = 0x686f6e65;  // "hone": the advisory lock of `exclusive`, of this database alone
constexpr int kAttempts = 3;                 // of a transaction that the server gave up for another one's sake, or whose connection was gone

class PostgresRow final : public Row {
 public:
  PostgresRow(const pg_result& result, int row) : result_(result), row_(row) {}
  std::string text(int column) const override {
    return std::string(PQgetvalue(&result_, row_, column), static_cast<size_t>(PQgetlength(&result_, row_, column)));
  }
  int64_t integer(int column) const override { return number<int64_t>(column); }
  double real(int column) const override { return number<double>(column); }

 private:
  template <class Number>
  Number number(int column) const {
    const char* const begin = PQgetvalue(&result_, row_, column);
    Number value = 0;
    std::from_chars(begin, begin + PQgetlength(&result_, row_, column), value);
    return value;
  }

  const pg_result& result_;
  const int row_;
};

class PostgresDatabase final : public Database {
 public:
  PostgresDatabase(std::string url, std::unique_ptr<PostgresConnection> connection)
      : url_(std::move(url)), name_(connection->name()), connection_(std::move(connection)) {}

  const std::string& name() const override { return name_; }

  Status commit(const std::vector<Command>& commands) override {
    if (commands.empty()) return ok_status();
    std::vector<Command> all{{"BEGIN", {}}};
    all.insert(all.end(), commands.begin(), commands.end());
    Status status = ok_status();
    for (int i = 0; i < kAttempts; ++i) {
      HONE_TRY(connect());
      status = write(all);
      if (status.ok()) return connection_->send({{"COMMIT", {}}}, committed);  // whether it did, where this fails, nobody knows
      if (connection_->is_open()) (void)connection_->execute("ROLLBACK");
      if (status.error().code == ErrorCode::kTimeout || (connection_->is_open() && !connection_->was_conflict())) return status;
    }
    return status;
  }

  Status query(const char* sql, const std::vector<Value>& values, const OnRow& on_row) override {
    Status status = ok_status();
    bool told = false;  // no row is told twice
    for (int i = 0; i < (in_exclusive_ ? 1 : kAttempts); ++i) {
      HONE_TRY(connect());
      status = connection_->send({{sql, values}}, [&](const Command&, const pg_result& result) -> Status {
        told = true;
        for (int row = 0; row < PQntuples(&result); ++row) HONE_TRY(on_row(PostgresRow(result, row)));
        return ok_status();
      });
      if (status.ok() || told || connection_->is_open() || status.error().code == ErrorCode::kTimeout) return status;
    }
    return status;
  }

  Status execute(const std::string& sql) override {
    HONE_TRY(connect());
    return connection_->execute(sql);
  }

  Status exclusive(const std::function<Status()>& step) override {
    HONE_TRY(connect());
    HONE_TRY(connection_->execute(cat("BEGIN; SELECT pg_advisory_xact_lock(", kSchemaLock, ")")));
    in_exclusive_ = true;
    const Status status = step();
    in_exclusive_ = false;
    if (status.ok()) return connection_->send({{"COMMIT", {}}}, committed);
    if (connection_->is_open()) (void)connection_->execute("ROLLBACK");
    return status;
  }

 private:
  Status connect() {
    if (connection_->is_open()) return ok_status();
    if (in_exclusive_) return Error{ErrorCode::kBusy, cat("the connection to the database ", name_, " broke; it is opened again")};
    auto opened = PostgresConnection::open(url_);
    if (!opened.ok()) return Error{ErrorCode::kBusy, opened.error().message};  // it was there before, and is there again some time
    connection_ = std::move(*opened);
    return ok_status();
  }

  Status write(const std::vector<Command>& commands) {
    return connection_->send(commands, [](const Command& command, const pg_result& result) -> Status {
      if (command.unless_changed && std::strcmp(PQcmdTuples(const_cast<pg_result*>(&result)), "0") == 0) return *command.unless_changed;
      return ok_status();
    });
  }

  // The server answers COMMIT of a transaction that had failed with ROLLBACK, and no error.
  static Status committed(const Command&, const pg_result& result) {
    if (std::strcmp(PQcmdStatus(const_cast<pg_result*>(&result)), "COMMIT") == 0) return ok_status();
    return Error{ErrorCode::kInternal, "a transaction of the database had failed, and was to be committed"};
  }

  const std::string url_, name_;
  std::unique_ptr<PostgresConnection> connection_;
  bool in_exclusive_ = false;
};

Status check_url(const std::string& url) {
  char* why = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfoParse(url.c_str(), &why), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> kept(why, &PQfreemem);
  if (!options) {
    std::string line = why ? why : "out of memory";
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return Error{ErrorCode::kInvalidArgument, cat("--db is no URL of a PostgreSQL database: ", line, "; expected postgresql://user@host/name")};
  }
  for (const PQconninfoOption* one = options.get(); one->keyword; ++one)
    if (one->val && std::strstr(one->keyword, "password"))
      return Error{ErrorCode::kInvalidArgument, "the URL of --db holds a password, and everybody on this machine can read it there; put it into ~/.pgpass or PGPASSWORD, and leave it out"};
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<Database>> open_postgres(const std::string& url) {
  HONE_TRY(check_url(url));
  HONE_ASSIGN(connection, PostgresConnection::open(url));
  return std::unique_ptr<Database>(std::make_unique<PostgresDatabase>(url, std::move(connection)));
}

}  // namespace hone::sql
