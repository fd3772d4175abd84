// migrate: brings a database to the newest schema, forward only, in one transaction.
#pragma once
#include <string>
#include <vector>

#include "base/sql/sqlite_db.h"

namespace hone::tuner {

// The files of schema/db in order; the first makes version 1. Compiled in.
const std::vector<std::string>& record_migrations();

// Applies the migrations that the database lacks. The version stands in the table schema_version under `component`, so that several
// parts may share one file. Fails: version_mismatch when the database is newer than this program, or its version is none.
Status migrate(sql::SqliteDb& db, const std::string& component, const std::vector<std::string>& migrations,
               const std::string& path);

}  // namespace hone::tuner
