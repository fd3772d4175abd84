// Generated from schema/manifest.json by scripts/gen_schema. Do not edit.
#include "schema/generated/manifest.h"

namespace hone::protocol {
bool read_fields(const nlohmann::json& json, PlanLaunch& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanLoop& value, std::string& error);
bool read_fields(const nlohmann::json& json, Texture& value, std::string& error);
bool read_fields(const nlohmann::json& json, Asset& value, std::string& error);
bool read_fields(const nlohmann::json& json, ModelValue& value, std::string& error);
bool read_fields(const nlohmann::json& json, Weight& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanWeight& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanPort& value, std::string& error);
bool read_fields(const nlohmann::json& json, PackageKernel& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanFile& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanHead& value, std::string& error);
bool read_fields(const nlohmann::json& json, SizedManifest& value, std::string& error);
bool read_fields(const nlohmann::json& json, Manifest& value, std::string& error);
bool read_fields(const nlohmann::json& json, ArchivedFile& value, std::string& error);
bool read_fields(const nlohmann::json& json, PackageArchive& value, std::string& error);
}  // namespace hone::protocol

#include "schema/json_fields.h"

namespace hone::protocol {

std::string_view to_name(Backend value) {
  switch (value) {
    case Backend::kWebgpu: return "webgpu";
    case Backend::kWebgl: return "webgl";
    case Backend::kWasm: return "wasm";
  }
  return "unknown";
}
bool from_name(std::string_view name, Backend& value) {
  if (name == "webgpu") return value = Backend::kWebgpu, true;
  if (name == "webgl") return value = Backend::kWebgl, true;
  if (name == "wasm") return value = Backend::kWasm, true;
  return false;
}

nlohmann::json to_json(const Asset& value) {
  nlohmann::json json = nlohmann::json::object();
  json["file"] = write(value.file);
  json["bytes"] = write(value.bytes);
  json["sha256"] = write(value.sha256);
  return json;
}
bool read_fields(const nlohmann::json& json, Asset& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("file", value.file, {256, 256});
  reader.required("bytes", value.bytes, {65536, 65536});
  reader.required("sha256", value.sha256, {64, 64});
  return reader.ok();
}
template <>
Result<Asset> from_json<Asset>(const nlohmann::json& json) {
  return read_value<Asset>(json);
}

nlohmann::json to_json(const ModelValue& value) {
  nlohmann::json json = nlohmann::json::object();
  json["name"] = write(value.name);
  json["dtype"] = write(value.dtype);
  json["shape"] = write(value.shape);
  if (value.lengths) json["lengths"] = write(*value.lengths);
  if (value.watched) json["watched"] = write(*value.watched);
  return json;
}
bool read_fields(const nlohmann::json& json, ModelValue& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("name", value.name, {4096, 4096});
  reader.required("dtype", value.dtype, {16, 16});
  reader.required("shape", value.shape, {8, 65536});
  reader.optional("lengths", value.lengths, {8, 65536});
  reader.optional("watched", value.watched, {1024, 4096});
  return reader.ok();
}
template <>
Result<ModelValue> from_json<ModelValue>(const nlohmann::json& json) {
  return read_value<ModelValue>(json);
}

nlohmann::json to_json(const Weight& value) {
  nlohmann::json json = nlohmann::json::object();
  json["dtype"] = write(value.dtype);
  json["shape"] = write(value.shape);
  json["offset"] = write(value.offset);
  json["bytes"] = write(value.bytes);
  return json;
}
bool read_fields(const nlohmann::json& json, Weight& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("dtype", value.dtype, {16, 16});
  reader.required("shape", value.shape, {8, 65536});
  reader.required("offset", value.offset, {65536, 65536});
  reader.required("bytes", value.bytes, {65536, 65536});
  return reader.ok();
}
template <>
Result<Weight> from_json<Weight>(const nlohmann::json& json) {
  return read_value<Weight>(json);
}

nlohmann::json to_json(const PlanWeight& value) {
  nlohmann::json json = nlohmann::json::object();
  json["weight"] = write(value.weight);
  json["buffer"] = write(value.buffer);
  json["dtype"] = write(value.dtype);
  json["dims"] = write(value.dims);
  json["bytes"] = write(value.bytes);
  return json;
}
bool read_fields(const nlohmann::json& json, PlanWeight& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("weight", value.weight, {65536, 65536});
  reader.required("buffer", value.buffer, {65536, 65536});
  reader.required("dtype", value.dtype, {16, 16});
  reader.required("dims", value.dims, {32, 65536});
  reader.required("bytes", value.bytes, {65536, 65536});
  return reader.ok();
}
template <>
Result<PlanWeight> from_json<PlanWeight>(const nlohmann::json& json) {
  return read_value<PlanWeight>(json);
}

nlohmann::json to_json(const PlanPort& value) {
  nlohmann::json json = nlohmann::json::object();
  json["value"] = write(value.value);
  json["buffer"] = write(value.buffer);
  json["dtype"] = write(value.dtype);
  json["dims"] = write(value.dims);
  json["bytes"] = write(value.bytes);
  return json;
}
bool read_fields(const nlohmann::json& json, PlanPort& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("value", value.value, {65536, 65536});
  reader.required("buffer", value.buffer, {65536, 65536});
  reader.required("dtype", value.dtype, {16, 16});
  reader.required("dims", value.dims, {32, 65536});
  reader.required("bytes", value.bytes, {65536, 65536});
  return reader.ok();
}
template <>
Result<PlanPort> from_json<PlanPort>(const nlohmann::json& json) {
  return read_value<PlanPort>(json);
}

nlohmann::json to_json(const PackageKernel& value) {
  nlohmann::json json = nlohmann::json::object();
  json["offset"] = write(value.offset);
  json["bytes"] = write(value.bytes);
  json["writes"] = write(value.writes);
  json["scratch_bytes"] = write(value.scratch_bytes);
  return json;
}
bool read_fields(const nlohmann::json& json, PackageKernel& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("offset", value.offset, {65536, 65536});
  reader.required("bytes", value.bytes, {65536, 65536});
  reader.required("writes", value.writes, {64, 65536});
  reader.required("scratch_bytes", value.scratch_bytes, {65536, 65536});
  return reader.ok();
}
template <>
Result<PackageKernel> from_json<PackageKernel>(const nlohmann::json& json) {
  return read_value<PackageKernel>(json);
}

nlohmann::json to_json(const PlanFile& value) {
  nlohmann::json json = nlohmann::json::object();
  json["buffers"] = write(value.buffers);
  json["textures"] = write(value.textures);
  json["kernels"] = write(value.kernels);
  json["launches"] = write(value.launches);
  json["weights"] = write(value.weights);
  json["inputs"] = write(value.inputs);
  json["outputs"] = write(value.outputs);
  if (value.loops) json["loops"] = write(*value.loops);
  return json;
}
bool read_fields(const nlohmann::json& json, PlanFile& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("buffers", value.buffers, {65536, 65536});
  reader.required("textures", value.textures, {65536, 65536});
  reader.required("kernels", value.kernels, {65536, 65536});
  reader.required("launches", value.launches, {65536, 65536});
  reader.required("weights", value.weights, {65536, 65536});
  reader.required("inputs", value.inputs, {65536, 65536});
  reader.required("outputs", value.outputs, {65536, 65536});
  reader.optional("loops", value.loops, {256, 65536});
  return reader.ok();
}
template <>
Result<PlanFile> from_json<PlanFile>(const nlohmann::json& json) {
  return read_value<PlanFile>(json);
}

nlohmann::json to_json(const PlanHead& value) {
  nlohmann::json json = nlohmann::json::object();
  json["backend"] = write(value.backend);
  json["made_for"] = write(value.made_for);
  json["vendor"] = write(value.vendor);
  json["architecture"] = write(value.architecture);
  json["browser"] = write(value.browser);
  json["features"] = write(value.features);
  json["limits"] = write(value.limits);
  json["tuned"] = write(value.tuned);
  json["tasks"] = write(value.tasks);
  json["memory_bytes"] = write(value.memory_bytes);
  json["plan"] = write(value.plan);
  json["kernels"] = write(value.kernels);
  return json;
}
bool read_fields(const nlohmann::json& json, PlanHead& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("backend", value.backend, {65536, 65536});
  reader.required("made_for", value.made_for, {1024, 1024});
  reader.required("vendor", value.vendor, {256, 256});
  reader.required("architecture", value.architecture, {256, 256});
  reader.required("browser", value.browser, {64, 64});
  reader.required("features", value.features, {256, 128});
  reader.required("limits", value.limits, {256, 65536});
  reader.required("tuned", value.tuned, {65536, 65536});
  reader.required("tasks", value.tasks, {65536, 65536});
  reader.required("memory_bytes", value.memory_bytes, {65536, 65536});
  reader.required("plan", value.plan, {65536, 65536});
  reader.required("kernels", value.kernels, {65536, 65536});
  return reader.ok();
}
template <>
Result<PlanHead> from_json<PlanHead>(const nlohmann::json& json) {
  return read_value<PlanHead>(json);
}

nlohmann::json to_json(const SizedManifest& value) {
  nlohmann::json json = nlohmann::json::object();
  json["dims"] = write(value.dims);
  json["file"] = write(value.file);
  return json;
}
bool read_fields(const nlohmann::json& json, SizedManifest& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("dims", value.dims, {64, 65536});
  reader.required("file", value.file, {256, 256});
  return reader.ok();
}
template <>
Result<SizedManifest> from_json<SizedManifest>(const nlohmann::json& json) {
  return read_value<SizedManifest>(json);
}

nlohmann::json to_json(const Manifest& value) {
  nlohmann::json json = nlohmann::json::object();
  json["format"] = write(value.format);
  json["version"] = write(value.version);
  json["made_by"] = write(value.made_by);
  json["model"] = write(value.model);
  json["inputs"] = write(value.inputs);
  json["outputs"] = write(value.outputs);
  json["weights"] = write(value.weights);
  json["chunks"] = write(value.chunks);
  json["plans"] = write(value.plans);
  if (value.dims) json["dims"] = write(*value.dims);
  if (value.sizes) json["sizes"] = write(*value.sizes);
  return json;
}
bool read_fields(const nlohmann::json& json, Manifest& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("format", value.format, {32, 32});
  reader.required("version", value.version, {65536, 65536});
  reader.required("made_by", value.made_by, {64, 64});
  reader.required("model", value.model, {4096, 4096});
  reader.required("inputs", value.inputs, {1024, 65536});
  reader.required("outputs", value.outputs, {1024, 65536});
  reader.required("weights", value.weights, {65536, 65536});
  reader.required("chunks", value.chunks, {65536, 65536});
  reader.required("plans", value.plans, {1024, 65536});
  reader.optional("dims", value.dims, {64, 65536});
  reader.optional("sizes", value.sizes, {64, 65536});
  return reader.ok();
}
template <>
Result<Manifest> from_json<Manifest>(const nlohmann::json& json) {
  return read_value<Manifest>(json);
}

nlohmann::json to_json(const ArchivedFile& value) {
  nlohmann::json json = nlohmann::json::object();
  json["name"] = write(value.name);
  json["bytes"] = write(value.bytes);
  return json;
}
bool read_fields(const nlohmann::json& json, ArchivedFile& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("name", value.name, {256, 256});
  reader.required("bytes", value.bytes, {65536, 65536});
  return reader.ok();
}
template <>
Result<ArchivedFile> from_json<ArchivedFile>(const nlohmann::json& json) {
  return read_value<ArchivedFile>(json);
}

nlohmann::json to_json(const PackageArchive& value) {
  nlohmann::json json = nlohmann::json::object();
  json["files"] = write(value.files);
  return json;
}
bool read_fields(const nlohmann::json& json, PackageArchive& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("files", value.files, {65536, 65536});
  return reader.ok();
}
template <>
Result<PackageArchive> from_json<PackageArchive>(const nlohmann::json& json) {
  return read_value<PackageArchive>(json);
}

}  // namespace hone::protocol
