#include "codegen/package/package_files.h"

#include <algorithm>
#include <set>

#include "base/cat.h"
#include "base/sha256.h"
#include "codegen/package/c_text.h"
#include "codegen/package/native_runtime.h"
#include "codegen/package/native_source.h"
#include "codegen/package/plan_frames.h"
#include "codegen/package/plan_needs.h"
#include "codegen/package/type_text.h"
#include "codegen/package/weight_store.h"

namespace hone::package {

namespace {

// The loader holds two, one that it unpacks and one that comes in: together no more than the largest.
constexpr size_t kChunkBytes = protocol::kChunkBytesMax / 2;
constexpr size_t kDigitsInName = 8;  // of the digest: enough to tell the versions of one package apart

Result<protocol::Backend> backend_of(target::Kind kind) {
  protocol::Backend backend{};
  if (protocol::from_name(target::kind_name(kind), backend)) return backend;
  return Error{ErrorCode::kUnsupported, cat("no browser runs kernels for ", target::kind_name(kind))};
}

class Writer {
 public:
  Writer(const graph::Graph& graph, const PackageOptions& options)
      : graph_(graph), options_(options), weights_(graph, options.halves) {
    std::copy_if(graph.inputs.begin(), graph.inputs.end(), std::back_inserter(inputs_),
                 [&](graph::ValueId id) { return !graph.value(id).constant; });
  }
  Result<PackageFiles> write(const std::vector<PackagedPlan>& plans, const std::vector<NativePlan>& native);

 private:
  protocol::Asset add(const std::string& stem, const std::string& extension, std::string bytes);
  protocol::ModelValue value_of(graph::ValueId id) const;
  protocol::PlanPort port_of(const PlanTensor& tensor, const std::vector<graph::ValueId>& ports) const;
  protocol::Asset add_kernels(const PackagedPlan& packaged, std::vector<protocol::PackageKernel>& kernels);
  Result<protocol::PlanHead> add_plan(const PackagedPlan& packaged);
  Result<protocol::PlanFile> plan_file(const PackagedPlan& packaged);
  Result<std::vector<NativeProgram>> programs_of(const std::vector<NativePlan>& native);
  void add_native(const std::vector<NativePlan>& native, const std::vector<NativeProgram>& programs);
  void add_chunks();

  const graph::Graph& graph_;
  const PackageOptions& options_;
  std::vector<graph::ValueId> inputs_;  // that the caller gives
  WeightStore weights_;
  PackageFiles out_;
};

protocol::Asset Writer::add(const std::string& stem, const std::string& extension, std::string bytes) {
  const std::string digest = sha256_hex(bytes);
  protocol::Asset asset{
      .file = cat(stem, "-", digest.substr(0, kDigitsInName), ".", extension), .bytes = bytes.size(), .sha256 = digest};
  out_.files[asset.file] = std::move(bytes);
  return asset;
}

protocol::ModelValue Writer::value_of(graph::ValueId id) const {
  const graph::Value& v = graph_.value(id);
  protocol::ModelValue out{.name = v.name, .dtype = std::string(ir::dtype_name(ir::caller_type(v.dtype))), .shape = {v.shape.begin(), v.shape.end()}};
  if (!graph_.watched.empty() && id == graph_.outputs.back()) out.watched = graph_.watched;
  if (v.lengths.empty()) return out;
  const auto position = [&](graph::ValueId length) { return std::find(graph_.outputs.begin(), graph_.outputs.end(), length) - graph_.outputs.begin(); };
  out.lengths.emplace();
  for (graph::ValueId length : v.lengths) out.lengths->push_back(length == graph::kNoValue ? 0 : static_cast<uint32_t>(1 + position(length)));
  return out;
}

protocol::PlanPort Writer::port_of(const PlanTensor& tensor, const std::vector<graph::ValueId>& ports) const {
  const auto at = std::find(ports.begin(), ports.end(), tensor.value) - ports.begin();
  return {.value = static_cast<uint32_t>(at),
          .buffer = static_cast<uint32_t>(tensor.buffer),
          .dtype = std::string(ir::dtype_name(tensor.stored)),
          .dims = dims_frame(tensor.layout),
          .bytes = static_cast<uint64_t>(tensor.bytes)};
}

protocol::Asset Writer::add_kernels(const PackagedPlan& packaged, std::vector<protocol::PackageKernel>& kernels) {
  std::string code;
  for (const PlanKernel& kernel : packaged.plan.kernels) {
    kernels.push_back({.offset = code.size(),
                       .bytes = kernel.code.size(),
                       .writes = kernel.writes,
                       .scratch_bytes = static_cast<uint32_t>(kernel.scratch_bytes)});
    code += kernel.code;
  }
  return add("kernels", "bin", std::move(code));
}

Result<protocol::PlanFile> Writer::plan_file(const PackagedPlan& packaged) {
  const ModelPlan& plan = packaged.plan;
  protocol::PlanFile file{.buffers = {plan.buffers.begin(), plan.buffers.end()}};
  for (const PlanTexture& texture : plan.textures)
    file.textures.push_back(texture_frame(texture.texture, texture.stored));
  for (const PlanLaunch& launch : plan.launches) file.launches.push_back(launch_frame(launch));
  file.loops = loop_frames(plan);
  for (const PlanTensor& constant : plan.constants) {
    HONE_ASSIGN(weight, weights_.add(constant.value));
    file.weights.push_back({.weight = weight,
                            .buffer = static_cast<uint32_t>(constant.buffer),
                            .dtype = std::string(ir::dtype_name(constant.stored)),
                            .dims = dims_frame(constant.layout),
                            .bytes = static_cast<uint64_t>(constant.bytes)});
  }
  for (const PlanTensor& input : plan.inputs) file.inputs.push_back(port_of(input, inputs_));
  for (size_t i = 0; i < plan.outputs.size(); i++) {
    file.outputs.push_back(port_of(plan.outputs[i], graph_.outputs));
    file.outputs.back().value = static_cast<uint32_t>(i);  // a value may be handed out twice
  }
  return file;
}

Result<protocol::PlanHead> Writer::add_plan(const PackagedPlan& packaged) {
  HONE_ASSIGN(backend, backend_of(packaged.target.kind));
  HONE_ASSIGN(file, plan_file(packaged));
  PlanNeeds needs = plan_needs(packaged.plan, packaged.target);
  std::set<Hash> tasks;
  for (const PlanStep& step : packaged.plan.steps) tasks.insert(step.task);
  uint64_t memory_bytes = 0;
  for (int64_t bytes : packaged.plan.buffers) memory_bytes += static_cast<uint64_t>(bytes);
  protocol::PlanHead head{.backend = backend,
                          .made_for = packaged.made_for,
                          .vendor = packaged.vendor,
                          .architecture = packaged.architecture,
                          .browser = packaged.browser,
                          .features = std::move(needs.features),
                          .limits = std::move(needs.limits),
                          .tuned = packaged.tuned,
                          .tasks = static_cast<uint32_t>(tasks.size()),
                          .memory_bytes = memory_bytes};
  head.kernels = add_kernels(packaged, file.kernels);
  head.plan = add("plan", "json", protocol::to_json(file).dump());
  return head;
}

void Writer::add_chunks() {
  const std::string& all = weights_.bytes();
  for (size_t at = 0, end = 0; at < all.size(); at = end) {
    end = weights_.end_of_chunk(at, kChunkBytes);
    out_.manifest.chunks.push_back(add("weights", "bin", all.substr(at, end - at)));
  }
}

Result<std::vector<NativeProgram>> Writer::programs_of(const std::vector<NativePlan>& native) {
  std::vector<NativeProgram> programs;
  for (const NativePlan& plan : native) {
    HONE_ASSIGN(program, native_program(graph_, inputs_, plan, weights_));
    out_.native_memory_bytes.push_back(program.memory_bytes + program.scratch_bytes + 2 * program.reach_bytes);
    programs.push_back(std::move(program));
  }
  return programs;
}

void Writer::add_native(const std::vector<NativePlan>& native, const std::vector<NativeProgram>& programs) {
  const NativeText text{native_name(options_.name), options_.made_by};
  out_.files[cat("native/", text.name, ".h")] = native_header(out_.manifest, text);
  out_.files[cat("native/", text.name, ".c")] = native_source(out_.manifest, text, programs);
  out_.files["native/CMakeLists.txt"] = native_cmake(text);
  for (const NativePlan& plan : native) out_.files["native/" + kernels_file(plan.level)] = plan.code.object;
  for (const auto& [name, content] : native_runtime()) out_.files[cat("native/runtime/", name)] = content;
}

Result<PackageFiles> Writer::write(const std::vector<PackagedPlan>& plans, const std::vector<NativePlan>& native) {
  protocol::Manifest& manifest = out_.manifest;
  manifest.format = protocol::kManifestFormat;
  manifest.version = protocol::kManifestVersion;
  manifest.made_by = options_.made_by;
  manifest.model = graph_.name;
  if (!options_.dims.empty()) manifest.dims = options_.dims;
  if (!options_.sizes.empty()) manifest.sizes = options_.sizes;
  for (graph::ValueId id : inputs_) manifest.inputs.push_back(value_of(id));
  for (graph::ValueId id : graph_.outputs) manifest.outputs.push_back(value_of(id));
  for (const PackagedPlan& packaged : plans) {
    HONE_ASSIGN(head, add_plan(packaged));
    manifest.plans.push_back(std::move(head));
  }
  HONE_ASSIGN(programs, programs_of(native));
  manifest.weights = weights_.weights();
  add_chunks();
  if (!native.empty()) add_native(native, programs);
  if (plans.empty()) return std::move(out_);
  out_.files[options_.manifest_file] = protocol::to_json(manifest).dump();
  out_.files["index.d.ts"] = declarations(manifest);
  out_.files["package.json"] = package_json(manifest, options_.name);
  return std::move(out_);
}

}  // namespace

Result<PackageFiles> package_files(const graph::Graph& graph, const std::vector<PackagedPlan>& plans,
                                   const PackageOptions& options, const std::vector<NativePlan>& native) {
  return Writer(graph, options).write(plans, native);
}

}  // namespace hone::package
