#include "base/sql/database.h"
#include "base/sql/postgres_database.h"
#include "base/sql/sqlite_database.h"

namespace hone::sql {

bool is_postgres(const std::string& where) { return where.starts_with("postgresql://") || where.starts_with("postgres://"); }

Status check_is_file(const std::string& where) {
  if (!is_postgres(where)) return ok_status();
  return Error{ErrorCode::kInvalidArgument, "--db: found the URL of a PostgreSQL database, expected a file; PostgreSQL is for hone tracker and hone server, and for hone records"};
}

Result<std::unique_ptr<Database>> open_database(const std::string& where) { return open_database(where, {}); }

Result<std::unique_ptr<Database>> open_database(const std::string& where, const SqliteOptions& of_a_file) {
  return is_postgres(where) ? open_postgres(where) : open_sqlite(where, of_a_file);
}

}  // namespace hone::sql
