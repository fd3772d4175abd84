#include "codegen/target/target.h"

#include "base/cat.h"
#include "base/check.h"

namespace hone::target {

std::string kind_name(Kind kind) {
  switch (kind) {
    case Kind::kWebGpu:
      return "webgpu";
    case Kind::kWebGl:
      return "webgl";
    case Kind::kWasm:
      return "wasm";
    case Kind::kNative:
      return "native";
    case Kind::kOpenGl:
      return "opengl";
  }
  return "";
}

std::optional<Kind> parse_kind(std::string_view name) {
  for (Kind kind : {Kind::kWebGpu, Kind::kWebGl, Kind::kWasm, Kind::kNative, Kind::kOpenGl})
    if (kind_name(kind) == name) return kind;
  return std::nullopt;
}

bool on_cores(Kind kind) { return kind == Kind::kWasm || kind == Kind::kNative; }

std::vector<ir::DType> stored_types(Kind kind) {
  using ir::DType;
  if (kind != Kind::kNative) return {DType::kF32, DType::kI32, DType::kU32};
  return {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,  DType::kU8,  DType::kI16,
          DType::kU16, DType::kI32, DType::kU32, DType::kI64,  DType::kU64, DType::kBool};
}

Target webgpu_default() { return {}; }

Target webgl_default() {
  Target t;
  t.kind = Kind::kWebGl;
  t.lanes = {1, 4};
  t.limits.grid_dim_max = 2048;
  t.has_workgroup_memory = false;
  return t;
}

Target wasm_default() {
  Target t;
  t.kind = Kind::kWasm;
  t.lanes = {1, 4};
  t.limits.grid_dim_max = int64_t{1} << 31;
  t.limits.live_vectors_max = 14;
  t.limits.storage_buffers_max = 64;
  t.limits.binding_bytes_max = int64_t{1} << 31;
  t.safe_reads = false;
  t.has_workgroup_memory = false;
  return t;
}

Target default_target(Kind kind) {
  CHECK(kind == Kind::kWebGpu || kind == Kind::kWasm, cat("no default for the target ", kind_name(kind)));
  return kind == Kind::kWasm ? wasm_default() : webgpu_default();
}

std::vector<std::string> tunable_targets() { return {kind_name(Kind::kWebGpu), kind_name(Kind::kWasm)}; }

}  // namespace hone::target
