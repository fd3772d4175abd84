#include "server/agents/device_target.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/target/gpu_class.h"

namespace hone::server {

namespace {

constexpr int64_t kLanesMax = 16, kRegistersMax = 32;  // what any CPU has that the compiler makes kernels for
constexpr int64_t kWorkGroupMax = 1024, kWorkGroupBytesMax = 128 << 10,
                  kBindingBytesMax = int64_t{1} << 31;  // OpenCL's
constexpr int64_t kPointerBytes = 8, kArgumentsMax = 128;
constexpr int64_t kSubgroupSizeMax = 128;                         // WGSL's
constexpr int64_t kTextureSideMax = 32768;                       // more than any GPU has
constexpr int64_t kTextureUnitsMin = 16;                          // WebGL 2's
constexpr int64_t kRenderTargetsMax = 64, kTextureUnitsMax = 64;  // more than any GPU has, and than `binding` carries

// An agent's numbers are untrusted: what is no sensible limit is ignored.
void take(const protocol::Fingerprint& fingerprint, const char* name, int64_t& limit) {
  auto found = fingerprint.limits.find(name);
  if (found == fingerprint.limits.end() || !std::isfinite(found->second) || found->second < 1) return;
  limit = static_cast<int64_t>(std::min(found->second, 0x1p52));
}

bool has(const protocol::Fingerprint& fingerprint, const char* feature) {
  return std::find(fingerprint.features.begin(), fingerprint.features.end(), feature) != fingerprint.features.end();
}

// What the agent measured: 0 where subgroups differ in size or their lanes do not follow the invocations.
int64_t subgroup_size(const protocol::Fingerprint& fingerprint) {
  int64_t size = 0;
  take(fingerprint, "linearSubgroupSize", size);
  const bool usable = size > 1 && size <= kSubgroupSizeMax && (size & (size - 1)) == 0;
  return usable ? size : 0;
}

// What an API guarantees is no matter of the device: who claims less is no implementation of it, and kernels are not made for it.
Status check_guaranteed(const char* api, const char* name, int64_t found, int64_t guaranteed) {
  if (found >= guaranteed) return ok_status();
  return Error{ErrorCode::kUnsupported,
               cat("the device claims ", name, " = ", found, "; ", api, " guarantees at least ", guaranteed,
                   "; use its processor with --target wasm")};
}

Result<target::Target> webgpu_target(const protocol::Fingerprint& fingerprint) {
  target::Target target = target::webgpu_default();
  target::Limits& limits = target.limits;
  const std::pair<const char*, int64_t&> named[] = {{"maxComputeInvocationsPerWorkgroup", limits.invocations_max},
                                                    {"maxComputeWorkgroupSizeX", limits.workgroup_size_x_max},
                                                    {"maxComputeWorkgroupSizeY", limits.workgroup_size_y_max},
                                                    {"maxComputeWorkgroupSizeZ", limits.workgroup_size_z_max},
                                                    {"maxComputeWorkgroupStorageSize", limits.workgroup_bytes_max},
                                                    {"maxStorageBuffersPerShaderStage", limits.storage_buffers_max},
                                                    {"maxComputeWorkgroupsPerDimension", limits.grid_dim_max},
                                                    {"maxStorageBufferBindingSize", limits.binding_bytes_max}};
  for (const auto& [name, limit] : named) {
    const int64_t guaranteed = limit;
    take(fingerprint, name, limit);
    HONE_TRY(check_guaranteed("WebGPU", name, limit, guaranteed));
  }
  target.has_f16 = has(fingerprint, "shader-f16");
  target.has_packed_products = has(fingerprint, "packed_4x8_integer_dot_product");
  if (has(fingerprint, "subgroups")) target.subgroup_size = subgroup_size(fingerprint);
  if (has(fingerprint, "subgroup-size-control") && target.subgroup_size == 0)
    for (int64_t size = 2; size <= kSubgroupSizeMax; size *= 2)
      if (has(fingerprint, target::subgroup_feature(size).c_str())) target.subgroup_sizes.push_back(size);
  return target;
}

// What the largest texture of one layer holds, with four f32 a texel: WebGL and OpenGL have no limit of bytes.
int64_t texture_bytes(int64_t size_max) {
  const int64_t side = std::min(size_max, kTextureSideMax);
  return 4 * static_cast<int64_t>(sizeof(float)) * side * side;
}

// WebGL's or OpenGL's: agents name their limits alike. One of storage_buffers_max is a texture that is read or a layer that is written; what
// bounds both alone bounds a launch as well.
Result<target::Target> texture_target(const protocol::Fingerprint& fingerprint, target::Target target) {
  target::Limits& limits = target.limits;
  const target::Limits guaranteed = limits;
  int64_t draw_buffers = target::kRenderTargetsMin, attachments = draw_buffers;
  int64_t units = limits.storage_buffers_max - limits.render_targets_max;
  take(fingerprint, "MAX_TEXTURE_SIZE", limits.texture_size_max);
  take(fingerprint, "MAX_ARRAY_TEXTURE_LAYERS", limits.texture_layers_max);
  take(fingerprint, "MAX_DRAW_BUFFERS", draw_buffers);
  take(fingerprint, "MAX_COLOR_ATTACHMENTS", attachments);
  take(fingerprint, "MAX_TEXTURE_IMAGE_UNITS", units);
  limits.render_targets_max = std::min({draw_buffers, attachments, kRenderTargetsMax});
  if (limits.render_targets_max < target::kRenderTargetsMin)
    return Error{ErrorCode::kUnsupported,
                 cat("the device draws to ", limits.render_targets_max, " targets at once, WebGL 2 to at least ",
                     target::kRenderTargetsMin, "; use its processor with --target wasm")};
  limits.storage_buffers_max = std::min(units, kTextureUnitsMax) + limits.render_targets_max;
  limits.grid_dim_max = limits.texture_size_max;
  limits.binding_bytes_max = std::clamp(texture_bytes(limits.texture_size_max), guaranteed.binding_bytes_max, kBindingBytesMax);
  HONE_TRY(check_guaranteed("WebGL 2", "MAX_TEXTURE_SIZE", limits.texture_size_max, guaranteed.texture_size_max));
  HONE_TRY(check_guaranteed("WebGL 2", "MAX_ARRAY_TEXTURE_LAYERS", limits.texture_layers_max,
                            guaranteed.texture_layers_max));
  HONE_TRY(check_guaranteed("WebGL 2", "MAX_TEXTURE_IMAGE_UNITS", units, kTextureUnitsMin));
  return target;
}

// OpenCL's standard guarantees next to nothing: what a device has less of than most do is its limit.
target::Target opencl_target(const protocol::Fingerprint& fingerprint) {
  int64_t lanes = 4;
  take(fingerprint, "PREFERRED_VECTOR_WIDTH_FLOAT", lanes);
  target::Target target = target::opencl_target(lanes);
  target::Limits& limits = target.limits;
  int64_t argument_bytes = limits.storage_buffers_max * kPointerBytes;
  const std::pair<const char*, int64_t&> named[] = {
      {"MAX_WORK_GROUP_SIZE", limits.invocations_max},       {"MAX_WORK_ITEM_SIZE_X", limits.workgroup_size_x_max},
      {"MAX_WORK_ITEM_SIZE_Y", limits.workgroup_size_y_max}, {"MAX_WORK_ITEM_SIZE_Z", limits.workgroup_size_z_max},
      {"LOCAL_MEM_SIZE", limits.workgroup_bytes_max},        {"MAX_PARAMETER_SIZE", argument_bytes},
      {"MAX_MEM_ALLOC_SIZE", limits.binding_bytes_max}};
  for (const auto& [name, limit] : named) take(fingerprint, name, limit);
  // An index has 32 bits; what goes beyond these makes no kernel faster.
  limits.invocations_max = std::min(limits.invocations_max, kWorkGroupMax);
  limits.workgroup_bytes_max = std::min(limits.workgroup_bytes_max, kWorkGroupBytesMax);
  limits.binding_bytes_max = std::min(limits.binding_bytes_max, kBindingBytesMax);
  limits.storage_buffers_max = std::clamp<int64_t>(argument_bytes / kPointerBytes, 1, kArgumentsMax);
  return target;
}

target::Target wasm_target(const protocol::Fingerprint& fingerprint) {
  target::Target target = target::wasm_default();
  if (!has(fingerprint, "simd128")) target.lanes = {1};
  target.has_relaxed_simd = target.lanes.back() > 1 && has(fingerprint, "relaxed-simd");
  target.has_threads = has(fingerprint, "threads");
  return target;
}

// Vectors are as wide as the compiler can use them; an odd number of lanes is one of the widths below it.
target::Target native_target(const protocol::Fingerprint& fingerprint) {
  int64_t lanes = 4, registers = 16;
  take(fingerprint, "vector_lanes", lanes);
  take(fingerprint, "vector_registers", registers);
  return target::native_target(static_cast<int>(std::clamp<int64_t>(lanes, 4, kLanesMax)),
                               static_cast<int>(std::clamp<int64_t>(registers, 16, kRegistersMax)));
}

}  // namespace

namespace {

constexpr double kLaunchUsMax = 10'000;  // a hundred times what any driver takes

constexpr double kArithmeticGflopsMax = 1e7;  // a hundred times the fastest GPU's

// By what the agent measured of it, where that can be, and by what is published of its kind.
target::Target with_measured(target::Target target, const protocol::Fingerprint& fingerprint) {
  const double gflops = fingerprint.arithmetic_gflops.value_or(0);
  if (std::isfinite(gflops) && gflops > 0 && gflops <= kArithmeticGflopsMax) target.arithmetic_gflops = gflops;
  target::add_class_facts(target, fingerprint.vendor);
  const std::optional<double>& us = fingerprint.launch_us;
  if (us && std::isfinite(*us) && *us >= 0 && *us <= kLaunchUsMax) target.launch_us = *us;
  return target;
}

Result<target::Target> target_by_kind(const protocol::Fingerprint& fingerprint) {
  if (fingerprint.target == "webgpu") return webgpu_target(fingerprint);
  if (fingerprint.target == "webgl") return texture_target(fingerprint, target::webgl_default());
  if (fingerprint.target == "opengl") return texture_target(fingerprint, target::opengl_default());
  if (fingerprint.target == "opencl") return opencl_target(fingerprint);
  if (fingerprint.target == "wasm") return wasm_target(fingerprint);
  if (fingerprint.target == "native") return native_target(fingerprint);
  return Error{ErrorCode::kUnsupported, cat("the device runs ", fingerprint.target, " kernels; hone compiles for ",
                                            target::list_of_kinds("and"))};
}

}  // namespace

Result<target::Target> target_of(const protocol::Fingerprint& fingerprint) {
  HONE_ASSIGN(target, target_by_kind(fingerprint));
  return with_measured(std::move(target), fingerprint);
}

}  // namespace hone::server
