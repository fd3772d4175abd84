#include "base/sql/checkpointer.h"

#include "base/guarded.h"
#include "base/sql/combining_vfs.h"
#include "base/sql/limits.h"

namespace hone::sql {

namespace {

// While it moves pages, others come: fewer each time, as long as the disk is faster than the writer.
void move_most(SqliteDb& db) {
  for (int pass = 0; pass < kCheckpointPasses; ++pass) {
    const LogState log = db.checkpoint();
    if (log.pages - log.moved < kLogPages / kCheckpointPasses) return;
  }
}

}  // namespace

Checkpointer::~Checkpointer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Checkpointer::log_has(int pages) {
  if (pages < kLogPages) return;
  {
    std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  // SQLite calls this: nothing may be thrown through it. Without a thread the writer moves all.
  if (!thread_.joinable()) rest_ = !guarded([this] { return begin(); }).ok();
  wake_.notify_all();
}

Status Checkpointer::begin() {
  thread_ = std::thread([this] { loop(); });
  return ok_status();
}

bool Checkpointer::take_rest() { return rest_.exchange(false); }

void Checkpointer::loop() {
  auto db = guarded([this] { return SqliteDb::open(path_, combining_vfs()); });
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return wanted_ || stopping_; });
      if (stopping_) return;
      wanted_ = false;
    }
    if (db.ok()) move_most(*db);  // else the writer moves all
    rest_ = true;
  }
}

}  // namespace hone::sql
