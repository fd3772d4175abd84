#include "codegen/emit/kernel_source.h"

#include "base/cat.h"

namespace hone::emit {

Hash hash_source(const KernelSource& source) {
  std::string all;
  for (const LaunchSource& launch : source.launches) {
    all += launch.code;
    for (int d = 0; d < 3; d++) all += cat("|", launch.grid[d], ",", launch.threads[d]);
    for (const Binding& b : launch.bindings) all += cat("|", static_cast<int>(b.kind), ",", b.position, ",", b.bytes);
  }
  for (const LaunchSource& launch : source.launches)
    if (launch.ahead) all += "|ahead";
  for (const LaunchSource& launch : source.launches)
    if (launch.scratch_bytes) all += cat("|scratch ", launch.scratch_bytes);
  for (const Temp& t : source.temps) all += cat("|temp ", t.bytes);
  for (const ArgLayout& l : source.layouts)
    all += cat("|arg ", l.position, ir::layout_text(l.layout), l.stored == ir::DType::kF16 ? " f16" : "");
  return hash_bytes(all);
}

ir::DType texel_type(std::string_view element) {
  if (element == "f16vec4") return ir::DType::kF16;
  if (element == "ivec4") return ir::DType::kI32;
  return element == "uvec4" ? ir::DType::kU32 : ir::DType::kF32;
}

int64_t texel_bytes(ir::DType type) { return type == ir::DType::kF16 ? 8 : 16; }

}  // namespace hone::emit
