#include "codegen/emit/llvm/native_object.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/cat.h"

namespace hone::emit {
namespace {

constexpr const char* kProduct = R"(
arg A: f32x4[64]
arg B: f32x4[64]
out C: f32x4[64]
temp T: f32x4[64]
launch grid(1) threads(1)
  for bx in 0..64 core
    T[bx] = mad(A[bx], B[bx], A[bx])
launch grid(1) threads(1)
  alloc R: f32x4[64]
  for i in 0..64
    R[i] = T[i] * T[i]
  for i in 0..64
    C[i] = R[63 - i]
)";

constexpr const char* kSine = R"(
arg A: f32[8]
out C: f32[8]
launch grid(1) threads(1)
  for i in 0..8
    C[i] = sin(A[i])
)";

struct Object {
  int machine = 0;
  std::set<std::string> defined, undefined;
  bool hidden = true;  // all that are defined
};

template <class T>
T part(const std::string& bytes, uint64_t at) {
  T out;
  std::memcpy(&out, &bytes.at(at + sizeof out - 1) - (sizeof out - 1), sizeof out);
  return out;
}

// What an object says of its functions.
Object read_object(const std::string& bytes) {
  const auto head = part<Elf64_Ehdr>(bytes, 0);
  EXPECT_EQ(std::memcmp(head.e_ident, ELFMAG, SELFMAG), 0);
  Object out{head.e_machine};
  for (int s = 0; s < head.e_shnum; s++) {
    const auto table = part<Elf64_Shdr>(bytes, head.e_shoff + static_cast<uint64_t>(s) * head.e_shentsize);
    if (table.sh_type != SHT_SYMTAB) continue;
    const auto names = part<Elf64_Shdr>(bytes, head.e_shoff + uint64_t{table.sh_link} * head.e_shentsize);
    for (uint64_t at = table.sh_offset; at < table.sh_offset + table.sh_size; at += table.sh_entsize) {
      const auto symbol = part<Elf64_Sym>(bytes, at);
      if (ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL) continue;
      const bool is_defined = symbol.st_shndx != SHN_UNDEF;
      (is_defined ? out.defined : out.undefined).insert(bytes.c_str() + names.sh_offset + symbol.st_name);
      if (is_defined) out.hidden = out.hidden && ELF64_ST_VISIBILITY(symbol.st_other) == STV_HIDDEN;
    }
  }
  return out;
}

TEST(NativeObject, EachLevelHasAnObjectOfItsMachine) {
  // Given two kernels, when compiled for every level, then the object is ELF of the level's architecture, has a hidden function for each launch, and
  // refers to libm alone.
  for (const target::CpuLevel& level : target::cpu_levels()) {
    const auto code = native_object({kProduct, kSine}, level, "tiny");
    ASSERT_TRUE(code.ok()) << level.name << ": " << code.error().message;
    const Object object = read_object(code->object);
    EXPECT_EQ(object.machine, level.architecture == "aarch64" ? EM_AARCH64 : EM_X86_64) << level.name;
    const std::string prefix = cat("tiny_", level.name, "_");
    EXPECT_EQ(object.defined, (std::set<std::string>{prefix + "0_0", prefix + "0_1", prefix + "1_0"})) << level.name;
    EXPECT_EQ(object.undefined, std::set<std::string>{"sinf"}) << level.name;
    EXPECT_TRUE(object.hidden) << level.name;
  }
}

TEST(NativeObject, LaunchesSayWhatTheyTake) {
  // Given a kernel of two launches with a temporary between them, when compiled, then each launch has its iterations, buffers and scratch memory.
  const auto code = native_object({kProduct}, target::cpu_levels().front(), "tiny");
  ASSERT_TRUE(code.ok()) << code.error().message;
  ASSERT_EQ(code->kernels.size(), 1u);
  const NativeKernelCode& kernel = code->kernels[0];
  ASSERT_EQ(kernel.launches.size(), 2u);
  EXPECT_EQ(kernel.launches[0].extent, 64);
  EXPECT_EQ(kernel.launches[0].bindings.size(), 3u);
  EXPECT_EQ(kernel.launches[1].scratch_bytes, 1024);
  EXPECT_EQ(kernel.arguments.size(), 3u);
  EXPECT_EQ(kernel.temps.at(0).bytes, 1024);
}

TEST(NativeObject, WhatIsNoKernelIsRefused) {
  // Given a text that is no kernel, when compiled, then it is refused.
  EXPECT_FALSE(native_object({"nonsense"}, target::cpu_levels().front(), "tiny").ok());
}

}  // namespace
}  // namespace hone::emit
