// The tracker's store in SQLite: WAL, synchronous=FULL, so that a commit survives a power cut. May share its file with the records.
#pragma once
#include <memory>
#include <string>

#include "tracker/store.h"

namespace hone::tracker {

// A path for what need not outlive the process.
inline constexpr const char* kInMemory = ":memory:";

// For a service that ends with its job: its agents, devices and leases are forgotten with it, the classes of devices stay in the database `path`.
Result<std::unique_ptr<Store>> open_class_store(const std::string& path);

// Opens or creates, and brings the schema up to date. kIoError, kDiskFull, kBusy or kVersionMismatch with one sentence.
Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path);

}  // namespace hone::tracker
