#include "schema/device_key.h"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>

#include "base/hash.h"
#include "base/json_text.h"

namespace hone::protocol {

namespace {

// What of a browser's features is the device's own, or the page's (threads). Those of a language that any browser may learn are not here.
constexpr std::array kFeatures{"shader-f16", "subgroups", "simd128", "threads"};

// Those that server/agents/device_target.cc reads, and what tells how many units there are.
constexpr std::array kLimits{"maxComputeInvocationsPerWorkgroup",
                             "maxComputeWorkgroupSizeX",
                             "maxComputeWorkgroupSizeY",
                             "maxComputeWorkgroupSizeZ",
                             "maxComputeWorkgroupStorageSize",
                             "maxStorageBuffersPerShaderStage",
                             "maxComputeWorkgroupsPerDimension",
                             "maxStorageBufferBindingSize",
                             "linearSubgroupSize",
                             "MAX_TEXTURE_SIZE",
                             "MAX_ARRAY_TEXTURE_LAYERS",
                             "MAX_DRAW_BUFFERS",
                             "MAX_COLOR_ATTACHMENTS",
                             "MAX_TEXTURE_IMAGE_UNITS",
                             "PREFERRED_VECTOR_WIDTH_FLOAT",
                             "MAX_WORK_GROUP_SIZE",
                             "MAX_WORK_ITEM_SIZE_X",
                             "MAX_WORK_ITEM_SIZE_Y",
                             "MAX_WORK_ITEM_SIZE_Z",
                             "LOCAL_MEM_SIZE",
                             "MAX_PARAMETER_SIZE",
                             "MAX_MEM_ALLOC_SIZE",
                             "MAX_COMPUTE_UNITS",
                             "vector_lanes",
                             "vector_registers",
                             "threads"};

template <class Names>
bool is_one_of(const Names& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
}

// A native kernel is made for each of the processor's features.
std::set<std::string> kept_features(const Fingerprint& f) {
  std::set<std::string> kept;
  for (const std::string& feature : f.features)
    if (f.target == "native" || is_one_of(kFeatures, feature)) kept.insert(feature);
  return kept;
}

std::map<std::string, double> kept_limits(const Fingerprint& f) {
  std::map<std::string, double> kept;
  for (const auto& [name, limit] : f.limits)
    if (is_one_of(kLimits, name)) kept.emplace(name, limit);
  return kept;
}

// "Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE))" says which version its driver speaks.
std::string without_versions(const std::string& device) {
  static const std::regex version(R"((^|[\s(])v?\d+(\.\d+)+(?=$|[\s,)]))");
  return std::regex_replace(device.substr(0, 256), version, "$1");
}

std::string hash_of(const nlohmann::json& parts) { return hash_bytes(json_line(parts)).hex(); }

}  // namespace

std::string device_key(const Fingerprint& f) {
  return hash_of({f.target, f.vendor, f.architecture, without_versions(f.device), f.backend, f.browser, f.os,
                  kept_features(f), kept_limits(f)});
}

std::string former_device_key(const Fingerprint& f) {
  const std::set<std::string> features(f.features.begin(), f.features.end());
  return hash_of(nlohmann::json{f.target, f.vendor, f.architecture, f.device, f.backend, f.browser, f.browser_major,
                                f.os, features, f.limits});
}

}  // namespace hone::protocol
