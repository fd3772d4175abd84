#include "codegen/target/cpu_level.h"

namespace hone::target {

const std::vector<CpuLevel>& cpu_levels() {
  constexpr std::string_view kX86 = "x86_64-unknown-linux-gnu", kArm = "aarch64-unknown-linux-gnu";
  static const std::vector<CpuLevel> levels = {{"x86_64_v4", "x86_64", kX86, "x86-64-v4", 16, 32},
                                               {"x86_64_v3", "x86_64", kX86, "x86-64-v3", 8, 16},
                                               {"x86_64_v2", "x86_64", kX86, "x86-64-v2", 4, 16, false},
                                               {"aarch64", "aarch64", kArm, "generic", 4, 32}};
  return levels;
}

Target level_target(const CpuLevel& level) { return native_target(level.vector_lanes, level.vector_registers); }

}  // namespace hone::target
