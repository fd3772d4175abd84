#include "codegen/emit/wgsl/emit_wgsl.h"

#include <gtest/gtest.h>

#include "codegen/ir/parser.h"

namespace hone::emit {
namespace {

std::string code_of(const std::string& text) {
  const auto kernel = ir::parse_kernel(text);
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  const auto source = emit_wgsl(*kernel);
  EXPECT_TRUE(source.ok()) << source.error().message;
  return source->launches[0].code;
}

// Given floats that become whole numbers, when the kernel is emitted, then what WGSL leaves open, a NaN, and what it rounds down, the largest
// number, are chosen by the kernel.
TEST(EmitWgsl, WholeNumbersOfAnyFloat) {
  const std::string code = code_of(
      "arg A: f32[4]\n"
      "out C: i32[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx] = i32(A[tx])\n");
  EXPECT_NE(code.find("2147483647i"), std::string::npos) << code;
  EXPECT_NE(code.find("2.14748365e+09f"), std::string::npos) << code;
  EXPECT_NE(code.find("(t0 == t0)"), std::string::npos) << code;
}

// Given places between elements, as floats that may be negative, when they become indices and indices floats, then each goes by a signed number: as an unsigned one the first
// would be 0, and the second the largest of all.
TEST(EmitWgsl, NegativePlaces) {
  const std::string code = code_of(
      "arg A: f32[4]\n"
      "out C: f32[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx] = A[max(min(index(A[tx]) + tx - 2, 3), 0)] + f32(tx - 3)\n");
  EXPECT_NE(code.find("i32(t0)"), std::string::npos) << code;
  EXPECT_EQ(code.find("u32(t0)"), std::string::npos) << code;
  EXPECT_NE(code.find("f32(i32("), std::string::npos) << code;
}

// Given the bits of a vector and those of one number, when they are joined, then both operands are vectors: WGSL widens neither.
TEST(EmitWgsl, BitsOfVectorsAreVectors) {
  const std::string code = code_of(
      "arg A: i32x4[4]\n"
      "out C: i32x4[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx] = bitand(A[tx], broadcast(1:i32, 4))\n");
  EXPECT_NE(code.find("A[tx] & vec4<i32>(1i)"), std::string::npos) << code;
}

// Given a tensor without elements, when a kernel that only seems to read it is emitted, then it is bound as an array that WGSL has.
TEST(EmitWgsl, NoArrayIsEmpty) {
  const std::string code = code_of(
      "arg A: f32[0]\n"
      "out C: f32[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx] = A[tx if tx < 0 else 2.0]\n");
  EXPECT_EQ(code.find("f32, 0>"), std::string::npos) << code;
}

}  // namespace
}  // namespace hone::emit
