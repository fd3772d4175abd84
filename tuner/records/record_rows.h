// The statements that write the rows of the records' tables.
#pragma once
#include <string>
#include <vector>

#include "base/sql/database.h"
#include "tuner/records/store.h"

namespace hone::tuner {

int64_t unix_ms_now();

sql::Command task_row(const TaskInfo& task);
std::vector<sql::Command> device_rows(const DeviceInfo& device);
std::vector<sql::Command> job_rows(const JobInfo& job);
std::vector<sql::Command> label_rows(const DeviceLabel& label);
// What the record's rows refer to, and may be there already.
sql::Command fingerprint_row(const std::string& device_key, const std::string& json);
// The last one changes a row where the record is new. A record whose (trial, attempt) is there already is left as it is.
std::vector<sql::Command> record_rows(const Record& record);
sql::Command lease_row(const DeviceFence& lease);
std::vector<sql::Command> ended_lease_rows(const std::string& lease_id);
// Changes a row where the record's lease is the one that its device is held under.
sql::Command lease_guard(const Record& record);
std::vector<sql::Command> trial_removal(const Hash& task_id, const std::string& device_key, const Hash& source);
// RecordStore::rename_device.
std::vector<sql::Command> renamed_device_rows(const std::string& from, const std::string& to);

// A trial of which attempts are to be forgotten.
struct Forgotten {
  int64_t trial = 0, attempts = 0;
  bool whole = false;  // it has no others
};
Result<std::vector<Forgotten>> trials_to_forget(sql::Database& db, const ForgetRequest& request);
// Those of one trial, and the trial where none is left: two statements.
std::vector<sql::Command> attempts_removal(const ForgetRequest& request, int64_t trial);

// Those of which attempts are to be doubted.
Result<std::vector<int64_t>> trials_to_doubt(sql::Database& db, const Doubt& doubt);
sql::Command doubted_rows(const Doubt& doubt, int64_t trial);

}  // namespace hone::tuner
