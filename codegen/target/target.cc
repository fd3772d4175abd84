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

}  // namespace hone::target
