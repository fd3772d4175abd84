#include "server/jobs/package_choice.h"

#include <algorithm>
#include <optional>

#include "base/cat.h"

namespace hone::server {

namespace {

// What the device lacks, in words; empty: nothing.
std::string lack_of(const protocol::PlanHead& head, const protocol::Fingerprint& device) {
  for (const std::string& feature : head.features)
    if (std::find(device.features.begin(), device.features.end(), feature) == device.features.end())
      return cat("has no ", feature);
  for (const auto& [name, least] : head.limits) {
    const auto found = device.limits.find(name);
    const double has = found == device.limits.end() ? 0 : found->second;
    // An exchange between lanes is compiled for one size.
    if (name == "linearSubgroupSize" ? has != least : has < least)
      return cat("has ", name, " ", has, ", and ", least, " is needed");
  }
  return "";
}

int nearness(const protocol::PlanHead& head, const protocol::Fingerprint& device) {
  if (head.vendor.empty() && head.architecture.empty() && head.browser.empty()) return 1;
  if (head.vendor != device.vendor || head.architecture != device.architecture) return 0;
  if (head.browser == device.browser) return 3;
  return head.vendor.empty() && head.architecture.empty() ? 0 : 2;
}

}  // namespace

Result<size_t> choose_plan(const protocol::Manifest& manifest, const protocol::Fingerprint& device) {
  std::optional<size_t> chosen;
  std::string lacks;
  for (size_t i = 0; i < manifest.plans.size(); i++) {
    const protocol::PlanHead& head = manifest.plans[i];
    if (protocol::to_name(head.backend) != device.target) continue;
    if (const std::string lack = lack_of(head, device); !lack.empty()) lacks += cat("; for '", head.made_for, "' the device ", lack);
    else if (!chosen || nearness(head, device) > nearness(manifest.plans[*chosen], device)) chosen = i;
  }
  if (chosen) return *chosen;
  return Error{ErrorCode::kUnsupported,
               cat("the package has no plan for ", device.target, " that this device can run", lacks,
                   "; export it for this device, or take another --target")};
}

}  // namespace hone::server
