#include "tests/kernel_mutants/mutations.h"

#include <gtest/gtest.h>

#include <set>

#include "codegen/ir/parser.h"
#include "codegen/ir/printer.h"

namespace hone::kernel_mutants {
namespace {

constexpr const char* kText = R"(arg A: f32x4[64]
arg B: i8x4[64]
out C: f32[256]
out D: i32[256]
launch grid(bx: 4) threads(tx: 8)
  alloc S: f32[8] workgroup
  alloc acc: f32x4[1]
  acc[0] = broadcast(0.0, 4)
  for k in 0..4
    acc[0] = mad(A[bx * 16 + k * 4], A[bx * 16 + k * 2 + 1], acc[0])
  S[tx] = acc[0].y
  barrier
  if tx < 7
    C[bx * 8 + tx] = max(S[tx] + S[tx + 1], 0.0)
  D[bx * 8 + tx] = i32(extract(B[tx], 1))
)";

// Given a kernel with one place for each kind of mistake, when its sites are looked for, then each kind is found, and a mutant's text differs from the
// kernel's and from that of every other mutant.
TEST(Mutations, EachKindChangesTheKernelInItsOwnWay) {
  auto kernel = ir::parse_kernel(kText);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  std::set<Kind> kinds;
  std::set<std::string> texts{ir::print(*kernel)};
  for (const Site& site : sites_of(*kernel)) {
    kinds.insert(site.kind);
    EXPECT_TRUE(texts.insert(ir::print(mutated(*kernel, site))).second) << kind_name(site.kind);
  }
  EXPECT_EQ(kinds.size(), static_cast<size_t>(kKinds));
}

}  // namespace
}  // namespace hone::kernel_mutants
