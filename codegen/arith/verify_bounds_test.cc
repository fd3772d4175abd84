#include "codegen/arith/verify_bounds.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/ir/parser.h"

namespace hone::arith {
namespace {

std::string error_of(const std::string& body) {
  auto kernel = ir::parse_kernel(cat("arg A: f32[64]\nout C: f32[64]\nlaunch grid(b: 4) threads(t: 16)\n", body));
  CHECK(kernel.ok(), kernel.ok() ? "" : kernel.error().message);
  const Status status = verify_bounds(*kernel);
  return status.ok() ? "" : status.error().message;
}

// Given accesses whose indices are affine in loop and launch variables, when verified, then those that reach beyond the buffer are refused,
// unless a mask, an if or the flag any_value stands between.
TEST(VerifyBounds, ExactIntervals) {
  EXPECT_EQ(error_of("  C[b * 16 + t] = A[b * 16 + t]\n"), "");
  EXPECT_NE(error_of("  C[b * 16 + t] = A[b * 16 + t + 1]\n")
                .find("an index of A reaches 1 to 64 in a dimension of 64, at: C[b * 16 + t]"),
            std::string::npos);
  EXPECT_NE(error_of("  C[b * 16 + t - 1] = 0.0\n").find("an index of C reaches -1 to 62"), std::string::npos);
  EXPECT_NE(error_of("  let r = b * 17\n  C[r + t] = 0.0\n").find("reaches 0 to 66"), std::string::npos)
      << "a let is seen through";
  EXPECT_NE(error_of("  C[ramp(b * 16 + t, 1, 2)] = broadcast(0.0, 2)\n").find("reaches 0 to 64"), std::string::npos);
  EXPECT_EQ(error_of("  C[b * 16 + t] = A[b * 16 + t + 1 any] + A[b * 16 + t + 1 if t < 15]\n"), "");
  EXPECT_EQ(error_of("  if b * 16 + t < 63\n    C[b * 16 + t + 1] = 0.0\n"), "");
  EXPECT_EQ(error_of("  C[(b * 16 + t) / 4 * 4 + t % 4] = 0.0\n"), "");
  EXPECT_EQ(error_of("  for i in 0..0\n    C[i + 64] = 0.0\n"), "") << "nothing runs";
}

// Given index arithmetic that can leave 32 bits, when verified, then it is refused wherever it stands; control: just inside.
TEST(VerifyBounds, ThirtyTwoBits) {
  EXPECT_NE(error_of("  if b < 1\n    C[(b * 16 + t) * 40000000 % 64] = 0.0\n").find("beyond 32 bits"),
            std::string::npos);
  EXPECT_EQ(error_of("  if b < 1\n    C[(b * 16 + t) * 34000000 % 64] = 0.0\n"), "");
}

}  // namespace
}  // namespace hone::arith
