#include "codegen/target/target.h"

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
  t.safe_reads = false;
  t.has_workgroup_memory = false;
  return t;
}

}  // namespace hone::target
