#include "tracker/sql_store.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/sql/migrate.h"
#include "tracker/fleet_migrations.h"
#include "tracker/fleet_statements.h"

namespace hone::tracker {

namespace {

using sql::Row;

// What a person may have written into the database is no bound below none.
uint64_t bound_of(const Row& row, int column) { return static_cast<uint64_t>(std::max<int64_t>(0, row.integer(column))); }

template <class T>
Result<T> read_json(const std::string& text) {
  const auto json = parse_json(text);
  if (!json.ok()) return Error{ErrorCode::kIoError, cat("the database is damaged: of a text in the fleet's tables, ", json.error().message)};
  return protocol::from_json<T>(*json);
}

class SqlStore final : public Store {
 public:
  SqlStore(std::unique_ptr<sql::Database> db, std::optional<Turn> turn) : db_(std::move(db)), turn_(std::move(turn)) {}

  Status open(const std::vector<std::string>& migrations, bool cleans);
  Result<StoredFleet> load() override;
  Status commit(const std::vector<Write>& writes) override;
  Result<std::vector<protocol::DeviceEvent>> history(const std::vector<std::string>& device_ids, size_t count_max) override;

 private:
  using Fingerprints = std::map<int64_t, FingerprintPtr>;
  Status load_agents(StoredFleet& fleet);
  Result<Fingerprints> load_fingerprints();
  Status load_devices(StoredFleet& fleet);
  Status load_leases(StoredFleet& fleet);
  Status load_classes(StoredFleet& fleet);
  Status load_tokens(StoredFleet& fleet);

  // The row stays locked until the transaction ends: nobody takes the farm in its midst.
  sql::Command still_our_turn() const {
    return {"SELECT epoch FROM fleet_leader WHERE epoch = $1 AND tracker_id = $2 FOR SHARE",
            {static_cast<int64_t>(turn_->epoch), turn_->tracker_id},
            Error{ErrorCode::kStaleFence, "another tracker has the farm"}};
  }

  const std::unique_ptr<sql::Database> db_;
  const std::optional<Turn> turn_;
};

Status SqlStore::open(const std::vector<std::string>& migrations, bool cleans) {
  HONE_TRY(sql::migrate(*db_, "fleet", migrations));
  if (!cleans) return ok_status();
  // What devices said of themselves before, or forgotten ones.
  return db_->execute("DELETE FROM fleet_fingerprints WHERE fingerprint_id NOT IN (SELECT fingerprint_id FROM fleet_devices)");
}

Status SqlStore::load_agents(StoredFleet& fleet) {
  return db_->query("SELECT agent_id, agent_name, resume_hash, launch_hash, created_unix_ms, seen_unix_ms FROM fleet_agents ORDER BY agent_id", {}, [&](const Row& row) {
    fleet.agents.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.integer(4), row.integer(5)});
    return ok_status();
  });
}

Result<SqlStore::Fingerprints> SqlStore::load_fingerprints() {
  Fingerprints fingerprints;
  HONE_TRY(db_->query("SELECT fingerprint_id, json FROM fleet_fingerprints", {}, [&](const Row& row) -> Status {
    HONE_ASSIGN(fingerprint, read_json<protocol::Fingerprint>(row.text(1)));
    fingerprints[row.integer(0)] = std::make_shared<protocol::Fingerprint>(std::move(fingerprint));
    return ok_status();
  }));
  return fingerprints;
}

Status SqlStore::load_devices(StoredFleet& fleet) {
  HONE_ASSIGN(fingerprints, load_fingerprints());
  return db_->query(
      "SELECT device_id, agent_id, local_id, device_key, fingerprint_id, timer_json, fence, created_unix_ms, seen_unix_ms, physical_id, label, hold, hold_reason "
      "FROM fleet_devices ORDER BY device_id",
      {}, [&](const Row& row) -> Status {
        const auto fingerprint = fingerprints.find(row.integer(4));
        if (fingerprint == fingerprints.end())
          return Error{ErrorCode::kIoError,
                       cat("the database ", db_->name(), " is damaged: the fingerprint of ", row.text(0), " is missing; restore a copy, or give another --db")};
        HONE_ASSIGN(timer, read_json<protocol::Timer>(row.text(5)));
        fleet.devices.push_back({row.text(0), row.text(1), row.text(2), row.text(3), fingerprint->second, timer, static_cast<uint64_t>(row.integer(6)), row.integer(7),
                                 row.integer(8), row.text(9), row.text(10), hold_named(row.text(11)), row.text(12)});
        return ok_status();
      });
}

Status SqlStore::load_leases(StoredFleet& fleet) {
  return db_->query("SELECT lease_id, device_id, fence, job, \"user\", granted_unix_ms FROM fleet_leases WHERE ended_unix_ms = 0 ORDER BY lease_id", {}, [&](const Row& row) {
    fleet.open_leases.push_back({row.text(0), row.text(1), static_cast<uint64_t>(row.integer(2)), row.text(3), row.text(4), row.integer(5), 0, ""});
    return ok_status();
  });
}

Status SqlStore::load_classes(StoredFleet& fleet) {
  HONE_TRY(db_->query("SELECT device_key, said_key, arithmetic_gflops, memory_gb_s FROM fleet_classes ORDER BY device_key", {}, [&](const Row& row) {
    fleet.classes.push_back({row.text(0), row.text(1), row.real(2), row.real(3)});
    return ok_status();
  }));
  return db_->query("SELECT physical_id, said_key, device_key FROM fleet_members ORDER BY physical_id, said_key", {}, [&](const Row& row) {
    fleet.members.push_back({row.text(0), row.text(1), row.text(2)});
    return ok_status();
  });
}

Status SqlStore::load_tokens(StoredFleet& fleet) {
  return db_->query("SELECT token_id, token_hash, role, name, created_unix_ms, expires_unix_ms, revoked_unix_ms, used_unix_ms, idle_ms_max, devices_max, jobs_max, bytes_max "
                    "FROM fleet_tokens ORDER BY token_id",
                    {}, [&](const Row& row) {
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
                    });
}

Result<StoredFleet> SqlStore::load() {
  StoredFleet fleet;
  HONE_TRY(load_agents(fleet));
  HONE_TRY(load_devices(fleet));
  HONE_TRY(load_leases(fleet));
  HONE_TRY(load_classes(fleet));
  HONE_TRY(load_tokens(fleet));
  return fleet;
}

Status SqlStore::commit(const std::vector<Write>& writes) {
  if (writes.empty()) return ok_status();
  std::vector<sql::Command> commands;
  if (turn_) commands.push_back(still_our_turn());
  for (const Write& one : writes) add_statements(one, db_->name(), commands);
  return db_->commit(commands);
}

Result<std::vector<protocol::DeviceEvent>> SqlStore::history(const std::vector<std::string>& device_ids, size_t count_max) {
  std::vector<protocol::DeviceEvent> events;
  for (const std::string& id : device_ids)
    HONE_TRY(db_->query("SELECT unix_ms, kind, \"user\", text, event_id AS place FROM fleet_events WHERE device_id = $1 UNION ALL "
                        "SELECT granted_unix_ms, 'leased', \"user\", job, 0 FROM fleet_leases WHERE device_id = $1 UNION ALL "
                        "SELECT ended_unix_ms, 'lease_ended', \"user\", job || ': ' || end_reason, 0 FROM fleet_leases "
                        "WHERE device_id = $1 AND ended_unix_ms > 0 ORDER BY unix_ms, place",
                        {id}, [&](const Row& row) {
                          protocol::DeviceEvent event{.unix_ms = static_cast<uint64_t>(row.integer(0)), .device_id = id, .user = row.text(2), .text = row.text(3)};
                          if (protocol::from_name(row.text(1), event.kind)) events.push_back(std::move(event));
                          return ok_status();
                        }));
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.unix_ms < b.unix_ms; });
  if (events.size() > count_max) events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(count_max));
  return events;
}

class ClassStore final : public Store {
 public:
  ClassStore(std::unique_ptr<Store> classes, std::unique_ptr<Store> rest) : classes_(std::move(classes)), rest_(std::move(rest)) {}

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

Result<std::unique_ptr<Store>> open_store(const std::string& where, std::optional<Turn> turn) {
  HONE_ASSIGN(db, sql::open_database(where));
  const bool has_turn = turn.has_value();
  auto store = std::make_unique<SqlStore>(std::move(db), std::move(turn));
  const bool shared = sql::is_postgres(where);
  HONE_TRY(store->open(shared ? fleet_postgres_migrations() : fleet_migrations(), !shared || has_turn));
  return std::unique_ptr<Store>(std::move(store));
}

Result<std::unique_ptr<Store>> open_class_store(const std::string& where) {
  HONE_ASSIGN(classes, open_store(where));
  HONE_ASSIGN(rest, open_store(sql::kInMemory));
  return std::unique_ptr<Store>(std::make_unique<ClassStore>(std::move(classes), std::move(rest)));
}

}  // namespace hone::tracker
