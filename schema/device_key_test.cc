#include "schema/device_key.h"

#include <gtest/gtest.h>

#include <set>

namespace hone::protocol {
namespace {

Fingerprint a_gpu() {
  return {.target = "webgpu",
          .vendor = "apple",
          .architecture = "metal-3",
          .device = "Vulkan 1.3.0 (a device)",
          .backend = "metal",
          .browser = "chromium",
          .browser_major = 156,
          .os = "macos",
          .features = {"subgroups", "shader-f16"},
          .limits = {{"maxComputeWorkgroupSizeX", 256}}};
}

// Given two fingerprints, when they differ in what a browser or a driver changes with its next version, then the key is the same.
TEST(DeviceKey, IsTheSameForTheNextVersion) {
  const std::string key = device_key(a_gpu());
  EXPECT_EQ(key.size(), 32u);
  Fingerprint next = a_gpu();
  next.description = "another driver";
  next.device = "Vulkan 1.4.1 (a device)";
  EXPECT_EQ(device_key({.device = "llvmpipe (LLVM 15.0.7, 256 bits)"}),
            device_key({.device = "llvmpipe (LLVM 19.1, 256 bits)"}));
  EXPECT_NE(device_key({.device = "GeForce RTX 4070"}), device_key({.device = "GeForce RTX 4080"}));
  next.browser_major = 157;
  next.features = {"shader-f16", "subgroups", "texture-component-swizzle"};
  next.limits["maxImmediateSize"] = 64;
  next.launch_us = 7;
  EXPECT_EQ(device_key(next), key);
  EXPECT_NE(former_device_key(next), former_device_key(a_gpu()));
}

// Given two fingerprints, when they differ in what kernels are made for, then so do the keys.
TEST(DeviceKey, DiffersWithWhatKernelsAreMadeFor) {
  std::set<std::string> keys{device_key(a_gpu())};
  for (const auto field : {&Fingerprint::target, &Fingerprint::vendor, &Fingerprint::architecture, &Fingerprint::device,
                           &Fingerprint::backend, &Fingerprint::browser, &Fingerprint::os}) {
    Fingerprint other = a_gpu();
    other.*field += "x";
    EXPECT_TRUE(keys.insert(device_key(other)).second);
  }
  Fingerprint other = a_gpu();
  other.features = {"subgroups"};
  EXPECT_TRUE(keys.insert(device_key(other)).second);
  other = a_gpu();
  other.limits["linearSubgroupSize"] = 32;
  EXPECT_TRUE(keys.insert(device_key(other)).second);
  other = a_gpu();
  other.target = "native", other.features.push_back("avx512f");
  EXPECT_TRUE(keys.insert(device_key(other)).second);
}

}  // namespace
}  // namespace hone::protocol
