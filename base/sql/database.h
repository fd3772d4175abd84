// Database: one SQL database behind one interface: SQLite in a file, or PostgreSQL. One thread at a time per object.
//
// What is said to it is written in what both understand: parameters $1, $2, …; whole numbers, texts and double precision; ON CONFLICT; "user" in quotes.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace hone::sql {

struct Bytes {  // BLOB, BYTEA
  std::string bytes;
  auto operator<=>(const Bytes&) const = default;
};
using Null = std::monostate;
using Value = std::variant<int64_t, double, std::string, Bytes, Null>;

// One statement of a transaction. Its text outlives the database: it is prepared once.
struct Command {
  const char* sql;
  std::vector<Value> values;
  std::optional<Error> unless_changed = std::nullopt;  // where no row changed, or none was found, the transaction fails with it
};

// A row of an answer; columns from 0. NULL, and what is no number: "", no bytes, 0.
class Row {
 public:
  virtual ~Row() = default;
  virtual std::string text(int column) const = 0;
  virtual std::string bytes(int column) const = 0;
  virtual int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
};
using OnRow = std::function<Status(const Row&)>;

// Errors are one sentence each, with the database's name and what to do: disk_full; busy (another one has the lock, or a server that was there takes nobody now, or broke the connection);
// version_mismatch; timeout (it answers nothing); io_error. Of what was to be committed when a connection broke, or nothing was answered, nobody knows whether it came to the disk.
class Database {
 public:
  virtual ~Database() = default;
  virtual const std::string& name() const = 0;  // for people; without a password
  // All or nothing; on disk when it returns.
  virtual Status commit(const std::vector<Command>& commands) = 0;
  // All that `step` runs, queries and executes, or nothing; on disk when it returns. `step` commits nothing, and is called again where a server gave the transaction up for another one's sake, or
  // its connection broke. Where it fails with busy or timeout, all of it may be done all the same.
  virtual Status transaction(const std::function<Status()>& step) = 0;
  // Within a transaction, in one round trip and in order: how many rows each of them changed or found.
  virtual Result<std::vector<int64_t>> run(const std::vector<Command>& commands) = 0;
  // Until on_row fails, which is then what fails. The statement's text as a Command's.
  virtual Status query(const char* sql, const std::vector<Value>& values, const OnRow& on_row) = 0;
  // Several statements without parameters or answers, each by itself unless within `exclusive`.
  virtual Status execute(const std::string& sql) = 0;
  // As transaction, while nobody else is in such a one.
  virtual Status exclusive(const std::function<Status()>& step) = 0;
  // What it does for itself between two transactions, for whose sake nobody is to wait.
  virtual void tidy() = 0;
  // Gives some of the space of what was deleted back to the disk; false: there is no more, or the server does it by itself. Others write before, in between and behind.
  virtual Result<bool> give_back_some() = 0;
  // How long it is waited for a database that nobody can use just now: a file that another process has locked (kBusyWait from the start), a server that is away (none from the start).
  virtual void wait_while_away(std::chrono::milliseconds wait) = 0;
  // "SELECT …": the texts of the JSON list in this parameter ("$1"), as rows.
  virtual std::string elements_of(const std::string& parameter) const = 0;
  // Fails: version_mismatch where one of these is there and is no table: a view in a table's place runs whatever statement its maker wrote into it, for ever perhaps.
  virtual Status check_tables(const std::vector<std::string>& names) = 0;
};

// In the memory of the process: for what need not outlive it.
inline constexpr const char* kInMemory = ":memory:";

// A path, or postgresql://[user@]host[:port]/name[?…]. Opens or creates a file; a PostgreSQL database is there. busy_wait as SqliteDb's.
// Fails: invalid_argument where the URL carries a password, for everybody on the machine reads the arguments of programs: PGPASSWORD, PGPASSFILE or ~/.pgpass have it.
Result<std::unique_ptr<Database>> open_database(const std::string& where);

// Of one in a file.
struct SqliteOptions {
  bool busy = false;      // it commits all the time: its log is written in large pieces, and moved beside its commits. Whoever opens it renews its log first (SqliteDb::renew_log)
  bool durable = true;    // false: what is committed may be lost with the machine; for a copy that ends with the process
  int64_t pages_max = 0;  // tests: the file may not grow beyond this; 0 = no limit
};
Result<std::unique_ptr<Database>> open_database(const std::string& where, const SqliteOptions& of_a_file);
bool is_postgres(const std::string& where);
// For what lies in a file only. Fails: invalid_argument, with what PostgreSQL is for.
Status check_is_file(const std::string& where);

}  // namespace hone::sql
