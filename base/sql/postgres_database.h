// PostgresDatabase: a Database on a PostgreSQL server, 14 or later. A connection that broke is opened again at the next call; what was under way is done once more, unless it may
// have come to the disk.
#pragma once
#include <memory>
#include <string>

#include "base/sql/database.h"

namespace hone::sql {

// The URL as libpq takes it.
Result<std::unique_ptr<Database>> open_postgres(const std::string& url);

}  // namespace hone::sql
