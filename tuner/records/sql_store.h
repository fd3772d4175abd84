// SqlStore: RecordStore in one SQL database: a SQLite file, WAL and synchronous=FULL, or PostgreSQL, which several servers may share. One writer
// thread commits what is queued in batches, because a commit costs a disk write (batch_writer.h). kill -9 loses nothing that was acknowledged.
// Several processes may read; a second writer of a file waits for its turn.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/sql/limits.h"
#include "tuner/records/limits.h"
#include "tuner/records/store.h"

namespace hone::tuner {

struct StoreOptions {
  std::string where;  // sql::open_database's; a file is created when it is not there
  std::string server = "";  // whose jobs put_job writes; several servers share a database of PostgreSQL
  int batch_records_max = kBatchRecordsMax;  // a commit takes at most so many …
  int batch_delay_ms = 20;      // … and waits at most so long, and at most as long as the one before took, for the first of them to get company
  bool durable = true;  // false: what is committed may be lost with the machine; for a copy that ends with the process
  std::chrono::milliseconds busy_wait = sql::kBusyWait;  // of each commit, while another process has the lock of the file, or the server is away
  int64_t pages_max = 0;  // tests: the file may not grow beyond this; 0 = no limit
};

// Fails: io_error, disk_full, busy, version_mismatch, each with one sentence.
Result<std::unique_ptr<RecordStore>> open_record_store(const StoreOptions& options);

// The files of schema/db, and of schema/db/postgres, in order; the first makes version 1. Compiled in.
const std::vector<std::string>& record_migrations();
const std::vector<std::string>& record_postgres_migrations();

}  // namespace hone::tuner
