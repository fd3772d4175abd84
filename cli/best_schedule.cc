#include "cli/best_schedule.h"

#include <spdlog/spdlog.h>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "cli/record_views.h"
#include "schema/generated/protocol.h"
#include "server/agents/device_target.h"
#include "tuner/records/sqlite_store.h"

namespace hone::cli {

namespace {

Result<target::Target> target_of_key(tuner::RecordStore& store, const std::string& device_key) {
  HONE_ASSIGN(devices, store.devices());
  for (const tuner::DeviceInfo& device : devices) {
    if (device.key != device_key) continue;
    HONE_ASSIGN(said, parse_json(device.fingerprint_json));
    HONE_ASSIGN(fingerprint, protocol::from_json<protocol::Fingerprint>(said));
    return server::target_of(fingerprint);
  }
  return Error{ErrorCode::kNotFound, cat("the records do not describe the device ", device_key,
                                         "; hone records best lists those that they do")};
}

Error untuned(const std::string& db, const std::string& device_key) {
  return {ErrorCode::kNotFound, cat(db, " has no time of this task ", device_key.empty() ? "yet" : "on that device",
                                    "; tune it first, or give --schedule seed")};
}

}  // namespace

Result<BestSchedule> best_schedule(const std::string& db, const te::Task& task, const std::string& device_key) {
  if (!std::filesystem::exists(db)) return untuned(db, device_key);
  HONE_ASSIGN(store, tuner::open_sqlite_store({.path = db}));
  HONE_ASSIGN(best, best_records(*store, {.task_id = task.id, .device_key = device_key}));
  if (const tuner::Damage damage = store->damage(); damage.rows > 0)
    spdlog::warn("{} damaged rows of {} are left out, the first: {}", damage.rows, db, damage.first);
  if (best.all.empty()) return untuned(db, device_key);
  const BestRecord& fastest =
      *std::min_element(best.all.begin(), best.all.end(),
                        [](const BestRecord& a, const BestRecord& b) { return a.best.latency_us < b.best.latency_us; });
  HONE_ASSIGN(trace, schedule::trace_from_json(fastest.best.trace_json));
  HONE_ASSIGN(target, target_of_key(*store, fastest.device_key));
  return BestSchedule{trace, target};
}

Result<target::Target> recorded_target(const std::string& db, const std::string& device_key, target::Kind kind) {
  if (!std::filesystem::exists(db))
    return Error{ErrorCode::kNotFound, cat("there is no database ", db, " that describes the device ", device_key,
                                           "; give another with --db FILE")};
  HONE_ASSIGN(store, tuner::open_sqlite_store({.path = db}));
  HONE_ASSIGN(target, target_of_key(*store, device_key));
  if (target.kind != kind)
    return Error{ErrorCode::kInvalidArgument,
                 cat("the device ", device_key, " runs kernels for ", target::kind_name(target.kind), ", not for ",
                     target::kind_name(kind), "; give --target ", target::kind_name(target.kind))};
  return target;
}

}  // namespace hone::cli
