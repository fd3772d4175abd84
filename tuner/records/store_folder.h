// A store in a folder of its own, with a task and a device, for tests.
#pragma once
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "base/check.h"
#include "base/sql/database.h"
#include "tuner/records/sql_store.h"

namespace hone::tuner {

inline const Hash kTask{1, 2};
inline constexpr const char* kDevice = "device-a";

class StoreFolder {
 public:
  // where: of a database of PostgreSQL; "" = a file in the folder.
  explicit StoreFolder(std::string where = "") : where_(std::move(where)) { empty(); }
  ~StoreFolder() { std::filesystem::remove_all(folder_); }
  void empty() const {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    if (!where_.empty()) CHECK(sql::open_database(where_).value()->execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public").ok(), "the database is emptied");
  }

  std::string path() const { return where_.empty() ? (folder_ / "records.db").string() : where_; }

  std::unique_ptr<RecordStore> open(int64_t pages_max = 0) const {
    auto store = std::move(open_record_store({.where = path(), .pages_max = pages_max})).value();
    CHECK(store->put_task({kTask, "a task", "text", 100}).ok(), "the task is put");
    CHECK(store->put_device({kDevice, "webgpu", R"({"vendor":"x"})"}).ok(), "the device is put");
    return store;
  }

  static Record record(uint64_t source, double latency_us, int attempt = 0) {
    Record r;
    r.task_id = kTask;
    r.device_key = kDevice;
    r.source_hash = {7, source};
    r.attempt = attempt;
    r.trace_json = R"({"version":1})";
    r.outcome = ErrorCode::kOk;
    r.samples_us = {latency_us, latency_us + 1, latency_us + 2};
    r.latency_us_median = latency_us + 1;
    r.method = "timestamp";
    r.fingerprint_json = R"({"vendor":"x"})";
    return r;
  }

  static Record failure(uint64_t source, ErrorCode outcome, int attempt) {
    Record r = record(source, 0, attempt);
    r.outcome = outcome;
    r.samples_us.clear();
    r.latency_us_median = 0;
    return r;
  }

 protected:
  const std::string where_;
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / cat("hone_store_", getpid(), "_", reinterpret_cast<uintptr_t>(this));
};

}  // namespace hone::tuner
