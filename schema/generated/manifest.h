// Generated from schema/manifest.json by scripts/gen_schema. Do not edit.
#pragma once
#include "schema/generated/protocol.h"

namespace hone::protocol {

inline constexpr std::string_view kManifestFormat = "hone.package";
inline constexpr uint32_t kManifestVersion = 1;
inline constexpr size_t kChunkBytesMax = 8388608;  // [bytes] one file of weights
inline constexpr size_t kManifestBytesMax = 8388608;  // [bytes] manifest.json, and each plan file

// What runs a plan.
enum class Backend : uint8_t {
  kWebgpu,  // WGSL on WebGPU
  kWebgl,  // GLSL ES on WebGL 2
  kWasm,  // WebAssembly with SIMD
};
std::string_view to_name(Backend value);
bool from_name(std::string_view name, Backend& value);

// A file of the package, named by its content.
struct Asset {
  static constexpr std::string_view kKind = "asset";
  std::string file;  // Its name, beside manifest.json.
  uint64_t bytes = 0;  // [bytes] Its size.
  std::string sha256;  // 64 hexadecimal digits, over all of it.
};

// An input or output of the model.
struct ModelValue {
  static constexpr std::string_view kKind = "model_value";
  std::string name;  // As the model names it.
  std::string dtype;  // Its element type as the caller sees it: f32, f64, f16, i32, u32, i64, u64, i16, u16, i8, u8, bool.
  std::vector<uint64_t> shape{};  // Its extents, outermost first; where lengths says so, the most that there may be.
  std::optional<std::vector<uint32_t>> lengths;  // Of an output whose size only a run tells, by dimension: 1 + the position of the output that says how much of it counts, or 0: all.
  std::optional<std::vector<std::string>> watched;  // Of the output, the last, that tells whether a whole number of 64 bits has left the 32 in which it is computed: the values that are watched. It is 0 where none has, else 1 + the position of the first one that did, and then no output is right.
};

// A constant of the model, row-major.
struct Weight {
  static constexpr std::string_view kKind = "weight";
  std::string dtype;  // f32, f16, i32 or u32, as it lies in the chunks, little-endian.
  std::vector<uint64_t> shape{};  // Its extents, outermost first.
  uint64_t offset = 0;  // [bytes] Where it begins in all chunks, one after the other; a multiple of 16.
  uint64_t bytes = 0;  // [bytes] Its size there.
};

// A weight as the kernels of a plan read it.
struct PlanWeight {
  static constexpr std::string_view kKind = "plan_weight";
  uint32_t weight = 0;  // Its position among the manifest's weights.
  uint32_t buffer = 0;  // The plan's buffer that holds it.
  std::string dtype;  // How the kernels hold its elements: f32, f16, i32 or u32.
  std::vector<std::array<int64_t, 3>> dims{};  // Its layout, outermost first: each physical dimension is [axis, div, size], with index (logical[axis] / div) mod size; what holds no element is zero. Empty: row-major.
  uint64_t bytes = 0;  // [bytes] Its size in this layout.
};

// An input or output of the model as it lies in a buffer.
struct PlanPort {
  static constexpr std::string_view kKind = "plan_port";
  uint32_t value = 0;  // Its position among the manifest's inputs, or outputs.
  uint32_t buffer = 0;  // The plan's buffer that holds it; several outputs may show one.
  std::string dtype;  // How the kernels hold its elements: f32, f16, i32 or u32; of outputs f32, i32 or u32. Whole numbers of the model beyond 32 bits do not fit.
  std::vector<std::array<int64_t, 3>> dims{};  // Its layout, as in plan_weight.
  uint64_t bytes = 0;  // [bytes] Its size in this layout.
};

// A kernel of a plan: source text in UTF-8, or a WebAssembly module that exports main.
struct PackageKernel {
  static constexpr std::string_view kKind = "package_kernel";
  uint64_t offset = 0;  // [bytes] Where it begins in the plan's file of kernels.
  uint64_t bytes = 0;  // [bytes] Its size.
  std::vector<bool> writes{};  // Per binding of group 0: true when the kernel may write it.
  uint32_t scratch_bytes = 0;  // [bytes] Memory that each call needs to itself; 0 on GPUs.
};

// All launches of the model for one class of devices: the content of a plan's file.
struct PlanFile {
  static constexpr std::string_view kKind = "plan_file";
  std::vector<uint64_t> buffers{};  // [bytes] The size of each buffer, a multiple of 16.
  std::vector<Texture> textures{};  // What the buffers are, where kernels read textures; else empty.
  std::vector<PackageKernel> kernels{};  // The distinct kernels.
  std::vector<PlanLaunch> launches{};  // In the order in which they run.
  std::vector<PlanWeight> weights{};  // What is put into buffers once.
  std::vector<PlanPort> inputs{};  // What is put into buffers before each run.
  std::vector<PlanPort> outputs{};  // What is read after each run.
  std::optional<std::vector<PlanLoop>> loops;  // As in an execute frame. Absent: none.
};

// A plan, and where it can run.
struct PlanHead {
  static constexpr std::string_view kKind = "plan_head";
  Backend backend{};  // What runs it.
  std::string made_for;  // For people: the device that it was tuned on, or portable.
  std::string vendor;  // Of that device's adapter, as the browser names it; empty: portable.
  std::string architecture;  // Likewise.
  std::string browser;  // In lower case: chromium, firefox, safari; empty: portable.
  std::vector<std::string> features{};  // What a device must have: features of the adapter, of WGSL, or of WebAssembly.
  std::map<std::string, double> limits{};  // What a device must have at least, by names in the API; linearSubgroupSize, the size of subgroups whose lanes follow the invocations, is met by exactly that size.
  uint32_t tuned = 0;  // Tasks of the model that a search has tuned for this device; the others have the schedule that they have without.
  uint32_t tasks = 0;  // Tasks of the model.
  uint64_t memory_bytes = 0;  // [bytes] All buffers together.
  Asset plan{};  // The plan_file as JSON.
  Asset kernels{};  // The code of its kernels, one after the other.
};

// The same model for other sizes of its open dimensions, over the same weights.
struct SizedManifest {
  static constexpr std::string_view kKind = "sized_manifest";
  std::map<std::string, double> dims{};  // As in its manifest.
  std::string file;  // Its manifest, beside manifest.json.
};

// manifest.json: what the package is.
struct Manifest {
  static constexpr std::string_view kKind = "manifest";
  std::string format;  // hone.package
  uint32_t version = 0;  // Of this format; a runtime reads its own version alone.
  std::string made_by;  // hone and its version.
  std::string model;  // The model's name, for people.
  std::vector<ModelValue> inputs{};  // What run() takes.
  std::vector<ModelValue> outputs{};  // What run() gives.
  std::vector<Weight> weights{};  // The model's constants, stored once for all plans.
  std::vector<Asset> chunks{};  // The files that hold them, in order.
  std::vector<PlanHead> plans{};  // Those for devices of their own first, portable ones last.
  std::optional<std::map<std::string, double>> dims;  // The sizes of the model's open dimensions that it was made for, by name.
  std::optional<std::vector<SizedManifest>> sizes;  // Of manifest.json, where the package was made for several sizes: all of them, its own first.
};

// A file of a package within an archive.
struct ArchivedFile {
  static constexpr std::string_view kKind = "archived_file";
  std::string name;  // Its name beside manifest.json.
  uint64_t bytes = 0;  // [bytes] Its size.
};

// A package on its way to a service: the length of this header as JSON (u32, little-endian), the header, and the files one after the other.
struct PackageArchive {
  static constexpr std::string_view kKind = "package_archive";
  std::vector<ArchivedFile> files{};  // In order; those that the runtime alone needs are left out.
};

nlohmann::json to_json(const Asset& value);
nlohmann::json to_json(const ModelValue& value);
nlohmann::json to_json(const Weight& value);
nlohmann::json to_json(const PlanWeight& value);
nlohmann::json to_json(const PlanPort& value);
nlohmann::json to_json(const PackageKernel& value);
nlohmann::json to_json(const PlanFile& value);
nlohmann::json to_json(const PlanHead& value);
nlohmann::json to_json(const SizedManifest& value);
nlohmann::json to_json(const Manifest& value);
nlohmann::json to_json(const ArchivedFile& value);
nlohmann::json to_json(const PackageArchive& value);
template <>
Result<Asset> from_json<Asset>(const nlohmann::json& json);
template <>
Result<ModelValue> from_json<ModelValue>(const nlohmann::json& json);
template <>
Result<Weight> from_json<Weight>(const nlohmann::json& json);
template <>
Result<PlanWeight> from_json<PlanWeight>(const nlohmann::json& json);
template <>
Result<PlanPort> from_json<PlanPort>(const nlohmann::json& json);
template <>
Result<PackageKernel> from_json<PackageKernel>(const nlohmann::json& json);
template <>
Result<PlanFile> from_json<PlanFile>(const nlohmann::json& json);
template <>
Result<PlanHead> from_json<PlanHead>(const nlohmann::json& json);
template <>
Result<SizedManifest> from_json<SizedManifest>(const nlohmann::json& json);
template <>
Result<Manifest> from_json<Manifest>(const nlohmann::json& json);
template <>
Result<ArchivedFile> from_json<ArchivedFile>(const nlohmann::json& json);
template <>
Result<PackageArchive> from_json<PackageArchive>(const nlohmann::json& json);

}  // namespace hone::protocol
