#include "cli/best_schedule.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "cli/record_names.h"
#include "cli/record_views.h"
#include "schema/generated/protocol.h"
#include "server/agents/device_target.h"

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

Error untuned(const std::string& where, target::Kind kind, const std::string& device_key) {
  const std::string target(target::kind_name(kind));
  return {ErrorCode::kNotFound,
          cat(where, " has no time of this task for ", target, device_key.empty() ? "" : " on that device",
              "; tune it first (hone tune with the same source and --target ", target, "), give another --target, or --schedule seed")};
}

}  // namespace

Result<BestSchedule> best_schedule(RecordSource& records, const te::Task& task, target::Kind kind,
                                   const std::string& device_key) {
  tuner::RecordStore& store = records.store();
  tuner::RecordFilter filter{.tasks = std::set{task.id}};
  if (!device_key.empty()) {
    HONE_ASSIGN(device, device_named(device_key, store));
    filter.device_key = std::move(device);
  }
  HONE_TRY(records.fetch(filter));
  HONE_ASSIGN(best, best_records(store, filter));
  std::erase_if(best.all, [kind](const BestRecord& record) { return record.target != target::kind_name(kind); });
  tell_of_damage(records);
  if (best.all.empty()) return untuned(records.name(), kind, device_key);
  const BestRecord& fastest =
      *std::min_element(best.all.begin(), best.all.end(),
                        [](const BestRecord& a, const BestRecord& b) { return a.best.latency_us < b.best.latency_us; });
  HONE_ASSIGN(trace, schedule::trace_from_json(fastest.best.trace_json));
  HONE_ASSIGN(target, target_of_key(store, fastest.device_key));
  return BestSchedule{trace, target, fastest.device_name};
}

Result<target::Target> recorded_target(RecordSource& records, const std::string& device_key, target::Kind kind) {
  HONE_ASSIGN(device, device_named(device_key, records.store()));
  HONE_ASSIGN(target, target_of_key(records.store(), device));
  if (target.kind != kind)
    return Error{ErrorCode::kInvalidArgument,
                 cat("the device ", device_key, " runs kernels for ", target::kind_name(target.kind), ", not for ",
                     target::kind_name(kind), "; give --target ", target::kind_name(target.kind))};
  return target;
}

}  // namespace hone::cli
