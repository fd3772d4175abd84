#include "base/sql/migrate.h"

#include <optional>
#include <string_view>

#include "base/cat.h"

namespace hone::sql {

namespace {

Status check_version(const Database& db, const std::string& component, int64_t version, const std::string& text, int64_t newest) {
  if (version < 0 || text != std::to_string(version))
    return Error{ErrorCode::kVersionMismatch,
                 cat("the database ", db.name(), " was not made by hone: its schema ", component, " has version ", text, "; restore a copy, or give another --db")};
  if (version <= newest) return ok_status();
  return Error{ErrorCode::kVersionMismatch, cat("the database ", db.name(), " has version ", version, " of the schema ", component, ", this hone knows up to ", newest,
                                                "; use a newer hone, or give another --db")};
}

// The names behind each "CREATE TABLE".
std::vector<std::string> tables_of(const std::vector<std::string>& migrations) {
  constexpr std::string_view kCreate = "CREATE TABLE ";
  std::vector<std::string> names{"schema_version"};
  for (const std::string& text : migrations)
    for (size_t at = text.find(kCreate); at != std::string::npos; at = text.find(kCreate, at)) {
      at += kCreate.size();
      names.push_back(text.substr(at, text.find_first_of(" (", at) - at));
    }
  return names;
}

// 0 where the component is new.
Result<int64_t> version_of(Database& db, const std::string& component, int64_t newest) {
  HONE_TRY(db.execute("CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, version BIGINT NOT NULL)"));
  int64_t version = 0;
  std::string text = "0";
  HONE_TRY(db.query("SELECT version FROM schema_version WHERE component = $1", {component}, [&](const Row& row) {
    version = row.integer(0);
    text = row.text(0);
    return ok_status();
  }));
  HONE_TRY(check_version(db, component, version, text, newest));
  return version;
}

Status apply(Database& db, const std::string& component, const std::vector<std::string>& migrations) {
  const auto newest = static_cast<int64_t>(migrations.size());
  HONE_TRY(db.check_tables(tables_of(migrations)));
  HONE_ASSIGN(version, version_of(db, component, newest));
  if (version == newest) return ok_status();
  for (int64_t i = version; i < newest; ++i) HONE_TRY(db.execute(migrations[static_cast<size_t>(i)]));
  return db.query("INSERT INTO schema_version VALUES ($1, $2) ON CONFLICT (component) DO UPDATE SET version = excluded.version", {component, newest},
                  [](const Row&) { return ok_status(); });
}

}  // namespace

Status migrate(Database& db, const std::string& component, const std::vector<std::string>& migrations) {
  return db.exclusive([&] { return apply(db, component, migrations); });
}

}  // namespace hone::sql
