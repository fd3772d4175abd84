#include "base/sql/sqlite_db.h"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/cat.h"
#include "base/private_file.h"
#include "base/sql/database.h"
#include "base/sql/limits.h"

namespace hone::sql {

namespace {

constexpr std::chrono::milliseconds kBusyRetry{1};

// SQLite's own waits up to 100 ms between two looks: who writes much then never lets in who writes now and then. The wait began at the first look.
int wait_while_busy(void* waiting, int looks) {
  auto& busy = *static_cast<BusyWait*>(waiting);
  const auto now = std::chrono::steady_clock::now();
  if (looks == 0) busy.began = now;
  if (now - busy.began >= busy.wait) return 0;
  std::this_thread::sleep_for(kBusyRetry);
  return 1;
}

constexpr int kPieceBytes = 64 << 10;  // SQLite's own files take no longer pieces than its longest page

// SQLite's code for writing a file once more with what it holds.
int write_again(sqlite3_file* file) {
  sqlite3_int64 size = 0;
  int code = file->pMethods->xFileSize(file, &size);
  std::vector<char> piece(static_cast<size_t>(std::min<sqlite3_int64>(size, kPieceBytes)));
  for (sqlite3_int64 at = 0; code == SQLITE_OK && at < size; at += kPieceBytes) {
    const int bytes = static_cast<int>(std::min<sqlite3_int64>(size - at, kPieceBytes));
    code = file->pMethods->xRead(file, piece.data(), bytes, at);
    if (code == SQLITE_OK) code = file->pMethods->xWrite(file, piece.data(), bytes, at);
  }
  return code == SQLITE_OK && size > 0 ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) : code;
}

}  // namespace

Error sqlite_error(sqlite3* db, int code, const std::string& path) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {ErrorCode::kDiskFull, cat("no space is left for the database ", path,
                                        "; free some space, then start again: every acknowledged record is kept")};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::kIoError,
              cat("the database ", path, " cannot be written; change its permissions or give another --db")};
    case SQLITE_CANTOPEN:
      if (std::error_code none; std::filesystem::is_directory(path, none))
        return {ErrorCode::kIoError, cat(path, " is a folder, expected a database; give a file in it")};
      return {
          ErrorCode::kIoError,
          cat("the database ", path,
              " cannot be opened or created; check that its folder exists and can be written, or give another --db")};
    case SQLITE_NOTADB:
      return {ErrorCode::kIoError, cat("the file ", path, " is not a database of hone; give another --db")};
    case SQLITE_CORRUPT:
      return {ErrorCode::kIoError, cat("the database ", path, " is damaged; restore a copy, or give another --db")};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kBusy,
              cat("the database ", path, " is locked by another process; stop that process, or give another --db")};
    default:
      return {ErrorCode::kIoError,
              cat("the database ", path, " failed: ", db ? sqlite3_errmsg(db) : sqlite3_errstr(code),
                  "; restore a copy, or give another --db")};
  }
}

SqliteStatement& SqliteStatement::bind(std::string_view text) {
  sqlite3_bind_text64(statement_.get(), next_++, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
  return *this;
}

SqliteStatement& SqliteStatement::bind(int64_t value) {
  sqlite3_bind_int64(statement_.get(), next_++, value);
  return *this;
}

SqliteStatement& SqliteStatement::bind(double value) {
  sqlite3_bind_double(statement_.get(), next_++, value);
  return *this;
}

int SqliteStatement::place_of(int number) {
  while (places_.size() < static_cast<size_t>(number))
    places_.push_back(sqlite3_bind_parameter_index(statement_.get(), cat("$", places_.size() + 1).c_str()));
  return places_[static_cast<size_t>(number) - 1];
}

void SqliteStatement::bind_numbered(int number, const std::string& text) {
  sqlite3_bind_text64(statement_.get(), place_of(number), text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void SqliteStatement::bind_numbered(int number, const Bytes& value) {
  sqlite3_bind_blob64(statement_.get(), place_of(number), value.bytes.empty() ? "" : value.bytes.data(), value.bytes.size(), SQLITE_STATIC);
}

SqliteStatement& SqliteStatement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  next_ = 1;
  return *this;
}

std::string SqliteStatement::text(int column) const {
  auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return bytes ? std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)))
               : std::string();
}

std::string SqliteStatement::blob(int column) const {
  auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  return bytes ? std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)))
               : std::string();
}

Result<SqliteDb> SqliteDb::open(const std::string& path, const char* vfs) {
  HONE_TRY(check_is_file(path));
  if (path != kInMemory) make_private_file(path);
  sqlite3* raw = nullptr;
  int code =
      sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, vfs);
  SqliteDb db(raw, path);
  if (code != SQLITE_OK) return db.error(code);
  sqlite3_busy_handler(raw, wait_while_busy, db.busy_.get());
  // SQLite opens a file without write permission silently for reading.
  if (sqlite3_db_readonly(raw, "main") == 1) return db.error(SQLITE_READONLY);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, kCellBytesMax);
  // What is written in somebody else's file runs no functions, and is not trusted to be where it says.
  HONE_TRY(db.execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"));
  HONE_TRY(db.execute("PRAGMA auto_vacuum=INCREMENTAL;"));  // of a new file: an old one keeps what it has
  HONE_TRY(db.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"));
  // While somebody reads, the log grows by all that is committed; when it begins anew, what is beyond this is given back.
  HONE_TRY(db.execute(cat("PRAGMA journal_size_limit=", kLogBytesKept)));
  return db;
}

Status SqliteDb::execute(const std::string& sql) {
  int code = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return ok_status();
}

Result<SqliteStatement> SqliteDb::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(db_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return error(code);
  return SqliteStatement(statement);
}

LogState SqliteDb::checkpoint() {
  LogState log;
  const int code = sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &log.pages, &log.moved);
  return code == SQLITE_OK ? log : LogState();
}

Status SqliteDb::renew_log() {
  HONE_TRY(execute("BEGIN IMMEDIATE"));
  sqlite3_file* log = nullptr;
  int code = sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code == SQLITE_OK && log && log->pMethods) code = write_again(log);
  (void)execute("ROLLBACK");
  return code == SQLITE_OK ? ok_status() : Status(error(code));
}

void SqliteDb::on_commit(std::function<void(int pages)>* on_commit) {
  sqlite3_wal_hook(
      db_.get(),
      [](void* called, sqlite3*, const char*, int pages) {
        (*static_cast<std::function<void(int)>*>(called))(pages);
        return SQLITE_OK;
      },
      on_commit);
}

Result<SqliteStatement*> SqliteDb::kept(const char* sql) {
  if (const auto known = kept_.find(sql); known != kept_.end()) {
    known->second.reset();
    return &known->second;
  }
  HONE_ASSIGN(statement, prepare(sql));
  return &kept_.emplace(sql, std::move(statement)).first->second;
}

Status SqliteDb::run(SqliteStatement& statement) {
  int code = SQLITE_ROW;
  while (code == SQLITE_ROW) code = statement.step();
  if (code != SQLITE_DONE) return error(code);
  return ok_status();
}

}  // namespace hone::sql
