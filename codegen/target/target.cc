#include "codegen/target/target.h"

#include <algorithm>

#include "base/cat.h"

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
    case Kind::kOpenCl:
      return "opencl";
  }
  return "";
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (uint8_t i = 0; !kind_name(static_cast<Kind>(i)).empty(); ++i) names.push_back(kind_name(static_cast<Kind>(i)));
  return names;
}

std::optional<Kind> parse_kind(std::string_view name) {
  const std::vector<std::string> names = kind_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Kind>(found - names.begin());
}

std::string list_of_kinds(std::string_view conjunction) {
  std::string list;
  const std::vector<std::string> names = kind_names();
  for (size_t i = 0; i < names.size(); ++i)
    list += cat(i == 0 ? "" : i + 1 < names.size() ? ", " : cat(" ", conjunction, " "), names[i]);
  return list;
}

bool on_cores(Kind kind) { return kind == Kind::kWasm || kind == Kind::kNative; }

// Native code is one call for all launches, and what lies in textures is drawn each time.
bool runs_ahead(Kind kind) { return kind == Kind::kWebGpu || kind == Kind::kWasm || kind == Kind::kOpenCl; }

bool on_textures(Kind kind) { return kind == Kind::kWebGl || kind == Kind::kOpenGl; }

// Of four bytes on every kind: agents make and compare no others.
std::vector<ir::DType> stored_types(Kind) { return {ir::DType::kF32, ir::DType::kI32, ir::DType::kU32}; }

ir::Medium stored_in(Kind kind) { return on_textures(kind) ? ir::Medium::kTexture2D : ir::Medium::kBuffer; }

std::string subgroup_feature(int64_t threads) { return cat("subgroup-size-", threads); }

Target webgpu_default() {
  Target t;
  t.launch_us = kLaunchUs;
  return t;
}

Target webgl_default() {
  Target t;
  t.kind = Kind::kWebGl;
  t.launch_us = kLaunchUs;
  t.lanes = {1, 4};
  t.limits.grid_dim_max = t.limits.texture_size_max;
  t.limits.storage_buffers_max = 16 + kRenderTargets;  // textures to read and to write
  t.has_workgroup_memory = false;
  t.has_f16 = true;  // every context that draws to textures of f32 draws to those of f16
  return t;
}

Target opengl_default() {
  Target t = webgl_default();
  t.kind = Kind::kOpenGl;
  return t;
}

Target opencl_target(int64_t lanes) {
  Target t;
  t.kind = Kind::kOpenCl;
  t.limits.workgroup_bytes_max = 32768;  // of full profiles
  t.limits.storage_buffers_max = 64;     // arguments of 8 bytes, of which a kernel has 1024 at least
  for (int wide = 8; wide <= std::min<int64_t>(lanes, 16); wide *= 2) t.lanes.push_back(wide);
  return t;
}

Target opencl_default() { return opencl_target(4); }

Target wasm_default() {
  Target t;
  t.kind = Kind::kWasm;
  t.lanes = {1, 4};
  t.limits.grid_dim_max = int64_t{1} << 31;
  t.limits.live_vectors_max = 14;
  t.limits.storage_buffers_max = 64;
  t.limits.binding_bytes_max = int64_t{1} << 31;
  t.has_workgroup_memory = false;
  return t;
}

Target native_target(int lanes, int vector_registers) {
  Target t = wasm_default();
  t.kind = Kind::kNative;
  for (int wide = 8; wide <= lanes; wide *= 2) t.lanes.push_back(wide);
  t.limits.live_vectors_max = vector_registers - 2;
  return t;
}

Target default_target(Kind kind) {
  switch (kind) {
    case Kind::kWebGpu:
      return webgpu_default();
    case Kind::kWasm:
      return wasm_default();
    case Kind::kNative:
      return native_target(4, 16);
    case Kind::kWebGl:
      return webgl_default();
    case Kind::kOpenGl:
      return opengl_default();
    case Kind::kOpenCl:
      return opencl_default();
  }
  return {};
}

}  // namespace hone::target
