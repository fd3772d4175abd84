#include "server/agents/device_target.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone::server {
namespace {

TEST(DeviceTarget, WasmFollowsTheFeatures) {
  // Given a browser's WebAssembly with threads and without relaxed SIMD, when its target is made, then it says so; without SIMD
  // kernels have no vectors.
  protocol::Fingerprint fingerprint{.target = "wasm", .features = {"simd128", "threads"}};
  auto target = target_of(fingerprint);
  ASSERT_TRUE(target.ok()) << target.error().message;
  EXPECT_EQ(target->kind, target::Kind::kWasm);
  EXPECT_TRUE(target->has_threads);
  EXPECT_FALSE(target->has_relaxed_simd);
  EXPECT_EQ(target->lanes, (std::vector<int>{1, 4}));
  fingerprint.features = {"threads"};
  target = target_of(fingerprint);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->lanes, std::vector<int>{1});
}

TEST(DeviceTarget, NativeFollowsTheVectors) {
  // Given a CPU with vectors of 16 f32 in 32 registers, when its target is made, then all widths below are legal and two registers are left;
  // what it does not say is what every CPU has, and more than any CPU has is cut.
  protocol::Fingerprint fingerprint{.target = "native"};
  EXPECT_EQ(target_of(fingerprint)->lanes, (std::vector<int>{1, 4}));
  fingerprint.limits = {{"vector_lanes", 16.0}, {"vector_registers", 32.0}};
  const auto target = target_of(fingerprint);
  ASSERT_TRUE(target.ok()) << target.error().message;
  EXPECT_EQ(target->kind, target::Kind::kNative);
  EXPECT_EQ(target->lanes, (std::vector<int>{1, 4, 8, 16}));
  EXPECT_EQ(target->limits.live_vectors_max, 30);
  fingerprint.limits = {{"vector_lanes", 1e9}, {"vector_registers", 1e9}};
  EXPECT_EQ(target_of(fingerprint)->lanes.back(), 16);
}

TEST(DeviceTarget, WebGlFollowsTheLimits) {
  // Given a context with fewer attachments than draw buffers, when its target is made, then the lesser is what a fragment writes, and draws
  // are as large as textures; a context that tells nothing has what each has: four. OpenGL's are the same.
  protocol::Fingerprint fingerprint{.target = "webgl"};
  auto target = target_of(fingerprint);
  ASSERT_TRUE(target.ok()) << target.error().message;
  EXPECT_EQ(target->kind, target::Kind::kWebGl);
  EXPECT_EQ(target->limits.render_targets_max, 4);
  EXPECT_EQ(target->limits.storage_buffers_max, 20);
  fingerprint.limits = {{"MAX_TEXTURE_SIZE", 8192.0},
                        {"MAX_ARRAY_TEXTURE_LAYERS", 512.0},
                        {"MAX_DRAW_BUFFERS", 16.0},
                        {"MAX_COLOR_ATTACHMENTS", 8.0},
                        {"MAX_TEXTURE_IMAGE_UNITS", 32.0}};
  target = target_of(fingerprint);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->limits.texture_size_max, 8192);
  EXPECT_EQ(target->limits.grid_dim_max, 8192);
  EXPECT_EQ(target->limits.texture_layers_max, 512);
  EXPECT_EQ(target->limits.render_targets_max, 8);
  EXPECT_EQ(target->limits.storage_buffers_max, 40);
  fingerprint.target = "opengl";
  target = target_of(fingerprint);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->kind, target::Kind::kOpenGl);
  EXPECT_EQ(target->limits.storage_buffers_max, 40);
  // Given one with the specification's four, then that is its limit; with fewer it is refused with what works instead.
  fingerprint.limits["MAX_DRAW_BUFFERS"] = 4.0;
  target = target_of(fingerprint);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->limits.render_targets_max, 4);
  fingerprint.limits["MAX_COLOR_ATTACHMENTS"] = 3.0;
  EXPECT_EQ(target_of(fingerprint).error().message,
            "the device draws to 3 targets at once, WebGL 2 to at least 4; use its processor with --target wasm");
}

TEST(DeviceTarget, WebGlTakesTensorsOfTheLargestTexture) {
  // Given a context that says nothing, and contexts with textures of 2048², of 8192², and of a side that none has, when their targets are made, then a
  // tensor may have 128 MiB, as everywhere, 1 GiB, which a texture holds, and 2 GiB, which an index reaches.
  protocol::Fingerprint fingerprint{.target = "webgl"};
  const auto bytes_max = [&] { return target_of(fingerprint)->limits.binding_bytes_max; };
  EXPECT_EQ(bytes_max(), 128 << 20);
  fingerprint.limits["MAX_TEXTURE_SIZE"] = 2048.0;
  EXPECT_EQ(bytes_max(), 128 << 20);
  fingerprint.limits["MAX_TEXTURE_SIZE"] = 8192.0;
  EXPECT_EQ(bytes_max(), 1 << 30);
  fingerprint.limits["MAX_TEXTURE_SIZE"] = 1e9;
  EXPECT_EQ(bytes_max(), int64_t{1} << 31);
}

TEST(DeviceTarget, OpenClFollowsTheLimits) {
  // Given a device of OpenCL with less local memory than most, more work-items than a kernel can use, and room for 32 pointers, when its target
  // is made, then the first is its limit, the second is bounded, and arguments are what fits; one that tells nothing has what most have.
  protocol::Fingerprint fingerprint{.target = "opencl"};
  auto target = target_of(fingerprint);
  ASSERT_TRUE(target.ok()) << target.error().message;
  EXPECT_EQ(target->kind, target::Kind::kOpenCl);
  EXPECT_EQ(target->limits.invocations_max, 256);
  EXPECT_EQ(target->limits.storage_buffers_max, 64);
  fingerprint.limits = {{"MAX_WORK_GROUP_SIZE", 1e9},
                        {"MAX_WORK_ITEM_SIZE_X", 128.0},
                        {"LOCAL_MEM_SIZE", 16384.0},
                        {"MAX_PARAMETER_SIZE", 256.0},
                        {"MAX_MEM_ALLOC_SIZE", 1e300}};
  target = target_of(fingerprint);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->limits.invocations_max, 1024);
  EXPECT_EQ(target->limits.workgroup_size_x_max, 128);
  EXPECT_EQ(target->limits.workgroup_bytes_max, 16384);
  EXPECT_EQ(target->limits.storage_buffers_max, 32);
  EXPECT_EQ(target->limits.binding_bytes_max, int64_t{1} << 31);
  // Given a GPU that likes single numbers, a processor with vectors of 8, and an agent that claims any width, then lanes follow, 16 at most.
  const auto lanes = [&](double liked) {
    fingerprint.limits["PREFERRED_VECTOR_WIDTH_FLOAT"] = liked;
    return target_of(fingerprint)->lanes;
  };
  EXPECT_EQ(lanes(1), (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(lanes(8), (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(lanes(1e9), (std::vector<int>{1, 2, 4, 8, 16}));
}

TEST(DeviceTarget, WebGpuFollowsTheLimits) {
  // Given a GPU with 1024 threads per workgroup and a limit that is no number, when its target is made, then the first counts and the
  // other keeps its guaranteed value; a kind without an emitter is refused.
  protocol::Fingerprint fingerprint{.target = "webgpu", .features = {"shader-f16"}};
  fingerprint.limits = {{"maxComputeInvocationsPerWorkgroup", 1024.0}, {"maxStorageBuffersPerShaderStage", -1.0}};
  auto target = target_of(fingerprint);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->limits.invocations_max, 1024);
  EXPECT_EQ(target->limits.storage_buffers_max, target::webgpu_default().limits.storage_buffers_max);
  EXPECT_TRUE(target->has_f16);
  EXPECT_FALSE(target->has_packed_products);
  EXPECT_EQ(target->subgroup_size, 0);
  fingerprint.features.push_back("packed_4x8_integer_dot_product");
  EXPECT_TRUE(target_of(fingerprint)->has_packed_products);
  fingerprint.target = "metal";
  EXPECT_EQ(target_of(fingerprint).error().code, ErrorCode::kUnsupported);
}

TEST(DeviceTarget, LessThanTheApiGuaranteesIsRefused) {
  // Given devices that claim a limit of 7 where their API guarantees more, when their targets are made, then each is refused with both
  // numbers; with the guaranteed value it is taken.
  const auto message = [](const char* target, const char* limit, double value) {
    const auto made = target_of({.target = target, .limits = {{limit, value}}});
    return made.ok() ? "taken" : made.error().message;
  };
  EXPECT_EQ(message("webgpu", "maxComputeWorkgroupSizeX", 7),
            "the device claims maxComputeWorkgroupSizeX = 7; WebGPU guarantees at least 256; use its processor with "
            "--target wasm");
  EXPECT_EQ(message("webgpu", "maxComputeWorkgroupSizeX", 256), "taken");
  EXPECT_NE(message("webgl", "MAX_TEXTURE_SIZE", 7).find("WebGL 2 guarantees at least 2048"), std::string::npos);
  EXPECT_EQ(message("webgl", "MAX_TEXTURE_SIZE", 2048), "taken");
  EXPECT_NE(message("webgl", "MAX_TEXTURE_IMAGE_UNITS", 7).find("at least 16"), std::string::npos);
}

TEST(DeviceTarget, SubgroupsCountWhereTheirSizeWasMeasured) {
  // Given GPUs with subgroups, when their targets are made, then only a size that the agent has measured, and that can be one, is taken.
  protocol::Fingerprint fingerprint{.target = "webgpu", .features = {"subgroups"}};
  const auto size_of = [&](double measured) {
    fingerprint.limits["linearSubgroupSize"] = measured;
    return target_of(fingerprint)->subgroup_size;
  };
  EXPECT_EQ(target_of(fingerprint)->subgroup_size, 0);
  EXPECT_EQ(size_of(32), 32);
  for (double wrong : {0.0, 1.0, 24.0, 1024.0, -4.0}) EXPECT_EQ(size_of(wrong), 0) << wrong;
  fingerprint.features = {};
  EXPECT_EQ(size_of(32), 0);
}

TEST(DeviceTarget, SubgroupsThatDifferInSizeAreThoseThatTheAgentTried) {
  // Given GPUs whose subgroups differ in size, when their targets are made, then kernels may ask for the sizes that the agent has tried, where the
  // browser has control of them, and of one size nothing is asked.
  protocol::Fingerprint fingerprint{
      .target = "webgpu",
      .features = {"subgroups", "subgroup-size-control", "subgroup-size-16", "subgroup-size-32", "subgroup-size-5"}};
  EXPECT_EQ(target_of(fingerprint)->subgroup_sizes, (std::vector<int64_t>{16, 32}));
  EXPECT_EQ(target_of(fingerprint)->subgroup_size, 0);
  fingerprint.limits["linearSubgroupSize"] = 32;
  EXPECT_TRUE(target_of(fingerprint)->subgroup_sizes.empty());
  fingerprint = {.target = "webgpu", .features = {"subgroups", "subgroup-size-16"}};
  EXPECT_TRUE(target_of(fingerprint)->subgroup_sizes.empty());
}

TEST(DeviceTarget, ALaunchCostsWhatWasMeasured) {
  // Given devices that were measured, that were not, and that claim nonsense, when their targets are made, then what was measured counts, and
  // else what is known of such devices; kernels of processors have no such cost.
  protocol::Fingerprint fingerprint{.target = "webgpu"};
  EXPECT_EQ(target_of(fingerprint)->launch_us, target::kLaunchUs);
  fingerprint.launch_us = 8.5;
  EXPECT_EQ(target_of(fingerprint)->launch_us, 8.5);
  fingerprint.arithmetic_gflops = 3600;
  EXPECT_EQ(target_of(fingerprint)->arithmetic_gflops, 3600);
  fingerprint.arithmetic_gflops = std::numeric_limits<double>::infinity();
  EXPECT_EQ(target_of(fingerprint)->arithmetic_gflops, 0);
  EXPECT_EQ(target_of(fingerprint)->registers_max, 128);
  fingerprint.vendor = "arm";
  EXPECT_EQ(target_of(fingerprint)->registers_max, 64);
  EXPECT_LT(target_of(fingerprint)->l1_bytes, target_of({.target = "webgpu", .vendor = "nvidia"})->l1_bytes);
  for (double wrong : {-1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    fingerprint.launch_us = wrong;
    EXPECT_EQ(target_of(fingerprint)->launch_us, target::kLaunchUs) << wrong;
  }
  EXPECT_EQ(target_of({.target = "wasm"})->launch_us, 0);
}

}  // namespace
}  // namespace hone::server
