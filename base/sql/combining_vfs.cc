#include "base/sql/combining_vfs.h"

#include <algorithm>
#include <string>

#include "base/guarded.h"
#include "base/sql/limits.h"
#include "base/sql/vfs_shim.h"

namespace hone::sql {

namespace {

// What waits to be written from the offset `at` on.
struct Waiting {
  std::string bytes;
  sqlite3_int64 at = 0;
  // A connection's log and database know each other: its locks on both are taken at the database.
  sqlite3_file *log = nullptr, *database = nullptr;
};

using File = ShimFile<Waiting>;

// What cannot be written is dropped: whoever asked for it hears of it now, at the latest by its sync.
int write_waiting(sqlite3_file* file) {
  auto& [base, system, waiting] = File::of(file);
  for (size_t done = 0; done < waiting->bytes.size(); done += kWriteBytesMax) {
    const size_t size = std::min(kWriteBytesMax, waiting->bytes.size() - done);
    const int code = methods_of(system).xWrite(system, waiting->bytes.data() + done, static_cast<int>(size), waiting->at + static_cast<sqlite3_int64>(done));
    if (code != SQLITE_OK) return waiting->bytes.clear(), code;
  }
  waiting->bytes.clear();
  return SQLITE_OK;
}

int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  Waiting& waiting = *File::of(file).state;
  const bool follows = offset == waiting.at + static_cast<sqlite3_int64>(waiting.bytes.size()), fits = waiting.bytes.size() + static_cast<size_t>(size) <= kCombinedBytesMax;
  if (!follows || !fits)
    if (const int code = write_waiting(file); code != SQLITE_OK) return code;
  if (waiting.bytes.empty()) waiting.at = offset;
  // Nothing may be thrown through SQLite, which is C.
  const Status kept = guarded([&] { return waiting.bytes.append(static_cast<const char*>(bytes), static_cast<size_t>(size)), ok_status(); });
  return kept.ok() ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

// Each of these sees what was written before.
template <auto Method, class... Arguments>
int after_writing(sqlite3_file* file, Arguments... arguments) {
  const int code = write_waiting(file);
  return code == SQLITE_OK ? (methods_of(File::of(file).system).*Method)(File::of(file).system, arguments...) : code;
}

// Whatever is not committed, or a part of a checkpoint, is written as long as nobody else may write there.
int lock_shared(sqlite3_file* file, int first, int count, int flags) {
  auto& [base, system, waiting] = File::of(file);
  if (flags & SQLITE_SHM_UNLOCK) {
    (void)write_waiting(file);
    if (waiting->log) (void)write_waiting(waiting->log);
  }
  return methods_of(system).xShmLock(system, first, count, flags);
}

int close_file(sqlite3_file* file) {
  const int written = write_waiting(file);
  if (sqlite3_file* database = File::of(file).state->database) File::of(database).state->log = nullptr;
  static const auto close = forwarding_methods<Waiting>().xClose;
  const int closed = close(file);
  return written == SQLITE_OK ? closed : written;
}

const sqlite3_io_methods& combining_methods() {
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods all = forwarding_methods<Waiting>();
    all.xClose = close_file;
    all.xWrite = write_file;
    all.xRead = after_writing<&sqlite3_io_methods::xRead, void*, int, sqlite3_int64>;
    all.xTruncate = after_writing<&sqlite3_io_methods::xTruncate, sqlite3_int64>;
    all.xSync = after_writing<&sqlite3_io_methods::xSync, int>;
    all.xFileSize = after_writing<&sqlite3_io_methods::xFileSize, sqlite3_int64*>;
    all.xShmLock = lock_shared;
    all.xUnlock = after_writing<&sqlite3_io_methods::xUnlock, int>;
    return all;
  }();
  return methods;
}

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* flags_out) {
  sqlite3_file* const database = flags & SQLITE_OPEN_WAL ? sqlite3_database_file_object(path) : nullptr;
  const int code = open_shim<Waiting>(sqlite3_vfs_find(nullptr), combining_methods(), path, file, flags, flags_out, {.database = database});
  if (code == SQLITE_OK && database) File::of(database).state->log = file;
  return code;
}

int remove_file(sqlite3_vfs*, const char* path, int sync_folder) {
  sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  return system->xDelete(system, path, sync_folder);
}

// A default that needs more than the one that is there now is only a test's, which is smaller than this room.
constexpr int kRoomForOtherBytes = 1 << 10;

}  // namespace

const char* combining_vfs() {
  static const sqlite3_vfs* const registered = [] {
    static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
    vfs.szOsFile = shim_file_bytes<Waiting>(vfs) + kRoomForOtherBytes;
    vfs.zName = "hone-combining";
    vfs.pNext = nullptr;
    vfs.xOpen = open_file;
    vfs.xDelete = remove_file;
    sqlite3_vfs_register(&vfs, 0);
    return &vfs;
  }();
  return registered->zName;
}

}  // namespace hone::sql
