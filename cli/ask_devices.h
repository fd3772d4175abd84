// The devices that a service knows, by its own account.
#pragma once
#include <vector>

#include "base/result.h"
#include "cli/service_url.h"
#include "schema/generated/protocol.h"

namespace hone::cli {

// In the order of their ids, page by page. Fails: as ServiceClient; timeout, protocol_error.
Result<std::vector<protocol::DeviceInfo>> ask_devices(const ServiceUrl& url);

}  // namespace hone::cli
