// What is told of a device's history as it is written.
#pragma once
#include <optional>
#include <vector>

#include "schema/generated/protocol.h"
#include "tracker/store.h"

namespace hone::tracker {

// The events among these writes, as Store::history will tell them.
std::vector<protocol::DeviceEvent> events_of(const std::vector<Write>& writes);

}  // namespace hone::tracker
