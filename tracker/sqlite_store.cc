#include "tracker/sqlite_store.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/private_file.h"
#include "tracker/fleet_migrations.h"
#include "tracker/limits.h"

namespace hone::tracker {

namespace {

constexpr int kBusyTimeoutMs = 10'000;
constexpr std::array<std::string_view, 3> kHoldNames{"", "maintenance", "quarantined"};  // of Hold

Hold hold_of(std::string_view name) {
  if (name == kHoldNames[1]) return Hold::kMaintenance;
  return name == kHoldNames[2] ? Hold::kQuarantined : Hold::kNone;
}

using KeptStatement = std::unique_ptr<sqlite3_stmt, decltype([](sqlite3_stmt* s) { sqlite3_finalize(s); })>;

// One use of a prepared statement that the store keeps.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Statement& bind(const std::string& text) {
    sqlite3_bind_text(statement_.get(), next_++, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(int64_t value) {
    sqlite3_bind_int64(statement_.get(), next_++, value);
    return *this;
  }
  Statement& bind(double value) {
    sqlite3_bind_double(statement_.get(), next_++, value);
    return *this;
  }
  Statement& bind(uint64_t value) { return bind(static_cast<int64_t>(value)); }
  int step() { return sqlite3_step(statement_.get()); }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    return bytes ? std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)))
                 : std::string();
  }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

 private:
  std::unique_ptr<sqlite3_stmt, decltype([](sqlite3_stmt* s) { sqlite3_reset(s); })> statement_;
  int next_ = 1;
};

// What a person may have written into the database is no bound below none.
uint64_t bound_of(const Statement& row, int column) { return static_cast<uint64_t>(std::max<int64_t>(0, row.integer(column))); }

class SqliteStore : public Store {
 public:
  SqliteStore(sqlite3* db, std::string path) : db_(db, &sqlite3_close_v2), path_(std::move(path)) {}

  Status open();
  Result<StoredFleet> load() override;
  Status commit(const std::vector<Write>& writes) override;
  Result<std::vector<protocol::DeviceEvent>> history(const std::vector<std::string>& device_ids, size_t count_max) override;

 private:
  Error error(int code) const;
  Status execute(const char* sql);
  Result<Statement> prepare(const char* sql);
  Status finish(Statement& statement);
  template <class OnRow>
  Status each_row(const char* sql, OnRow on_row);
  template <class OnRow>
  Status each_row(Statement rows, OnRow on_row);
  Status migrate();
  Result<std::map<int64_t, FingerprintPtr>> load_fingerprints();
  template <class Step>
  Status in_transaction(Step step);
  Status write(const StoredAgent& agent);
  Status write(const StoredDevice& device);
  Status write(const DeviceUse& use);
  Status write(const StoredLease& lease);
  Status write(const StoredClass& one);
  Status write(const StoredMember& one);
  Status write(const StoredToken& token);
  Status write(const protocol::DeviceEvent& event);
  Status write(const ForgottenDevice& device);
  Status write(const ForgottenAgent& agent);
  Status write(const ForgottenToken& token);
  Status write(const ForgottenEvents& old);

  std::unique_ptr<sqlite3, int (*)(sqlite3*)> db_;
  const std::string path_;
  std::map<std::string_view, KeptStatement> statements_;  // by their text, which is the program's; they end before db_
};

Error SqliteStore::error(int code) const {
  const std::string what = cat("the database ", path_, ": ");
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {ErrorCode::kDiskFull, what + "no space is left on the disk; free some and try again"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kBusy,
              cat("the database ", path_, " is locked by another process; stop that process, or give another --db")};
    case SQLITE_NOTADB:
      return {ErrorCode::kIoError, what + "this file is not an SQLite database; give another --db"};
    case SQLITE_READONLY:
      return {ErrorCode::kIoError, what + "it cannot be written; check its permissions, or give another --db"};
    case SQLITE_CANTOPEN:
      return {ErrorCode::kIoError, what + "it cannot be opened; check that its folder exists and can be written"};
    default:
      return {ErrorCode::kIoError, what + sqlite3_errmsg(db_.get())};
  }
}

Status SqliteStore::execute(const char* sql) {
  const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return ok_status();
}

Result<Statement> SqliteStore::prepare(const char* sql) {
  auto& kept = statements_[sql];
  if (kept) return Statement(kept.get());
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  kept.reset(statement);
  if (code != SQLITE_OK) return error(code);
  return Statement(statement);
}

Status SqliteStore::finish(Statement& statement) {
  const int code = statement.step();
  if (code != SQLITE_DONE && code != SQLITE_ROW) return error(code);
  return ok_status();
}

template <class OnRow>
Status SqliteStore::each_row(const char* sql, OnRow on_row) {
  HONE_ASSIGN(rows, prepare(sql));
  return each_row(std::move(rows), on_row);
}

template <class OnRow>
Status SqliteStore::each_row(Statement rows, OnRow on_row) {
  int code = SQLITE_OK;
  while ((code = rows.step()) == SQLITE_ROW) HONE_TRY(on_row(rows));
  if (code != SQLITE_DONE) return error(code);
  return ok_status();
}

template <class Step>
Status SqliteStore::in_transaction(Step step) {
  HONE_TRY(execute("BEGIN IMMEDIATE"));
  const Status done = step();
  if (!done.ok()) {
    (void)execute("ROLLBACK");
    return done;
  }
  const Status committed = execute("COMMIT");
  if (!committed.ok()) (void)execute("ROLLBACK");
  return committed;
}

Status SqliteStore::migrate() {
  HONE_TRY(execute("CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, version INTEGER NOT NULL)"));
  int64_t version = 0;
  HONE_TRY(each_row("SELECT version FROM schema_version WHERE component = 'fleet'", [&](const Statement& row) {
    version = row.integer(0);
    return ok_status();
  }));
  const auto newest = static_cast<int64_t>(fleet_migrations().size());
  if (version < 0)
    return Error{ErrorCode::kVersionMismatch,
                 cat("the database ", path_, " was not made by hone: its schema fleet has version ", version,
                     "; restore a copy, or give another --db")};
  if (version > newest)
    return Error{ErrorCode::kVersionMismatch,
                 cat("the database ", path_, " has version ", version, " of the schema fleet, this hone knows up to ",
                     newest, "; use a newer hone, or give another --db")};
  for (int64_t i = version; i < newest; ++i) HONE_TRY(execute(fleet_migrations()[static_cast<size_t>(i)].c_str()));
  HONE_ASSIGN(update, prepare("INSERT OR REPLACE INTO schema_version VALUES ('fleet', ?)"));
  return finish(update.bind(newest));
}

Status SqliteStore::open() {
  sqlite3_busy_timeout(db_.get(), kBusyTimeoutMs);
  HONE_TRY(execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON"));
  return in_transaction([this]() -> Status {
    HONE_TRY(migrate());
    // What devices said of themselves before, or forgotten ones.
    return execute(
        "DELETE FROM fleet_fingerprints WHERE fingerprint_id NOT IN (SELECT fingerprint_id FROM fleet_devices)");
  });
}

template <class T>
Result<T> read_json(const std::string& text) {
  const auto json = parse_json(text);
  if (!json.ok())
    return Error{ErrorCode::kIoError,
                 cat("the database is damaged: of a text in the fleet's tables, ", json.error().message)};
  return protocol::from_json<T>(*json);
}

Result<std::map<int64_t, FingerprintPtr>> SqliteStore::load_fingerprints() {
  std::map<int64_t, FingerprintPtr> fingerprints;
  HONE_TRY(each_row("SELECT fingerprint_id, json FROM fleet_fingerprints", [&](const Statement& row) -> Status {
    HONE_ASSIGN(fingerprint, read_json<protocol::Fingerprint>(row.text(1)));
    fingerprints[row.integer(0)] = std::make_shared<protocol::Fingerprint>(std::move(fingerprint));
    return ok_status();
  }));
  return fingerprints;
}

Result<StoredFleet> SqliteStore::load() {
  StoredFleet fleet;
  HONE_TRY(each_row(
      "SELECT agent_id, agent_name, resume_hash, launch_hash, created_unix_ms, seen_unix_ms FROM fleet_agents ORDER BY "
      "agent_id",
      [&](const Statement& row) {
        fleet.agents.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.integer(4), row.integer(5)});
        return ok_status();
      }));
  HONE_ASSIGN(fingerprints, load_fingerprints());
  HONE_TRY(each_row(
      "SELECT device_id, agent_id, local_id, device_key, fingerprint_id, timer_json, fence, "
      "created_unix_ms, seen_unix_ms, physical_id, label, hold, hold_reason "
      "FROM fleet_devices ORDER BY device_id",
      [&](const Statement& row) -> Status {
        const auto fingerprint = fingerprints.find(row.integer(4));
        if (fingerprint == fingerprints.end())
          return Error{ErrorCode::kIoError, cat("the database ", path_, " is damaged: the fingerprint of ", row.text(0),
                                                " is missing; restore a copy, or give another --db")};
        HONE_ASSIGN(timer, read_json<protocol::Timer>(row.text(5)));
        fleet.devices.push_back({row.text(0), row.text(1), row.text(2), row.text(3), fingerprint->second, timer,
                                 static_cast<uint64_t>(row.integer(6)), row.integer(7), row.integer(8), row.text(9),
                                 row.text(10), hold_of(row.text(11)), row.text(12)});
        return ok_status();
      }));
  HONE_TRY(
      each_row("SELECT lease_id, device_id, fence, job, user, granted_unix_ms FROM fleet_leases WHERE ended_unix_ms = "
               "0 ORDER BY lease_id",
               [&](const Statement& row) {
                 fleet.open_leases.push_back({row.text(0), row.text(1), static_cast<uint64_t>(row.integer(2)),
                                              row.text(3), row.text(4), row.integer(5), 0, ""});
                 return ok_status();
               }));
  HONE_TRY(each_row("SELECT device_key, said_key, arithmetic_gflops, memory_gb_s FROM fleet_classes ORDER BY rowid",
                    [&](const Statement& row) {
                      fleet.classes.push_back({row.text(0), row.text(1), row.real(2), row.real(3)});
                      return ok_status();
                    }));
  HONE_TRY(
      each_row("SELECT physical_id, said_key, device_key FROM fleet_members ORDER BY rowid", [&](const Statement& row) {
        fleet.members.push_back({row.text(0), row.text(1), row.text(2)});
        return ok_status();
      }));
  HONE_TRY(each_row("SELECT token_id, token_hash, role, name, created_unix_ms, expires_unix_ms, revoked_unix_ms, "
                    "used_unix_ms, idle_ms_max, devices_max, jobs_max, bytes_max FROM fleet_tokens ORDER BY token_id",
                    [&](const Statement& row) {
                      StoredToken token{.token_id = row.text(0), .token_hash = row.text(1), .name = row.text(3)};
                      // Of a role that is none nobody can be; only in a database that somebody edited.
                      if (!protocol::from_name(row.text(2), token.role)) return ok_status();
                      token.created_unix_ms = row.integer(4);
                      token.expires_unix_ms = row.integer(5);
                      token.revoked_unix_ms = row.integer(6);
                      token.used_unix_ms = row.integer(7);
                      token.idle_ms_max = row.integer(8);
                      token.quota = {bound_of(row, 9), bound_of(row, 10), bound_of(row, 11)};
                      fleet.tokens.push_back(std::move(token));
                      return ok_status();
                    }));
  return fleet;
}

Status SqliteStore::write(const StoredToken& t) {
  HONE_ASSIGN(insert,
              prepare("INSERT INTO fleet_tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (token_id) DO UPDATE SET "
                      "token_hash = excluded.token_hash, role = excluded.role, name = excluded.name, created_unix_ms = "
                      "excluded.created_unix_ms, expires_unix_ms = excluded.expires_unix_ms, revoked_unix_ms = "
                      "excluded.revoked_unix_ms, used_unix_ms = excluded.used_unix_ms, idle_ms_max = "
                      "excluded.idle_ms_max, devices_max = excluded.devices_max, jobs_max = excluded.jobs_max, bytes_max = excluded.bytes_max"));
  insert.bind(t.token_id).bind(t.token_hash).bind(std::string(protocol::to_name(t.role))).bind(t.name);
  insert.bind(t.created_unix_ms).bind(t.expires_unix_ms).bind(t.revoked_unix_ms).bind(t.used_unix_ms);
  return finish(insert.bind(t.idle_ms_max).bind(t.quota.devices_max).bind(t.quota.jobs_max).bind(t.quota.bytes_max));
}

Status SqliteStore::write(const StoredMember& m) {
  HONE_ASSIGN(insert, prepare("INSERT OR REPLACE INTO fleet_members VALUES (?, ?, ?)"));
  return finish(insert.bind(m.physical_id).bind(m.said_key).bind(m.device_key));
}

Status SqliteStore::write(const StoredClass& c) {
  HONE_ASSIGN(insert, prepare("INSERT OR REPLACE INTO fleet_classes VALUES (?, ?, ?, ?)"));
  insert.bind(c.device_key).bind(c.said_key).bind(c.arithmetic_gflops).bind(c.memory_gb_s);
  return finish(insert);
}

Status SqliteStore::write(const StoredAgent& a) {
  HONE_ASSIGN(
      insert,
      prepare(
          "INSERT INTO fleet_agents (agent_id, agent_name, resume_hash, launch_hash, created_unix_ms, seen_unix_ms) "
          "VALUES (?, ?, ?, ?, ?, ?) "
          "ON CONFLICT (agent_id) DO UPDATE SET agent_name = excluded.agent_name, resume_hash = excluded.resume_hash, "
          "launch_hash = excluded.launch_hash, seen_unix_ms = excluded.seen_unix_ms"));
  insert.bind(a.agent_id).bind(a.agent_name).bind(a.resume_hash).bind(a.launch_hash);
  return finish(insert.bind(a.created_unix_ms).bind(a.seen_unix_ms));
}

Status SqliteStore::write(const StoredDevice& d) {
  const std::string fingerprint = json_line(to_json(*d.fingerprint));
  HONE_ASSIGN(keep, prepare("INSERT OR IGNORE INTO fleet_fingerprints (json) VALUES (?)"));
  HONE_TRY(finish(keep.bind(fingerprint)));
  HONE_ASSIGN(
      insert,
      prepare(
          "INSERT INTO fleet_devices (device_id, agent_id, local_id, device_key, fingerprint_id, timer_json, fence, "
          "created_unix_ms, seen_unix_ms, physical_id, label, hold, hold_reason) VALUES (?, ?, ?, ?, "
          "(SELECT fingerprint_id FROM fleet_fingerprints WHERE json = ?), ?, ?, ?, ?, ?, ?, ?, ?) "
          "ON CONFLICT (device_id) DO UPDATE SET device_key = excluded.device_key, fingerprint_id = "
          "excluded.fingerprint_id, timer_json = excluded.timer_json, fence = max(fence, excluded.fence), "
          "seen_unix_ms = excluded.seen_unix_ms, physical_id = excluded.physical_id, label = excluded.label, hold = excluded.hold, "
          "hold_reason = excluded.hold_reason"));
  insert.bind(d.device_id).bind(d.agent_id).bind(d.local_id).bind(d.device_key).bind(fingerprint);
  insert.bind(json_line(to_json(d.timer))).bind(d.fence).bind(d.created_unix_ms).bind(d.seen_unix_ms);
  insert.bind(d.physical_id).bind(d.label);
  return finish(insert.bind(std::string(kHoldNames[static_cast<size_t>(d.hold)])).bind(d.hold_reason));
}

Status SqliteStore::write(const DeviceUse& u) {
  HONE_ASSIGN(update, prepare("UPDATE fleet_devices SET fence = max(fence, ?), seen_unix_ms = ? WHERE device_id = ?"));
  HONE_TRY(finish(update.bind(u.fence).bind(u.seen_unix_ms).bind(u.device_id)));
  if (sqlite3_changes(db_.get()) == 1) return ok_status();
  return Error{ErrorCode::kIoError, cat("the database ", path_, " does not know the device ", u.device_id,
                                        ": what its agent said of it could not be stored")};
}

Status SqliteStore::write(const StoredLease& l) {
  HONE_ASSIGN(insert,
              prepare("INSERT INTO fleet_leases VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (lease_id) DO UPDATE SET "
                      "ended_unix_ms = excluded.ended_unix_ms, end_reason = excluded.end_reason"));
  insert.bind(l.lease_id).bind(l.device_id).bind(l.fence).bind(l.job).bind(l.user);
  HONE_TRY(finish(insert.bind(l.granted_unix_ms).bind(l.ended_unix_ms).bind(l.end_reason)));
  HONE_ASSIGN(old, prepare("DELETE FROM fleet_leases WHERE device_id = ? AND fence <= ? AND ended_unix_ms > 0"));
  return finish(old.bind(l.device_id).bind(static_cast<int64_t>(l.fence) - kEndedLeasesKept));
}

Status SqliteStore::write(const protocol::DeviceEvent& e) {
  const std::string kind(protocol::to_name(e.kind));
  HONE_ASSIGN(insert, prepare("INSERT INTO fleet_events (device_id, unix_ms, kind, user, text) VALUES (?, ?, ?, ?, ?)"));
  HONE_TRY(finish(insert.bind(e.device_id).bind(e.unix_ms).bind(kind).bind(e.user).bind(e.text)));
  HONE_ASSIGN(old, prepare("DELETE FROM fleet_events WHERE device_id = ?1 AND kind = ?2 AND event_id <= (SELECT event_id FROM "
                           "fleet_events WHERE device_id = ?1 AND kind = ?2 ORDER BY event_id DESC LIMIT 1 OFFSET ?3)"));
  return finish(old.bind(e.device_id).bind(kind).bind(kEventsKept));
}

Status SqliteStore::write(const ForgottenEvents& old) {
  HONE_ASSIGN(events, prepare("DELETE FROM fleet_events WHERE unix_ms < ?"));
  return finish(events.bind(old.before_unix_ms));
}

Result<std::vector<protocol::DeviceEvent>> SqliteStore::history(const std::vector<std::string>& device_ids, size_t count_max) {
  std::vector<protocol::DeviceEvent> events;
  for (const std::string& id : device_ids) {
    HONE_ASSIGN(rows, prepare("SELECT unix_ms, kind, user, text, event_id AS place FROM fleet_events WHERE device_id = ?1 UNION ALL "
                              "SELECT granted_unix_ms, 'leased', user, job, 0 FROM fleet_leases WHERE device_id = ?1 UNION ALL "
                              "SELECT ended_unix_ms, 'lease_ended', user, job || ': ' || end_reason, 0 FROM fleet_leases "
                              "WHERE device_id = ?1 AND ended_unix_ms > 0 ORDER BY unix_ms, place"));
    HONE_TRY(each_row(std::move(rows.bind(id)), [&](const Statement& row) {
      protocol::DeviceEvent event{.unix_ms = static_cast<uint64_t>(row.integer(0)), .device_id = id, .user = row.text(2), .text = row.text(3)};
      if (protocol::from_name(row.text(1), event.kind)) events.push_back(std::move(event));
      return ok_status();
    }));
  }
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.unix_ms < b.unix_ms; });
  if (events.size() > count_max) events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(count_max));
  return events;
}

Status SqliteStore::write(const ForgottenDevice& d) {
  HONE_ASSIGN(leases, prepare("DELETE FROM fleet_leases WHERE device_id = ?"));
  HONE_TRY(finish(leases.bind(d.device_id)));
  HONE_ASSIGN(events, prepare("DELETE FROM fleet_events WHERE device_id = ?"));
  HONE_TRY(finish(events.bind(d.device_id)));
  HONE_ASSIGN(device, prepare("DELETE FROM fleet_devices WHERE device_id = ?"));
  return finish(device.bind(d.device_id));
}

Status SqliteStore::write(const ForgottenAgent& a) {
  HONE_ASSIGN(agent, prepare("DELETE FROM fleet_agents WHERE agent_id = ?"));
  return finish(agent.bind(a.agent_id));
}

Status SqliteStore::write(const ForgottenToken& t) {
  HONE_ASSIGN(token, prepare("DELETE FROM fleet_tokens WHERE token_id = ?"));
  return finish(token.bind(t.token_id));
}

Status SqliteStore::commit(const std::vector<Write>& writes) {
  if (writes.empty()) return ok_status();
  return in_transaction([&]() -> Status {
    for (const Write& one : writes) HONE_TRY(std::visit([this](const auto& row) { return write(row); }, one));
    return ok_status();
  });
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path) {
  if (path != kInMemory) make_private_file(path);
  sqlite3* db = nullptr;
  // FULLMUTEX costs little here and lets the committing thread differ from the opening one without a thought.
  const int code =
      sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  auto store = std::make_unique<SqliteStore>(db, path);
  if (code != SQLITE_OK)
    return Error{ErrorCode::kIoError,
                 cat("the database ", path, ": it cannot be opened; check that its folder exists and can be written")};
  HONE_TRY(store->open());
  return std::unique_ptr<Store>(std::move(store));
}

namespace {

class ClassStore : public Store {
 public:
  ClassStore(std::unique_ptr<Store> classes, std::unique_ptr<Store> rest)
      : classes_(std::move(classes)), rest_(std::move(rest)) {}

  Result<StoredFleet> load() override {
    HONE_ASSIGN(kept, classes_->load());
    return StoredFleet{.classes = std::move(kept.classes), .members = std::move(kept.members)};
  }

  Status commit(const std::vector<Write>& writes) override {
    std::vector<Write> kept;
    std::copy_if(writes.begin(), writes.end(), std::back_inserter(kept), [](const Write& one) {
      return std::holds_alternative<StoredClass>(one) || std::holds_alternative<StoredMember>(one);
    });
    HONE_TRY(classes_->commit(kept));
    return rest_->commit(writes);
  }

  Result<std::vector<protocol::DeviceEvent>> history(const std::vector<std::string>& device_ids, size_t count_max) override {
    return rest_->history(device_ids, count_max);
  }

 private:
  const std::unique_ptr<Store> classes_, rest_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_class_store(const std::string& path) {
  HONE_ASSIGN(classes, open_sqlite_store(path));
  HONE_ASSIGN(rest, open_sqlite_store(kInMemory));
  return std::unique_ptr<Store>(std::make_unique<ClassStore>(std::move(classes), std::move(rest)));
}

}  // namespace hone::tracker
