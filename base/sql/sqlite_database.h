// SqliteDatabase: a Database in one SQLite file, WAL and synchronous=FULL, or in memory.
#pragma once
#include <memory>
#include <string>

#include "base/sql/database.h"

namespace hone::sql {

Result<std::unique_ptr<Database>> open_sqlite(const std::string& path, const SqliteOptions& options = {});

}  // namespace hone::sql
