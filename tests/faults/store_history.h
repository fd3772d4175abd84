// StoreHistory: what a client of the store of records was told and when, and whether a store that was found later agrees with it.
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "tests/faults/recording_vfs.h"
#include "tuner/records/sql_store.h"

namespace hone::faults {

class StoreHistory {
 public:
  explicit StoreHistory(const RecordingVfs& vfs) : vfs_(vfs) {}

  // Puts the task and the device that the records are of.
  static Status prepare(tuner::RecordStore& store);
  // One agent's record of a candidate: the record's number is its source.
  static tuner::Record record(uint64_t source, const std::string& agent);

  // Inserts the record, and notes when it is acknowledged. Statuses other than ok only count.
  void insert(tuner::RecordStore& store, uint64_t source, const std::string& agent);
  // Forgets what the agent reported, and notes when that began and ended.
  void forget(tuner::RecordStore& store, const std::string& agent);

  // What is wrong with the database, if it is what is left of the first `moment` events; "" = nothing: SQLite finds it whole, each record acknowledged until then is
  // there once, nothing that was forgotten until then is, and no attempt or trial is there without what it belongs to.
  std::string fault_of(const std::string& path, size_t moment) const;
  // The same of a database that nothing happened to.
  std::string fault_of(const std::string& path) const { return fault_of(path, SIZE_MAX); }

  size_t acknowledged() const;
  size_t refused() const;

 private:
  struct Forgotten {
    size_t began = SIZE_MAX, ended = SIZE_MAX;  // counted in events of the disk
  };
  struct Told {
    std::string agent;
    size_t acknowledged = SIZE_MAX;
  };
  std::string fault_of_rows(tuner::RecordStore& store, size_t moment) const;

  const RecordingVfs& vfs_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Told> told_;             // guarded by mutex_
  std::map<std::string, Forgotten> forgotten_;
  size_t refused_ = 0;                        // guarded by mutex_
};

}  // namespace hone::faults
