// What the CPU of this machine is, as the agent tells the service.
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace hone::native {

// {"vendor", "model", "name", "architecture", "features", "vector_lanes", "vector_registers"}. Reads /proc/cpuinfo: before the sandbox.
nlohmann::json describe_host();

// The value behind `key` in the text of /proc/cpuinfo, "" where there is none.
std::string_view cpuinfo_value(std::string_view text, std::string_view key);

}  // namespace hone::native
