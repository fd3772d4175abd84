#include "tuner/records/migrate.h"

#include "base/cat.h"

namespace hone::tuner {

namespace {

Result<int64_t> version_of(SqliteDb& db, const std::string& component) {
  HONE_ASSIGN(select, db.prepare("SELECT version FROM schema_version WHERE component = ?"));
  int code = select.bind(component).step();
  if (code == SQLITE_DONE) return int64_t{0};
  if (code != SQLITE_ROW) return db.error(code);
  return select.integer(0);
}

Status apply(SqliteDb& db, const std::string& component, const std::vector<std::string>& migrations,
             const std::string& path) {
  HONE_TRY(
      db.execute("CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, version INTEGER NOT NULL)"));
  HONE_ASSIGN(version, version_of(db, component));
  auto newest = static_cast<int64_t>(migrations.size());
  if (version > newest)
    return Error{ErrorCode::kVersionMismatch,
                 cat("the database ", path, " has version ", version, " of the schema ", component,
                     ", this hone knows up to ", newest, "; use a newer hone, or give another --db")};
  for (int64_t i = version; i < newest; ++i) HONE_TRY(db.execute(migrations[static_cast<size_t>(i)]));
  HONE_ASSIGN(update, db.prepare("INSERT OR REPLACE INTO schema_version VALUES (?, ?)"));
  update.bind(component).bind(newest);
  return version == newest ? ok_status() : db.run(update);
}

}  // namespace

Status migrate(SqliteDb& db, const std::string& component, const std::vector<std::string>& migrations,
               const std::string& path) {
  HONE_TRY(db.execute("BEGIN IMMEDIATE"));
  Status status = apply(db, component, migrations, path);
  Status ended = db.execute(status.ok() ? "COMMIT" : "ROLLBACK");
  return status.ok() ? ended : status;
}

}  // namespace hone::tuner
