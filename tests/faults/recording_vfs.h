// RecordingVfs: SQLite's files as the system has them, with everything that reaches the disk written down in order, and faults on demand. Until it is
// taken it is SQLite's default: whoever opens a database meets it. Any thread; one at a time in a process.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace hone::faults {

struct DiskEvent {
  enum class Kind : uint8_t { kWrite, kTruncate, kSync, kLostSync, kRemove };  // kLostSync: a sync that failed, after which the system holds what was written for clean
  Kind kind = Kind::kWrite;
  std::string file;    // its whole path
  int64_t offset = 0;  // of a write; the size of a truncation
  std::string bytes;
};

// Which calls fail from the `first`-th write, sync or truncation on, `count` of them. What fails to be written is not written; or, torn, its first half is.
struct DiskFault {
  int64_t first = 0, count = 0;
  int code = SQLITE_IOERR_WRITE;  // of a write or truncation; a sync that fails says SQLITE_IOERR_FSYNC
  bool torn = false;
};

class RecordingVfs {
 public:
  RecordingVfs();
  ~RecordingVfs();  // after the last of its files is closed
  RecordingVfs(const RecordingVfs&) = delete;

  size_t events() const;                       // so far
  std::vector<DiskEvent> take();               // all; what is opened from here on is the system's
  void fail(DiskFault fault);                  // counted from here on
  int64_t calls() const;                       // that a fault counts, since fail() or the start

  // For the files of this VFS.
  bool fails();  // counts one call
  DiskFault fault() const { return fault_; }
  void note(DiskEvent event);
  sqlite3_vfs* system() const { return system_; }

 private:
  sqlite3_vfs* const system_;
  sqlite3_vfs vfs_{};
  mutable std::mutex mutex_;
  std::vector<DiskEvent> events_;  // guarded by mutex_
  DiskFault fault_;                // set while nothing is written
  int64_t calls_ = 0;              // guarded by mutex_
};

}  // namespace hone::faults
