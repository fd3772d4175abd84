// Devices as tables and JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "schema/generated/protocol.h"

namespace hone::cli {

std::string devices_table(const std::vector<protocol::DeviceInfo>& devices);

// One device with its history.
std::string device_page(const protocol::DeviceShown& shown);
nlohmann::ordered_json device_page_json(const protocol::DeviceShown& shown);

}  // namespace hone::cli
