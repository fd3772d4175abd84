// Checkpointer: moves what was committed from the write-ahead log to the database, on a thread and a connection of its own, which it has from the first need on, so that no commit waits for it. SQLite's own way is that a commit does
// it, once the log has 1,000 pages: then whoever waits for that commit waits for some megabytes of scattered pages as well.
// Source: sqlite.org/wal.html, "Checkpointing", and sqlite3_wal_checkpoint_v2: a PASSIVE checkpoint waits for no reader and no writer, and no writer for it.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/sql/sqlite_db.h"

namespace hone::sql {

class Checkpointer {
 public:
  explicit Checkpointer(std::string path) : path_(std::move(path)) {}
  ~Checkpointer();  // after the checkpoint that runs

  // The log has so many pages after a commit. On the writer's thread.
  void log_has(int pages);
  // Most of the log is moved: the writer is to move the rest between two commits, so that the next one begins the log anew. On the writer's thread.
  bool take_rest();

 private:
  Status begin();
  void loop();

  const std::string path_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool wanted_ = false, stopping_ = false;  // guarded by mutex_
  std::atomic<bool> rest_{false};
  std::thread thread_;
};

}  // namespace hone::sql
