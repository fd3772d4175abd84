// The rows of the records' tables, and what they hold.
#pragma once
#include <string>

#include "base/sql/sqlite_db.h"
#include "tuner/records/store.h"

namespace hone::tuner {

int64_t unix_ms_now();

Status write_task(sql::SqliteDb& db, const TaskInfo& task);
Status write_device(sql::SqliteDb& db, const DeviceInfo& device);
Status write_job(sql::SqliteDb& db, const JobInfo& job);
Status write_label(sql::SqliteDb& db, const DeviceLabel& label);
// Whether it is new. A record whose (trial, attempt) is there already is left as it is.
Result<bool> write_record(sql::SqliteDb& db, const Record& record);
Status write_lease(sql::SqliteDb& db, const DeviceFence& lease);
Status end_lease(sql::SqliteDb& db, const std::string& lease_id);
// Whether the lease is the one that its device is held under; true where the record is not fenced.
Result<bool> is_held(sql::SqliteDb& db, const Record& record);
Status forget_trial(sql::SqliteDb& db, const Hash& task_id, const std::string& device_key, const Hash& source);

// A trial of which attempts are to be forgotten.
struct Forgotten {
  int64_t trial = 0, attempts = 0;
  bool whole = false;  // it has no others
};
Result<std::vector<Forgotten>> trials_to_forget(sql::SqliteDb& db, const ForgetRequest& request);
// In the caller's transaction: those of one trial, and the trial where none is left.
Result<ForgetReport> forget_attempts(sql::SqliteDb& db, const ForgetRequest& request, int64_t trial);

// Those of which attempts are to be doubted.
Result<std::vector<int64_t>> trials_to_doubt(sql::SqliteDb& db, const Doubt& doubt);
Result<int64_t> doubt_attempts(sql::SqliteDb& db, const Doubt& doubt, int64_t trial);

Result<std::vector<double>> samples_from(const std::string& text);

// In the caller's transaction; RecordStore::rename_device.
Status rename_device_key(sql::SqliteDb& db, const std::string& from, const std::string& to);

// Selects records; ends with WHERE TRUE, for terms on a (attempts) and t (trials) to follow.
extern const char* const kSelectRecords;
inline constexpr int kAttemptColumn = 4, kTrialColumn = 33;  // their numbers, whatever else the row is
// Reads the rows of one such selection.
class RecordReader {
 public:
  // Fails: parse_error for a row that is no record, with its place.
  Result<Record> read(const sql::SqliteStatement& row);

 private:
  std::string sound_fingerprint_;  // the last one that was checked
};

}  // namespace hone::tuner
