// KernelSource: what goes to a device. Shapes are literals, so there are no uniforms. What a module looks like to its caller: emit_wgsl.h,
// emit_glsl.h, emit_opencl.h, emit_wasm.h, emit_native.h.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

struct Binding {
  enum class Kind : uint8_t { kArg, kTemp } kind = Kind::kArg;
  int position = 0;     // in the task's arguments (inputs then outputs) or in KernelSource::temps
  bool writes = false;  // WGSL: read_write against read
  std::string
      element;  // WGSL: "f32", "vec4<f32>"; GLSL: "vec4", "ivec4", "uvec4", "f16vec4"; OpenCL: "float4"; CPUs: "f32", "f32x4"
  int64_t bytes = 0;  // size that the code may touch; a multiple of 16
  // CPUs: reads whose values are dropped may lie this far before the buffer or behind its `bytes`; there must be memory, of whatever
  // content.
  int64_t reach_bytes = 0;
  ir::Texture texture;  // GLSL: what the buffer is; `bytes` are its texels', rounded up
};

struct LaunchSource {
  std::string
      code;  // one entry point, "main" (OpenCL: emit_opencl.h). WGSL: text, binding i is @binding(i) of group 0; WebAssembly: a module's bytes; native: emit_native.h
  ir::Dims grid{1, 1, 1}, threads{1, 1, 1};
  std::vector<Binding> bindings;
  int64_t scratch_bytes = 0;  // CPUs: memory that each call of the entry needs to itself
  bool ahead =
      false;  // all that it writes follows from constants: it need run but once, before the launches that are not
};

struct Temp {
  int64_t bytes = 0;
  ir::Texture texture;  // GLSL
};

// An argument that the kernel wants in another layout or element type than its task's: a constant, packed ahead of time.
struct ArgLayout {
  int position = 0;  // in the task's arguments
  ir::Layout layout;
  int64_t bytes = 0;  // of all its physical elements
  ir::DType stored =
      ir::DType::kF32;  // the task's type, or f16 where that is f32: its numbers rounded to the nearest, ties to even
};

struct KernelSource {
  std::vector<LaunchSource> launches;
  std::vector<Temp> temps;
  std::vector<ArgLayout> layouts;
  std::vector<std::string> needs;  // device features, e.g. "shader-f16", "relaxed-simd"
  Hash hash;                       // of code, dimensions and layouts: the de-duplication key. Set by hash_source
};

Hash hash_source(const KernelSource& source);

// GLSL: the type of a texel's numbers, f32, f16, i32 or u32, from Binding::element.
ir::DType texel_type(std::string_view element);
int64_t texel_bytes(ir::DType type);

}  // namespace hone::emit
