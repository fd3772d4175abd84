#include "tracker/device_key.h"

#include <set>

#include "base/hash.h"
#include "base/json_text.h"

namespace hone::tracker {

std::string device_key(const protocol::Fingerprint& f) {
  const std::set<std::string> features(f.features.begin(), f.features.end());
  const nlohmann::json stable{f.target, f.vendor, f.architecture, f.device, f.backend, f.browser, f.browser_major, f.os, features, f.limits};
  return hash_bytes(json_line(stable)).hex();
}

}  // namespace hone::tracker
