#include "cli/best_schedule.h"

#include <spdlog/spdlog.h>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "cli/record_names.h"
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
  return Error{ErrorCode::kNotFound,
               cat("the records do not have the device ", device_key, "; hone records best lists those they have")};
}

Error untuned(const std::string& db, target::Kind kind, const std::string& device_key) {
  const std::string target(target::kind_name(kind));
  return {ErrorCode::kNotFound,
          cat(db, " has no time of this task for ", target, device_key.empty() ? "" : " on that device",
              "; tune it first (hone tune --target ", target, "), give another --target, or --schedule seed")};
}

}  // namespace

Result<BestSchedule> best_schedule(const std::string& db, const te::Task& task, target::Kind kind,
                                   const std::string& device_key) {
  if (!std::filesystem::exists(db)) return untuned(db, kind, device_key);
  HONE_ASSIGN(store, tuner::open_sqlite_store({.path = db}));
  tuner::RecordFilter filter{.tasks = std::set{task.id}};
  if (!device_key.empty()) {
    HONE_ASSIGN(device, device_named(device_key, *store));
    filter.device_key = std::move(device);
  }
  HONE_ASSIGN(best, best_records(*store, filter));
  std::erase_if(best.all, [kind](const BestRecord& record) { return record.target != target::kind_name(kind); });
  if (const tuner::Damage damage = store->damage(); damage.rows > 0)
    spdlog::warn("left out of {}: {}; the first: {}", db, counted(damage.rows, "damaged row"), damage.first);
  if (best.all.empty()) return untuned(db, kind, device_key);
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
  HONE_ASSIGN(device, device_named(device_key, *store));
  HONE_ASSIGN(target, target_of_key(*store, device));
  if (target.kind != kind)
    return Error{ErrorCode::kInvalidArgument,
                 cat("the device ", device_key, " runs kernels for ", target::kind_name(target.kind), ", not for ",
                     target::kind_name(kind), "; give --target ", target::kind_name(target.kind))};
  return target;
}

}  // namespace hone::cli
