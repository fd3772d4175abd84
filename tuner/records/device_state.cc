#include "tuner/records/device_state.h"

#include <algorithm>

namespace hone::tuner {

Result<DeviceStates> DeviceStates::read(RecordStore& store, const std::string& device_key) {
  HONE_ASSIGN(references, store.references(device_key));
  std::map<std::pair<std::string, std::string>, std::vector<double>> all;
  for (const Reference& one : references) all[{one.device, one.compiler_version}].push_back(one.us);
  DeviceStates states;
  for (auto& [whose, us] : all) {
    if (us.size() < kStateAttempts) continue;
    const auto quartile = us.begin() + static_cast<std::ptrdiff_t>(us.size() / 4);
    std::nth_element(us.begin(), quartile, us.end());
    states.usual_us_[whose] = *quartile;
  }
  return states;
}

double DeviceStates::slowdown(const std::string& device, const std::string& compiler_version,
                              double reference_us) const {
  const auto usual = usual_us_.find({device, compiler_version});
  return usual == usual_us_.end() || reference_us <= 0 ? 1 : std::max(1.0, reference_us / usual->second);
}

double DeviceStates::slowdown(const KnownTrial& trial) const {
  return slowdown(trial.device, trial.compiler_version, trial.reference_us);
}

}  // namespace hone::tuner
