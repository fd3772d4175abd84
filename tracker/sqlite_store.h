// The tracker's store in SQLite: WAL, synchronous=FULL, so that a commit survives a power cut. May share its file with the records.
#pragma once
#include <memory>
#include <string>

#include "tracker/store.h"

namespace hone::tracker {

// A path for what need not outlive the process.
inline constexpr const char* kInMemory = ":memory:";

// Opens or creates, and brings the schema up to date. kIoError, kDiskFull, kBusy or kVersionMismatch with one sentence.
Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path);

}  // namespace hone::tracker
