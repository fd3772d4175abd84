#include "cli/best_schedule.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cat.h"
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
    HONE_ASSIGN(fingerprint, protocol::from_json<protocol::Fingerprint>(
                                 nlohmann::json::parse(device.fingerprint_json, nullptr, false)));
    return server::target_of(fingerprint);
  }
  return Error{ErrorCode::kNotFound, cat("the records do not describe the device ", device_key)};
}

}  // namespace

Result<BestSchedule> best_schedule(const std::string& db, const te::Task& task) {
  const Error unknown{ErrorCode::kNotFound,
                      cat(db, " has no time of this task yet; tune it first, or give --schedule seed")};
  if (!std::filesystem::exists(db)) return unknown;
  HONE_ASSIGN(store, tuner::open_sqlite_store({.path = db}));
  HONE_ASSIGN(best, best_records(*store, {.task_id = task.id}));
  if (best.empty()) return unknown;
  const BestRecord& fastest = *std::min_element(best.begin(), best.end(), [](const BestRecord& a, const BestRecord& b) {
    return a.best.latency_us < b.best.latency_us;
  });
  HONE_ASSIGN(trace, schedule::trace_from_json(fastest.best.trace_json));
  HONE_ASSIGN(target, target_of_key(*store, fastest.device_key));
  return BestSchedule{trace, target};
}

}  // namespace hone::cli
