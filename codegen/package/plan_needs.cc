#include "codegen/package/plan_needs.h"

#include <algorithm>

namespace hone::package {

namespace {

class Needs {
 public:
  // guaranteed: what every device has.
  void note(const char* limit, int64_t needed, int64_t guaranteed) {
    if (needed <= guaranteed) return;
    double& most = limits[limit];
    most = std::max(most, static_cast<double>(needed));
  }
  std::map<std::string, double> limits;
};

void note_webgpu(Needs& needs, const ModelPlan& plan, const target::Target& target) {
  const target::Limits all = target::webgpu_default().limits;
  constexpr const char* kSizes[] = {"maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ"};
  const int64_t sizes[] = {all.workgroup_size_x_max, all.workgroup_size_y_max, all.workgroup_size_z_max};
  for (const PlanKernel& kernel : plan.kernels) {
    int64_t threads = 1;
    for (size_t d = 0; d < kernel.threads.size(); d++) {
      threads *= kernel.threads[d];
      needs.note(kSizes[d], kernel.threads[d], sizes[d]);
    }
    needs.note("maxComputeInvocationsPerWorkgroup", threads, all.invocations_max);
    needs.note("maxStorageBuffersPerShaderStage", static_cast<int64_t>(kernel.writes.size()), all.storage_buffers_max);
  }
  // A kernel's text alone says how much workgroup memory it has; no more than what it was made for.
  needs.note("maxComputeWorkgroupStorageSize", target.limits.workgroup_bytes_max, all.workgroup_bytes_max);
  for (const PlanLaunch& launch : plan.launches) {
    for (int64_t groups : launch.grid) needs.note("maxComputeWorkgroupsPerDimension", groups, all.grid_dim_max);
    for (int64_t bytes : launch.binding_bytes) needs.note("maxStorageBufferBindingSize", bytes, all.binding_bytes_max);
  }
  constexpr int64_t kBufferBytesAll = 256ll << 20;  // WebGPU's default of maxBufferSize
  for (int64_t bytes : plan.buffers) needs.note("maxBufferSize", bytes, kBufferBytesAll);
}

void note_webgl(Needs& needs, const ModelPlan& plan) {
  const target::Limits all = target::webgl_default().limits;
  for (const PlanTexture& t : plan.textures) {
    needs.note("MAX_TEXTURE_SIZE", std::max(t.texture.width, t.texture.height), all.texture_size_max);
    needs.note("MAX_ARRAY_TEXTURE_LAYERS", t.texture.layers, all.texture_layers_max);
  }
  for (const PlanLaunch& launch : plan.launches) {
    const PlanKernel& kernel = plan.kernels[static_cast<size_t>(launch.kernel)];
    int64_t written = 0;
    for (size_t i = 0; i < launch.buffers.size(); i++)
      if (kernel.writes[i]) written += plan.textures[static_cast<size_t>(launch.buffers[i])].texture.layers;
    for (const char* limit : {"MAX_DRAW_BUFFERS", "MAX_COLOR_ATTACHMENTS"})
      needs.note(limit, written, target::kRenderTargetsMin);
  }
}

}  // namespace

PlanNeeds plan_needs(const ModelPlan& plan, const target::Target& target) {
  std::set<std::string> features(plan.needs.begin(), plan.needs.end());
  Needs needs;
  if (target.kind == target::Kind::kWebGpu) note_webgpu(needs, plan, target);
  if (target.kind == target::Kind::kWebGl) note_webgl(needs, plan);
  if (target.kind == target::Kind::kWasm && target.lanes.back() > 1) features.insert("simd128");
  // An exchange between lanes is compiled for the one size that the device has, or for one that it is asked for, which is a feature.
  if (features.count("subgroups") && !features.count("subgroup-size-control"))
    needs.limits["linearSubgroupSize"] = static_cast<double>(target.subgroup_size);
  return {{features.begin(), features.end()}, std::move(needs.limits)};
}

}  // namespace hone::package
