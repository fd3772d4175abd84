#include "base/sql/database.h"
#include "base/sql/postgres_database.h"
#include "base/sql/sqlite_database.h"

namespace hone::sql {

bool is_postgres(const std::string& where) { return where.starts_with("postgresql://") || where.starts_with("postgres://"); }

Status check_is_file(const std::string& where) {
  if (!is_postgres(where)) return ok_status();
  return Error{ErrorCode::kInvalidArgument, "--db: found the URL of a PostgreSQL database, expected a file: records and jobs lie in one; PostgreSQL is for the fleet of hone tracker"};
}

Result<std::unique_ptr<Database>> open_database(const std::string& where) {
  return is_postgres(where) ? open_postgres(where) : open_sqlite(where);
}

}  // namespace hone::sql
