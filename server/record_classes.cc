#include "server/record_classes.h"

#include <map>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/number_text.h"
#include "schema/device_key.h"

namespace hone::server {

std::string class_of(const std::string& device_key, const std::string& fingerprint_json) {
  const auto json = parse_json(fingerprint_json);
  if (!json.ok()) return device_key;
  const auto fingerprint = protocol::from_json<protocol::Fingerprint>(*json);
  if (!fingerprint.ok() || protocol::former_device_key(*fingerprint) != device_key) return device_key;
  return protocol::device_key(*fingerprint);
}

namespace {

Status update_classes(tuner::RecordStore& store) {
  HONE_ASSIGN(devices, store.devices());
  std::map<std::string, std::string> renamed;
  for (const tuner::DeviceInfo& device : devices)
    if (const std::string key = class_of(device.key, device.fingerprint_json); key != device.key)
      renamed.emplace(device.key, key);
  for (const auto& [from, to] : renamed) HONE_TRY(store.rename_device(from, to));
  if (!renamed.empty())
    log_info(cat("the records of ", counted(static_cast<int64_t>(renamed.size()), "class", "classes"),
                 " of devices have new keys, in which no version of a browser stands"));
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<tuner::RecordStore>> open_records(const tuner::StoreOptions& options) {
  HONE_ASSIGN(store, tuner::open_record_store(options));
  HONE_TRY(update_classes(*store));
  return std::move(store);
}

}  // namespace hone::server
