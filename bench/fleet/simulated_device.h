// What a simulated device says of itself: as much as a browser does, with some forty limits and features.
#pragma once
#include "base/cat.h"
#include "schema/generated/protocol.h"

namespace hone::bench {

inline constexpr int kDeviceKinds = 20;  // that say different things

inline protocol::Fingerprint simulated_fingerprint(int number) {
  protocol::Fingerprint fingerprint{.target = "webgpu",
                                    .vendor = cat("vendor-", number % kDeviceKinds),
                                    .browser = "chromium",
                                    .browser_major = 156,
                                    .os = "linux"};
  for (int i = 0; i < 36; ++i) fingerprint.limits[cat("maxSomethingPerShaderStage", i)] = 1 << 20;
  for (int i = 0; i < 16; ++i) fingerprint.features.push_back(cat("texture-compression-of-kind-", i));
  return fingerprint;
}

}  // namespace hone::bench
