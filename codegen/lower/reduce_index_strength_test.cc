#include <gtest/gtest.h>

#include "codegen/ir/parser.h"
#include "codegen/ir/printer.h"
#include "codegen/lower/passes.h"

namespace hone::lower {
namespace {

// Given an index that a max keeps from below 0, of an index that a loop shares and that may be below 0, when both are computed once, then the first one's range is as narrow as
// where it stood: it tells how far a read reaches.
TEST(ReduceIndexStrength, RangesAreThoseOfWhatVariablesStandFor) {
  const auto kernel = ir::parse_kernel(
      "arg A: f32[20]\n"
      "out C: f32[20]\n"
      "launch grid(bx: 20) threads(1)\n"
      "  for r in 0..4\n"
      "    C[bx] = A[max(bx - r * 8, 0)] + A[max(bx - r * 8 - 4, 0)]\n");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto reduced = reduce_index_strength(*kernel);
  ASSERT_TRUE(reduced.ok());
  EXPECT_EQ(ir::print(reduced->launches[0].body),
            "for r in 0..4\n"
            "  let i0 = bx - r * 8\n"
            "  let i1<20 = max(i0, 0)\n"
            "  let i2<16 = max(i0 - 4, 0)\n"
            "  C[bx] = A[i1] + A[i2]\n");
}

}  // namespace
}  // namespace hone::lower
