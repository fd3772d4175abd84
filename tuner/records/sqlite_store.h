// SqliteStore: RecordStore in one SQLite file, WAL and synchronous=FULL. One writer thread commits what is queued in batches, because a
// commit costs a disk write (batch_writer.h). kill -9 loses nothing that was
// acknowledged. Several processes may read; a second writer waits for its turn.
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "base/sql/limits.h"
#include "tuner/records/limits.h"
#include "tuner/records/store.h"

namespace hone::tuner {

struct SqliteStoreOptions {
  std::string path;             // created when it is not there
  int batch_records_max = kBatchRecordsMax;  // a commit takes at most so many …
  int batch_delay_ms = 20;      // … and waits at most so long, and at most as long as the one before took, for the first of them to get company
  bool durable = true;  // false: what is committed may be lost with the machine; for a copy that ends with the process
  std::chrono::milliseconds busy_wait = sql::kBusyWait;  // of each commit, while another process has the lock
  int64_t pages_max = 0;  // tests: the file may not grow beyond this; 0 = no limit
};

// Fails: io_error, disk_full, busy, version_mismatch, each with one sentence.
Result<std::unique_ptr<RecordStore>> open_sqlite_store(const SqliteStoreOptions& options);

}  // namespace hone::tuner
