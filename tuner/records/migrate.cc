#include "tuner/records/migrate.h"

#include "base/cat.h"

namespace hone::tuner {

namespace {

Error not_hones(const std::string& path, const std::string& what) {
  return {ErrorCode::kVersionMismatch,
          cat("the database ", path, " was not made by hone: ", what, "; restore a copy, or give another --db")};
}

// 0 where the component is new.
Result<int64_t> version_of(sql::SqliteDb& db, const std::string& component, int64_t newest, const std::string& path) {
  HONE_ASSIGN(select, db.prepare("SELECT version, typeof(version) FROM schema_version WHERE component = ?"));
  int code = select.bind(component).step();
  if (code == SQLITE_DONE) return int64_t{0};
  if (code != SQLITE_ROW) return db.error(code);
  const int64_t version = select.integer(0);
  if (select.text(1) != "integer")
    return not_hones(path, cat("the version of its schema ", component, " is not a whole number"));
  if (version < 0) return not_hones(path, cat("its schema ", component, " has version ", version));
  if (version <= newest) return version;
  return Error{ErrorCode::kVersionMismatch,
               cat("the database ", path, " has version ", version, " of the schema ", component,
                   ", this hone knows up to ", newest, "; use a newer hone, or give another --db")};
}

// A view in a table's place runs whatever statement its maker wrote into it, for ever perhaps.
Status check_tables(sql::SqliteDb& db, const std::string& path) {
  HONE_ASSIGN(select, db.prepare("SELECT name FROM sqlite_master WHERE type = 'view' AND name IN ('schema_version', "
                                 "'tasks', 'devices', 'fingerprints', 'jobs', 'trials', 'attempts', 'device_labels', 'submissions')"));
  int code = select.step();
  if (code == SQLITE_ROW) return not_hones(path, cat(select.text(0), " is a view, not a table"));
  if (code != SQLITE_DONE) return db.error(code);
  return ok_status();
}

Status apply(sql::SqliteDb& db, const std::string& component, const std::vector<std::string>& migrations,
             const std::string& path) {
  HONE_TRY(check_tables(db, path));
  HONE_TRY(
      db.execute("CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, version INTEGER NOT NULL)"));
  auto newest = static_cast<int64_t>(migrations.size());
  HONE_ASSIGN(version, version_of(db, component, newest, path));
  for (int64_t i = version; i < newest; ++i) HONE_TRY(db.execute(migrations[static_cast<size_t>(i)]));
  HONE_ASSIGN(update, db.prepare("INSERT OR REPLACE INTO schema_version VALUES (?, ?)"));
  update.bind(component).bind(newest);
  return version == newest ? ok_status() : db.run(update);
}

}  // namespace

Status migrate(sql::SqliteDb& db, const std::string& component, const std::vector<std::string>& migrations,
               const std::string& path) {
  HONE_TRY(db.execute("BEGIN IMMEDIATE"));
  Status status = apply(db, component, migrations, path);
  Status ended = db.execute(status.ok() ? "COMMIT" : "ROLLBACK");
  return status.ok() ? ended : status;
}

}  // namespace hone::tuner
