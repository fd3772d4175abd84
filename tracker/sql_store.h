// The tracker's store in an SQL database: a file of SQLite, which may be that of the records, or PostgreSQL. A commit survives a power cut.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/sql/database.h"
#include "tracker/store.h"

namespace hone::tracker {

// For a service that ends with its job: its agents, devices and leases are forgotten with it, the classes of devices stay in the database `where`.
Result<std::unique_ptr<Store>> open_class_store(const std::string& where);

// A tracker's turn at a database that several share (leadership.h).
struct Turn {
  std::string tracker_id;
  uint64_t epoch = 0;
};

// Opens (base/sql/database.h: a path, or postgresql://…), and brings the schema up to date. Fails: as the database, and version_mismatch.
// turn: each commit fails with kStaleFence once another tracker has the farm, and changes nothing.
Result<std::unique_ptr<Store>> open_store(const std::string& where, std::optional<Turn> turn = std::nullopt);

}  // namespace hone::tracker
