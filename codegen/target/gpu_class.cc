#include "codegen/target/gpu_class.h"

namespace hone::target {

namespace {

struct GpuClass {
  std::string_view vendor;
  int64_t registers_max;  // of a thread, of 32 bits
  int64_t l1_bytes;       // of a core, for loads
};

constexpr GpuClass kClasses[] = {
    // 65,536 registers for 512 threads; 128 KiB of L1, of which workgroup memory takes up to 32 (NVIDIA Ada GPU architecture whitepaper).
    {"nvidia", 128, 96 << 10},
    // Philip Turner's metal-benchmarks (M1 and later): 128 registers with 1024 threads' worth of them, 8 KiB of L1.
    {"apple", 128, 8 << 10},
    // Mesa's compiler for the 6xx and 7xx: 48 registers of four words; Chips and Cheese: 1 to 2 KiB of texture cache in each half of a processor, no other L1.
    {"qualcomm", 192, 4 << 10},
    // Arm GPU best practices developer guide: 64 registers at most since Bifrost; Valhall's shader core: 16 KiB of load and store cache.
    {"arm", 64, 16 << 10},
    // RDNA whitepaper: 128 KiB of vector registers for each SIMD32, 16 KiB of L0.
    {"amd", 128, 16 << 10},
};

}  // namespace

void add_class_facts(Target& target, std::string_view vendor) {
  for (const GpuClass& known : kClasses)
    if (known.vendor == vendor) {
      target.registers_max = known.registers_max;
      target.l1_bytes = known.l1_bytes;
    }
}

}  // namespace hone::target
