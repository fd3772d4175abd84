// Database: one SQL database behind one interface: SQLite in a file, or PostgreSQL. One thread at a time per object.
//
// What is said to it is written in what both understand: parameters $1, $2, …; whole numbers, texts and double precision; ON CONFLICT; "user" in quotes.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace hone::sql {

using Value = std::variant<int64_t, double, std::string>;

// One statement of a transaction. Its text outlives the database: it is prepared once.
struct Command {
  const char* sql;
  std::vector<Value> values;
  std::optional<Error> unless_changed = std::nullopt;  // where no row changed, or none was found, the transaction fails with it
};

// A row of an answer; columns from 0. NULL, and what is no number: "", 0.
class Row {
 public:
  virtual ~Row() = default;
  virtual std::string text(int column) const = 0;
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
  // Until on_row fails, which is then what fails. The statement's text as a Command's.
  virtual Status query(const char* sql, const std::vector<Value>& values, const OnRow& on_row) = 0;
  // Several statements without parameters or answers, each by itself unless within `exclusive`.
  virtual Status execute(const std::string& sql) = 0;
  // One transaction of what `step` executes, queries and runs, while nobody else is in such a one. `step` commits nothing.
  virtual Status exclusive(const std::function<Status()>& step) = 0;
};

// In the memory of the process: for what need not outlive it.
inline constexpr const char* kInMemory = ":memory:";

// A path, or postgresql://[user@]host[:port]/name[?…]. Opens or creates a file; a PostgreSQL database is there. busy_wait as SqliteDb's.
// Fails: invalid_argument where the URL carries a password, for everybody on the machine reads the arguments of programs: PGPASSWORD, PGPASSFILE or ~/.pgpass have it.
Result<std::unique_ptr<Database>> open_database(const std::string& where);
bool is_postgres(const std::string& where);
// For what lies in a file only. Fails: invalid_argument, with what PostgreSQL is for.
Status check_is_file(const std::string& where);

}  // namespace hone::sql
