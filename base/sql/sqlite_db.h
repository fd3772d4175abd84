// SqliteDb, SqliteStatement: SQLite's C interface with owners and sentences. One thread at a time per object.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "base/result.h"
#include "base/sql/database.h"
#include "base/sql/limits.h"

namespace hone::sql {

// One clear sentence for SQLite's result code: disk full, read only, no database, locked, and what to do.
Error sqlite_error(sqlite3* db, int code, const std::string& path);

class SqliteStatement {
 public:
  SqliteStatement() = default;
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement, &sqlite3_finalize) {}

  // Binds the next parameter.
  SqliteStatement& bind(std::string_view text);
  SqliteStatement& bind(int64_t value);
  SqliteStatement& bind(int value) { return bind(static_cast<int64_t>(value)); }
  SqliteStatement& bind(double value);
  // Binds the parameter "$number", from 1 on; none where the statement has no such. A text or bytes stay where they are until the statement is reset.
  void bind_numbered(int number, const std::string& text);
  void bind_numbered(int number, int64_t value) { sqlite3_bind_int64(statement_.get(), place_of(number), value); }
  void bind_numbered(int number, double value) { sqlite3_bind_double(statement_.get(), place_of(number), value); }
  void bind_numbered(int number, const Bytes& value);
  void bind_numbered(int number, Null) { sqlite3_bind_null(statement_.get(), place_of(number)); }
  // Starts anew with no parameters bound.
  SqliteStatement& reset();
  // SQLITE_ROW, SQLITE_DONE or an error's code.
  int step() { return sqlite3_step(statement_.get()); }
  bool only_reads() const { return sqlite3_stmt_readonly(statement_.get()) != 0; }

  // Columns of the current row, from 0.
  std::string text(int column) const;
  std::string blob(int column) const;  // NULL: no bytes
  int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }

 private:
  int place_of(int number);

  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_{nullptr, &sqlite3_finalize};
  std::vector<int> places_;  // of "$1", "$2", …, as far as they were asked for
  int next_ = 1;
};

// The write-ahead log: its pages, and how many of them lie in the database as well.
struct LogState {
  int pages = 0, moved = 0;
};

struct BusyWait {
  std::chrono::milliseconds wait = kBusyWait;
  std::chrono::steady_clock::time_point began;
};

class SqliteDb {
 public:
  // Opens or creates a database that can be written, with WAL and synchronous=FULL: a commit survives a power cut. A new one is its owner's
  // alone (0600), and SQLite gives its WAL and its shared memory the same mode; its free pages can be given back piece by piece (auto_vacuum=INCREMENTAL).
  // vfs: the name of one of SQLite's, as combining_vfs(); null: its default.
  static Result<SqliteDb> open(const std::string& path, const char* vfs = nullptr);

  Status execute(const std::string& sql);  // any number of statements, no results
  Result<SqliteStatement> prepare(std::string_view sql);
  // As prepare, of a text that is used again and again: the statement is kept, and is the caller's until it is asked for again. Who reads a row resets it: the log cannot begin anew while one is read.
  Result<SqliteStatement*> kept(const char* sql);
  // How long a statement waits while another process has the lock; kBusyWait from the start.
  void wait_while_locked(std::chrono::milliseconds wait) { busy_->wait = wait; }
  // Runs the statement to its end, ignoring rows.
  Status run(SqliteStatement& statement);
  // Moves what it can of the log to the database without waiting for anybody (PASSIVE). Where that fails, as on a full disk, nothing is moved: the next commit says why.
  LogState checkpoint();
  // Writes the log once more as it is read, and syncs it; no one commits meanwhile. After a sync that failed, Linux holds for clean what it could not write: a log that is read whole by
  // the next process may lie on the disk with a hole, behind which a loss of power takes whatever was committed since. Source: Rebello et al., Can Applications Recover from fsync
  // Failures?, USENIX ATC 2020. Fails: as disks do.
  Status renew_log();
  // Calls it with the log's pages after each commit through this object; SQLite moves none by itself any more. `on_commit` outlives this object's commits, and is where it is.
  void on_commit(std::function<void(int pages)>* on_commit);
  Error error(int code) const { return sqlite_error(db_.get(), code, path_); }
  const std::string& path() const { return path_; }
  int changes() const { return sqlite3_changes(db_.get()); }

 private:
  SqliteDb(sqlite3* db, std::string path) : db_(db, &sqlite3_close_v2), path_(std::move(path)) {}

  std::unique_ptr<sqlite3, int (*)(sqlite3*)> db_;
  std::string path_;
  std::unique_ptr<BusyWait> busy_ = std::make_unique<BusyWait>();  // what SQLite has a pointer to
  std::map<const char*, SqliteStatement> kept_;  // below what they belong to
};

}  // namespace hone::sql
