// The classes of devices in a record store, as this hone forms them.
#pragma once
#include "tuner/records/sql_store.h"

namespace hone::server {

// Opens a store, and gives records of a hone that formed its classes otherwise the keys of now. Fails: as tuner::open_record_store.
Result<std::unique_ptr<tuner::RecordStore>> open_records(const tuner::StoreOptions& options);

// The class of a record: its key, or that of now where a hone that formed its classes otherwise gave it.
std::string class_of(const std::string& device_key, const std::string& fingerprint_json);

}  // namespace hone::server
