// Levels of CPUs' instruction sets for which code is made ahead of time: of x86-64 those of its psABI, of AArch64 what every one has.
#pragma once
#include <string_view>
#include <vector>

#include "codegen/target/target.h"

namespace hone::target {

struct CpuLevel {
  std::string_view name;          // within identifiers and names of files
  std::string_view architecture;  // "x86_64", "aarch64"
  std::string_view triple, cpu;   // as compilers name them
  int vector_lanes = 4;           // f32 in the widest register
  int vector_registers = 16;
  bool has_fused_mad = true;
};

const std::vector<CpuLevel>& cpu_levels();  // of each architecture the best first
Target level_target(const CpuLevel& level);

}  // namespace hone::target
