// DeviceStates: whether a device was slower than usual when something was timed on it, by the agent's reference kernel, which is always the same work.
// A GPU that throttles for good and a processor that has other work make every kernel slow, and no sample disagrees with another.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tuner/records/store.h"

namespace hone::tuner {

// From here on a time is of a slow state: twice the tenth within which the samples of one candidate agree (browser-agent/src/core/agreement.ts).
inline constexpr double kSlowState = 1.2;
inline constexpr size_t kStateAttempts = 16;  // fewer of one device tell nothing of what is usual

class DeviceStates {
 public:
  // Of all devices of a class. What is usual is the lower quartile of a device's references: a device is rarely faster than it is.
  static Result<DeviceStates> read(RecordStore& store, const std::string& device_key);

  // How many times as long as usual the reference kernel took, at least 1; 1 where nothing is usual. Another hone may have another kernel.
  double slowdown(const std::string& device, const std::string& compiler_version, double reference_us) const;
  double slowdown(const KnownTrial& trial) const;

 private:
  std::map<std::pair<std::string, std::string>, double> usual_us_;  // by device and compiler version
};

}  // namespace hone::tuner
