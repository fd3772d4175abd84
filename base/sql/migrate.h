// migrate: brings a database to the newest schema, forward only, in one transaction.
#pragma once
#include <string>
#include <vector>

#include "base/sql/database.h"

namespace hone::sql {

// Applies the migrations that the database lacks; the first makes version 1. The version stands in the table schema_version under `component`, so that several parts may share
// one database. Fails: version_mismatch when the database is newer than this program, or its version is none.
Status migrate(Database& db, const std::string& component, const std::vector<std::string>& migrations);

}  // namespace hone::sql
