#include "codegen/package/read_package.h"

#include <algorithm>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/sha256.h"
#include "codegen/graph/limits.h"
#include "codegen/package/pack_tensor.h"

namespace hone::package {

namespace {

// Of a tensor, a layout, a buffer in bytes, and a place along an axis: beyond all memories of devices, and far from where sums and products of
// two overflow.
constexpr int64_t kElementsMax = int64_t{1} << 36;

Error bad(std::string message) { return {ErrorCode::kBadModel, cat("the package is damaged: ", message, "; export it again")}; }

Result<nlohmann::json> json_file(const Files& files, const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end()) return bad(cat(name, " is missing"));
  if (found->second.size() > protocol::kManifestBytesMax) return bad(cat(name, " has ", found->second.size(), " bytes"));
  auto parsed = parse_json(found->second);
  if (!parsed.ok()) return bad(cat(name, ": ", parsed.error().message));
  return std::move(*parsed);
}

template <class T>
Result<T> read_json(const Files& files, const std::string& name) {
  HONE_ASSIGN(json, json_file(files, name));
  auto value = protocol::from_json<T>(json);
  if (!value.ok()) return bad(cat(name, ": ", value.error().message));
  return value;
}

Result<const std::string*> content_of(const Files& files, const protocol::Asset& asset) {
  const auto found = files.find(asset.file);
  if (found == files.end()) return bad(cat(asset.file, " is missing"));
  if (found->second.size() != asset.bytes || sha256_hex(found->second) != asset.sha256)
    return bad(cat(asset.file, " is not what the manifest says"));
  return &found->second;
}

Result<ir::DType> dtype_of(const std::string& name) {
  ir::DType dtype{};
  if (ir::parse_dtype(name, &dtype)) return dtype;
  return bad(cat("the element type '", name, "' is not known"));
}

Result<ir::Shape> shape_of(const std::vector<uint64_t>& extents) {
  int64_t elements = 1;
  for (uint64_t extent : extents) {
    if (extent < 1 || extent > static_cast<uint64_t>(kElementsMax / elements)) return bad("a tensor is empty or too large");
    elements *= static_cast<int64_t>(extent);
  }
  if (extents.size() > graph::kRankMax) return bad(cat("a tensor has ", extents.size(), " dimensions"));
  return ir::Shape(extents.begin(), extents.end());
}

Result<ir::Layout> layout_of(const std::vector<std::array<int64_t, 3>>& dims, const ir::Shape& shape) {
  ir::Layout layout;
  int64_t elements = 1;
  std::vector<bool> covered(shape.size(), dims.empty());
  for (const auto& [axis, div, size] : dims) {
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) || div < 1 || size < 1 || div > kElementsMax / size ||
        size > kElementsMax / elements)
      return bad("a layout does not fit its tensor");
    elements *= size;
    covered[static_cast<size_t>(axis)] = true;
    layout.dims.push_back({static_cast<int>(axis), div, size});
  }
  for (size_t axis = 0; axis < shape.size(); axis++)
    if (!covered[axis] && shape[axis] > 1) return bad("a layout leaves out a dimension");
  return layout;
}

// plan_weight or plan_port.
template <class Said>
Result<PlanTensor> tensor_of(const Said& said, graph::ValueId id, const graph::Graph& graph,
                             const std::vector<int64_t>& buffers) {
  HONE_ASSIGN(stored, dtype_of(said.dtype));
  HONE_ASSIGN(layout, layout_of(said.dims, graph.value(id).shape));
  const int64_t bytes = physical_bytes(graph.value(id).shape, layout, ir::size_bytes(stored));
  if (said.buffer >= buffers.size() || static_cast<int64_t>(said.bytes) != bytes || bytes > buffers[said.buffer])
    return bad(cat("'", graph.value(id).name, "' does not fit its buffer"));
  return PlanTensor{id, stored, layout, static_cast<int>(said.buffer), bytes};
}

Status add_values(const std::vector<protocol::ModelValue>& values, graph::Graph& graph, std::vector<graph::ValueId>& ids) {
  for (const protocol::ModelValue& value : values) {
    HONE_ASSIGN(dtype, dtype_of(value.dtype));
    HONE_ASSIGN(shape, shape_of(value.shape));
    ids.push_back(graph.add_value({value.name, dtype, shape, true}));
  }
  return ok_status();
}

bool is_length(const graph::Value& value) { return !ir::is_float(value.dtype) && ir::element_count(value.shape) == 1; }

// Outputs that say how much of others counts stand behind all that are the model's own.
Status add_lengths(const std::vector<protocol::ModelValue>& values, graph::Graph& graph) {
  size_t own = values.size();
  for (size_t i = 0; i < values.size(); i++) {
    if (!values[i].lengths) continue;
    graph::Value& value = graph.value(graph.outputs[i]);
    if (values[i].lengths->size() != value.shape.size()) return bad(cat("the output '", value.name, "' has lengths for other dimensions"));
    for (uint32_t position : *values[i].lengths) {
      const bool is_one = position == 0 || (position <= values.size() && is_length(graph.value(graph.outputs[position - 1])));
      if (!is_one) return bad(cat("the output '", value.name, "' has no length at position ", position));
      value.lengths.push_back(position == 0 ? graph::kNoValue : graph.outputs[position - 1]);
      if (position > 0) own = std::min<size_t>(own, position - 1);
    }
  }
  graph.hidden_outputs = values.size() - own;
  return ok_status();
}

// The output that tells what has left 32 bits is the last of all.
Status add_watched(const std::vector<protocol::ModelValue>& values, graph::Graph& graph) {
  for (size_t i = 0; i < values.size(); i++) {
    if (!values[i].watched) continue;
    if (i + 1 < values.size() || values[i].watched->empty() || !is_length(graph.value(graph.outputs[i]))) return bad(cat("the output '", values[i].name, "' tells nothing of others"));
    graph.watched = *values[i].watched;
    graph.hidden_outputs = std::max<size_t>(graph.hidden_outputs, 1);
  }
  return ok_status();
}

Result<std::string> stream_of(const OpenPackage& package) {
  std::string all;
  for (const protocol::Asset& chunk : package.manifest.chunks) {
    HONE_ASSIGN(bytes, content_of(package.files, chunk));
    all += *bytes;
  }
  return all;
}

Status add_weights(OpenPackage& package) {
  HONE_ASSIGN(stream, stream_of(package));
  for (size_t i = 0; i < package.manifest.weights.size(); i++) {
    const protocol::Weight& weight = package.manifest.weights[i];
    HONE_ASSIGN(dtype, dtype_of(weight.dtype));
    HONE_ASSIGN(shape, shape_of(weight.shape));
    const auto bytes = static_cast<uint64_t>(ir::element_count(shape) * ir::size_bytes(dtype));
    if (weight.bytes != bytes || weight.offset > stream.size() || bytes > stream.size() - weight.offset)
      return bad(cat("weight ", i, " does not lie within the files of weights"));
    auto held = shared_bytes(std::string(stream.substr(weight.offset, bytes)));
    package.weights.push_back(
        package.graph.add_value({cat("weight ", i), dtype, shape, true, true, std::move(held)}));
  }
  return ok_status();
}

Result<PlanKernel> kernel_of(const protocol::PackageKernel& said, const std::string& code) {
  if (said.offset > code.size() || said.bytes > code.size() - said.offset) return bad("a kernel lies beyond its file");
  return PlanKernel{code.substr(said.offset, said.bytes), said.writes, {1, 1, 1}, said.scratch_bytes};
}

Result<PlanLaunch> launch_of(const protocol::PlanLaunch& said, const ModelPlan& plan) {
  if (said.kernel >= plan.kernels.size()) return bad("a launch names a kernel that is not there");
  const size_t bindings = plan.kernels[said.kernel].writes.size();
  if (said.buffers.size() != bindings || said.binding_bytes.size() != bindings)
    return bad("a launch binds more or less than its kernel has");
  PlanLaunch launch{static_cast<int>(said.kernel), {said.grid[0], said.grid[1], said.grid[2]}};
  for (size_t i = 0; i < bindings; i++) {
    if (said.buffers[i] >= plan.buffers.size() ||
        said.binding_bytes[i] > static_cast<uint64_t>(plan.buffers[said.buffers[i]]))
      return bad("a launch binds a buffer that is not there, or beyond its end");
    launch.buffers.push_back(static_cast<int>(said.buffers[i]));
    launch.binding_bytes.push_back(static_cast<int64_t>(said.binding_bytes[i]));
  }
  launch.ahead = said.ahead.value_or(false);
  return launch;
}

Result<ir::DType> texel_of(const std::string& format) {
  constexpr std::pair<const char*, ir::DType> kFormats[] = {{"rgba32f", ir::DType::kF32},
                                                            {"rgba32i", ir::DType::kI32},
                                                            {"rgba32ui", ir::DType::kU32},
                                                            {"rgba16f", ir::DType::kF16}};
  for (const auto& [name, dtype] : kFormats)
    if (format == name) return dtype;
  return bad(cat("the texture format '", format, "' is not known"));
}

Status add_textures(const protocol::PlanFile& file, ModelPlan& plan) {
  if (!file.textures.empty() && file.textures.size() != plan.buffers.size()) return bad("not every buffer is a texture");
  for (const protocol::Texture& said : file.textures) {
    HONE_ASSIGN(stored, texel_of(said.format));
    plan.textures.push_back({{said.width, said.height, said.layers}, stored});
  }
  return ok_status();
}

// values: of the manifest's inputs or outputs.
Result<std::vector<PlanTensor>> ports_of(const std::vector<protocol::PlanPort>& said, const std::vector<graph::ValueId>& values,
                                         const graph::Graph& graph, const std::vector<int64_t>& buffers) {
  std::vector<PlanTensor> out;
  for (const protocol::PlanPort& port : said) {
    if (port.value >= values.size()) return bad("a plan names an input or output that the model does not have");
    HONE_ASSIGN(tensor, tensor_of(port, values[port.value], graph, buffers));
    out.push_back(std::move(tensor));
  }
  return out;
}

Status add_tensors(const OpenPackage& package, const protocol::PlanFile& file, ModelPlan& plan) {
  for (const protocol::PlanWeight& said : file.weights) {
    if (said.weight >= package.weights.size()) return bad("a plan names a weight that is not there");
    HONE_ASSIGN(tensor, tensor_of(said, package.weights[said.weight], package.graph, plan.buffers));
    plan.constants.push_back(std::move(tensor));
  }
  HONE_ASSIGN(inputs, ports_of(file.inputs, package.graph.inputs, package.graph, plan.buffers));
  HONE_ASSIGN(outputs, ports_of(file.outputs, package.graph.outputs, package.graph, plan.buffers));
  if (outputs.size() != package.graph.outputs.size()) return bad("a plan leaves out an output");
  plan.inputs = std::move(inputs);
  plan.outputs = std::move(outputs);
  return ok_status();
}

PlanMemory memory_of(const ModelPlan& plan) {
  PlanMemory memory;
  for (const PlanTensor& t : plan.constants) memory.constant_bytes += plan.buffers[static_cast<size_t>(t.buffer)];
  for (const PlanTensor& t : plan.inputs) memory.port_bytes += plan.buffers[static_cast<size_t>(t.buffer)];
  for (int64_t bytes : plan.buffers) memory.pool_bytes += bytes;
  memory.pool_bytes = std::max<int64_t>(0, memory.pool_bytes - memory.constant_bytes - memory.port_bytes);
  memory.pool_bytes_min = memory.pool_bytes_unshared = memory.pool_bytes;
  return memory;
}

}  // namespace

Result<OpenPackage> open_package(Files files) {
  HONE_ASSIGN(manifest, read_json<protocol::Manifest>(files, "manifest.json"));
  if (manifest.format != protocol::kManifestFormat) return bad("manifest.json is none of a package");
  if (manifest.version != protocol::kManifestVersion)
    return Error{ErrorCode::kVersionMismatch, cat("the package has version ", manifest.version, ", this hone reads ",
                                                  protocol::kManifestVersion, "; export it again")};
  OpenPackage package{std::move(manifest), {}, {}, std::move(files)};
  package.graph.name = package.manifest.model;
  HONE_TRY(add_values(package.manifest.inputs, package.graph, package.graph.inputs));
  HONE_TRY(add_values(package.manifest.outputs, package.graph, package.graph.outputs));
  HONE_TRY(add_lengths(package.manifest.outputs, package.graph));
  HONE_TRY(add_watched(package.manifest.outputs, package.graph));
  HONE_TRY(add_weights(package));
  return package;
}

namespace {

// Each inside or behind each other one.
bool fits_behind(const PlanLoop& loop, const std::vector<PlanLoop>& before) {
  return std::all_of(before.begin(), before.end(), [&](const PlanLoop& other) { return loop.first >= other.last || (loop.first >= other.first && loop.last <= other.last); });
}

Status add_loops(const protocol::PlanFile& file, ModelPlan& plan) {
  for (const protocol::PlanLoop& said : file.loops.value_or(std::vector<protocol::PlanLoop>{})) {
    if (said.first >= said.last || said.last > plan.launches.size() || said.condition.value_or(0) >= plan.buffers.size() || said.condition.has_value() == said.trips.has_value())
      return bad("a loop names launches or a buffer that there are not");
    PlanLoop loop{.first = static_cast<int>(said.first), .last = static_cast<int>(said.last), .trips = static_cast<int64_t>(said.trips.value_or(0))};
    if (said.condition) loop.condition = static_cast<int>(*said.condition);
    if (!fits_behind(loop, plan.loops)) return bad("two loops overlap");
    plan.loops.push_back(loop);
  }
  return ok_status();
}

}  // namespace

Result<ModelPlan> read_plan(const OpenPackage& package, size_t position) {
  const protocol::PlanHead& head = package.manifest.plans.at(position);
  if (auto sound = content_of(package.files, head.plan); !sound.ok()) return sound.error();
  HONE_ASSIGN(code, content_of(package.files, head.kernels));
  HONE_ASSIGN(file, read_json<protocol::PlanFile>(package.files, head.plan.file));
  ModelPlan plan;
  for (uint64_t bytes : file.buffers) {
    if (bytes > static_cast<uint64_t>(kElementsMax)) return bad("a buffer is too large");
    plan.buffers.push_back(static_cast<int64_t>(bytes));
  }
  HONE_TRY(add_textures(file, plan));
  for (const protocol::PackageKernel& said : file.kernels) {
    HONE_ASSIGN(kernel, kernel_of(said, *code));
    plan.kernels.push_back(std::move(kernel));
  }
  for (const protocol::PlanLaunch& said : file.launches) {
    HONE_ASSIGN(launch, launch_of(said, plan));
    plan.launches.push_back(std::move(launch));
  }
  HONE_TRY(add_loops(file, plan));
  HONE_TRY(add_tensors(package, file, plan));
  plan.steps.push_back({.name = head.made_for});
  plan.memory = memory_of(plan);
  return plan;
}

}  // namespace hone::package
