#include "base/sql/postgres_database.h"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/cat.h"
#include "base/sql/postgres_connection.h"

namespace hone::sql {

namespace {

constexpr int64_t kSchemaLock = 0x686f6e65;  // "hone": the advisory lock of `exclusive`, of this database alone
using Clock = std::chrono::steady_clock;
// Between two tries to connect: of a server on the same machine that starts anew, and of many clients' one (policy).
constexpr std::chrono::milliseconds kReconnectFirst{20}, kReconnectMost{1'000};
constexpr int kAttempts = 3;                 // of what was asked for when the connection was gone

class PostgresRow final : public Row {
 public:
  PostgresRow(const pg_result& result, int row) : result_(result), row_(row) {}
  std::string text(int column) const override {
    return std::string(PQgetvalue(&result_, row_, column), static_cast<size_t>(PQgetlength(&result_, row_, column)));
  }
  std::string bytes(int column) const override {
    size_t size = 0;
    const std::unique_ptr<unsigned char, decltype(&PQfreemem)> read(PQunescapeBytea(reinterpret_cast<const unsigned char*>(PQgetvalue(&result_, row_, column)), &size), &PQfreemem);
    return read ? std::string(reinterpret_cast<const char*>(read.get()), size) : std::string();
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
    return until_done([&]() -> Status {
      HONE_ASSIGN(changed, send(all));
      return ok_status();
    });
  }

  Result<std::vector<int64_t>> run(const std::vector<Command>& commands) override {
    if (commands.empty()) return std::vector<int64_t>();
    HONE_TRY(connect());
    return send(commands);
  }

  Status transaction(const std::function<Status()>& step) override {
    return until_done([&] { return within("BEGIN", step); });
  }

  Status query(const char* sql, const std::vector<Value>& values, const OnRow& on_row) override {
    Status status = ok_status();
    bool told = false;  // no row is told twice
    for (int i = 0; i < (in_transaction_ ? 1 : kAttempts); ++i) {
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
    const Status status = within(cat("BEGIN; SELECT pg_advisory_xact_lock(", kSchemaLock, ")"), step);
    if (status.ok()) return connection_->send({{"COMMIT", {}}}, committed);
    roll_back();
    return status;
  }

  void tidy() override {}
  Result<bool> give_back_some() override { return false; }  // autovacuum does
  void wait_while_away(std::chrono::milliseconds wait) override { wait_ = wait; }
  std::string elements_of(const std::string& parameter) const override { return cat("SELECT json_array_elements_text(CAST(", parameter, " AS JSON))"); }
  Status check_tables(const std::vector<std::string>&) override { return ok_status(); }  // who may create something there may do as much anyway

 private:
  Status connect() {
    if (connection_->is_open()) return ok_status();
    if (in_transaction_) return Error{ErrorCode::kBusy, cat("the connection to the database ", name_, " broke; it is opened again")};
    const auto until = Clock::now() + wait_;
    for (auto pause = kReconnectFirst;; pause = std::min(2 * pause, kReconnectMost)) {
      auto opened = PostgresConnection::open(url_);
      if (opened.ok()) return connection_ = std::move(*opened), ok_status();
      if (Clock::now() + pause > until) return Error{ErrorCode::kBusy, opened.error().message};  // it was there before, and is there again some time
      std::this_thread::sleep_for(pause);
    }
  }

  Status within(const std::string& begin, const std::function<Status()>& step) {
    HONE_TRY(connection_->execute(begin));
    in_transaction_ = true;
    Status status = step();
    in_transaction_ = false;
    return status;
  }

  void roll_back() {
    if (connection_->is_open()) (void)connection_->execute("ROLLBACK");
  }

  // A transaction, from BEGIN to before its COMMIT: done again where nothing of it was done, for the connection was gone, or the server gave it up for another one's sake. That other one
  // goes on, so that of all who wait for each other somebody always does; which one it is, is chance.
  Status until_done(const std::function<Status()>& attempt) {
    const auto until = Clock::now() + kConflictsMax;
    for (int broken = 0;;) {
      HONE_TRY(connect());
      const Status status = attempt();
      if (status.ok()) return connection_->send({{"COMMIT", {}}}, committed);  // whether it did, where this fails, nobody knows
      const bool conflict = connection_->was_conflict();
      roll_back();
      if (status.error().code == ErrorCode::kTimeout) return status;
      if (conflict && Clock::now() < until) continue;
      if (connection_->is_open() || ++broken == kAttempts) return status;
    }
  }

  Result<std::vector<int64_t>> send(const std::vector<Command>& commands) {
    std::vector<int64_t> changed;
    HONE_TRY(connection_->send(commands, [&changed](const Command& command, const pg_result& result) -> Status {
      changed.push_back(std::atoll(PQcmdTuples(const_cast<pg_result*>(&result))));
      if (command.unless_changed && changed.back() == 0) return *command.unless_changed;
      return ok_status();
    }));
    return changed;
  }

  // The server answers COMMIT of a transaction that had failed with ROLLBACK, and no error.
  static Status committed(const Command&, const pg_result& result) {
    if (std::strcmp(PQcmdStatus(const_cast<pg_result*>(&result)), "COMMIT") == 0) return ok_status();
    return Error{ErrorCode::kInternal, "a transaction of the database had failed, and was to be committed"};
  }

  const std::string url_, name_;
  std::unique_ptr<PostgresConnection> connection_;
  bool in_transaction_ = false;
  std::chrono::milliseconds wait_{0};
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
