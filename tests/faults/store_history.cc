#include "tests/faults/store_history.h"

#include "base/cat.h"
#include "base/sql/sqlite_db.h"

namespace hone::faults {

namespace {

const Hash kTask{1, 2};
constexpr const char* kDevice = "device-a";

// The first row of a statement whose only column is a text; "" = none.
std::string first_row(sql::SqliteDb& db, const char* sql) {
  auto statement = db.prepare(sql);
  if (!statement.ok()) return statement.error().message;
  const int code = statement->step();
  if (code == SQLITE_ROW) return statement->text(0);
  return code == SQLITE_DONE ? "" : db.error(code).message;
}

std::string fault_of_file(const std::string& path) {
  auto db = sql::SqliteDb::open(path);
  if (!db.ok()) return db.error().message;
  const std::string found = first_row(*db, "PRAGMA integrity_check");
  return found == "ok" ? "" : found;
}

// Of one whose tables are there.
std::string fault_of_references(const std::string& path) {
  auto db = sql::SqliteDb::open(path).value();
  const std::string orphan = first_row(db, "SELECT \"table\" || ' ' || rowid FROM pragma_foreign_key_check");
  if (!orphan.empty()) return cat("row ", orphan, " belongs to nothing");
  const std::string empty = first_row(db, "SELECT source_hash FROM trials WHERE trial NOT IN (SELECT trial FROM attempts)");
  return empty.empty() ? "" : cat("trial ", empty, " has no attempt");
}

}  // namespace

Status StoreHistory::prepare(tuner::RecordStore& store) {
  HONE_TRY(store.put_task({kTask, "a task", "text", 100}));
  return store.put_device({kDevice, "webgpu", R"({"vendor":"x"})"});
}

tuner::Record StoreHistory::record(uint64_t source, const std::string& agent) {
  tuner::Record record;
  record.task_id = kTask;
  record.device_key = kDevice;
  record.source_hash = {7, source};
  record.trace_json = R"({"version":1})";
  record.outcome = ErrorCode::kOk;
  record.samples_us = {10, 11, 12};
  record.latency_us_median = 11;
  record.method = "timestamp";
  record.fingerprint_json = R"({"vendor":"x"})";
  record.features.assign(180, static_cast<float>(source));
  record.feature_version = 1;
  record.agent = agent;
  return record;
}

void StoreHistory::insert(tuner::RecordStore& store, uint64_t source, const std::string& agent) {
  store.insert(record(source, agent), [this, source, agent](const Status& status) {
    std::lock_guard lock(mutex_);
    if (!status.ok()) ++refused_;
    else told_.try_emplace(source, Told{agent, vfs_.events()});
  });
}

void StoreHistory::forget(tuner::RecordStore& store, const std::string& agent) {
  Forgotten& forgotten = forgotten_.try_emplace(agent, Forgotten{.began = vfs_.events()}).first->second;
  if (store.forget({.agent = agent}).ok()) forgotten.ended = vfs_.events();
}

std::string StoreHistory::fault_of(const std::string& path, size_t moment) const {
  if (std::string fault = fault_of_file(path); !fault.empty()) return fault;
  auto store = tuner::open_record_store({.where = path});
  if (!store.ok()) return store.error().message;
  if (std::string fault = fault_of_references(path); !fault.empty()) return fault;
  return fault_of_rows(**store, moment);
}

std::string StoreHistory::fault_of_rows(tuner::RecordStore& store, size_t moment) const {
  std::map<uint64_t, int> found;
  const Status listed = store.list({}, [&found](const tuner::Record& record) { return ++found[record.source_hash.lo], ok_status(); });
  if (!listed.ok()) return listed.error().message;
  std::lock_guard lock(mutex_);
  for (const auto& [source, told] : told_) {
    const auto forgotten = forgotten_.find(told.agent);
    const bool kept = forgotten == forgotten_.end() || forgotten->second.began > moment;
    const bool gone = forgotten != forgotten_.end() && forgotten->second.ended <= moment;
    if (told.acknowledged <= moment && kept && found[source] != 1) return cat("record ", source, " was acknowledged, and is there ", found[source], " times");
    if (gone && found[source] != 0) return cat("record ", source, " was forgotten, and is there");
  }
  return store.damage().first;
}

size_t StoreHistory::acknowledged() const {
  std::lock_guard lock(mutex_);
  return told_.size();
}

size_t StoreHistory::refused() const {
  std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace hone::faults
