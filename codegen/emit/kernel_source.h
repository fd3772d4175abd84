// KernelSource: what goes to a device. Shapes are literals, so there are no uniforms.
#pragma once
#include <string>
#include <vector>

#include "base/hash.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

struct Binding {
  enum class Kind : uint8_t { kArg, kTemp } kind = Kind::kArg;
  int position = 0;     // in the task's arguments (inputs then outputs) or in KernelSource::temps
  bool writes = false;  // WGSL: read_write against read
  std::string element;  // "f32", "vec4<f32>"
  int64_t bytes = 0;    // size the shader declares; a multiple of 16
};

struct LaunchSource {
  std::string code;  // one entry point, "main"; binding i is @binding(i) of group 0
  ir::Dims grid{1, 1, 1}, threads{1, 1, 1};
  std::vector<Binding> bindings;
};

struct Temp {
  int64_t bytes = 0;
};

// An argument that the kernel wants in another layout than its task's: a constant, packed ahead of time.
struct ArgLayout {
  int position = 0;  // in the task's arguments
  ir::Layout layout;
};

struct KernelSource {
  std::vector<LaunchSource> launches;
  std::vector<Temp> temps;
  std::vector<ArgLayout> layouts;
  std::vector<std::string> needs;  // device features, e.g. "shader-f16"
  Hash hash;                       // of code, dimensions and layouts: the de-duplication key. Set by hash_source
};

Hash hash_source(const KernelSource& source);

}  // namespace hone::emit
