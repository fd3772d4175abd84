#include "codegen/emit/opencl/emit_opencl.h"

#include <gtest/gtest.h>

#include "codegen/emit/opencl/reserved_words.h"
#include "codegen/ir/parser.h"

namespace hone::emit {
namespace {

Result<KernelSource> source_of(const std::string& text) {
  const auto kernel = ir::parse_kernel(text);
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  return emit_opencl(*kernel);
}

std::string opencl_of(const std::string& text) {
  const auto source = source_of(text);
  EXPECT_TRUE(source.ok()) << source.error().message;
  return source->launches[0].code;
}

void expect_within(const std::string& code, const std::string& part) {
  EXPECT_NE(code.find(part), std::string::npos) << "no " << part << " in\n" << code;
}

// Given loads that are masked, or may lie outside, when the kernel is emitted, then each reads within its buffer, since nobody checks pointers; one
// that is known to lie inside is left alone.
TEST(EmitOpenCl, ReadsStayInside) {
  const std::string code = opencl_of(
      "arg A: f32[4]\n"
      "out C: f32[8]\n"
      "launch grid(1) threads(tx: 8)\n"
      "  C[tx] = A[tx - 2 if 2 <= tx else 1.0] + A[tx / 2 any]\n");
  expect_within(code, "A[max(min((tx - 2), 3), 0)]");
  expect_within(code, "A[(tx >> 1)]");
}

// Given numbers that overflow, when they are added, then they wrap by way of unsigned ones; indices never overflow.
TEST(EmitOpenCl, SignedNumbersWrap) {
  const std::string code = opencl_of(
      "arg A: i32x4[8]\n"
      "out C: i32x4[8]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx + 4] = A[tx] + A[tx + 4]\n");
  expect_within(code, "C[(tx + 4)] = as_int4(as_uint4(A[tx]) + as_uint4(A[(tx + 4)]))");
}

// Given a multiply-add beside a product and a sum, when the kernel is emitted, then the compiler may contract the first alone.
TEST(EmitOpenCl, OnlyMultiplyAddsAreContracted) {
  const std::string code = opencl_of(
      "arg A: f32[4]\n"
      "out C: f32[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx] = mad(A[tx], A[tx], 1.0) + A[tx] * 2.0\n");
  EXPECT_EQ(code.find("#pragma OPENCL FP_CONTRACT OFF"), 0u) << code;
  expect_within(code, "float mul_add_float(float a, float b, float c) {\n#pragma OPENCL FP_CONTRACT ON\n");
  expect_within(code, "(mul_add_float(t0, t0, 1.0f) + (t0 * 2.0f))");
}

// Given a truth of four lanes, when one of them, all of them, or one for all are used, then a vector's true is −1 and a number's is 1.
TEST(EmitOpenCl, TruthOfVectorsAndNumbers) {
  const std::string code = opencl_of(
      "arg A: f32x4[4]\n"
      "out C: f32x4[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  let less = A[tx] < broadcast(1.0, 4)\n"
      "  C[tx] = select(less and broadcast(tx < 2, 4), f32x4(less), broadcast(f32(less.y), 4))\n");
  expect_within(code, "const int4 less = (A[tx] < 1.0f)");
  expect_within(code, "(less & (-(int4)((tx < 2))))");
  expect_within(code, "convert_float4((less & 1))");
  expect_within(code, "((float)(less.s1 & 1))");
}

// Given a vector's truth and a sum whose operands are one number each, when they are emitted, then they are vectors: a vector's true is −1.
TEST(EmitOpenCl, OneNumberForAllLanesIsWidened) {
  const std::string code = opencl_of(
      "arg A: f32[4]\n"
      "out C: f32x4[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  let less = broadcast(A[tx], 4) < broadcast(1.0, 4)\n"
      "  C[tx] = select(less, broadcast(A[tx], 4) + broadcast(2.0, 4), broadcast(0.5, 4))\n");
  expect_within(code, "const int4 less = (-(int4)((A[tx] < 1.0f)))");
  expect_within(code, "((float4)((A[tx] + 2.0f)))");
}

// Given a sine and a cosine, when they are emitted, then near zero they are their series.
TEST(EmitOpenCl, SineAndCosineNearZeroAreTheirSeries) {
  const std::string code = opencl_of(
      "arg A: f32x4[4]\n"
      "out C: f32x4[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx] = sin(A[tx]) + cos(A[tx])\n");
  expect_within(code, "fabs(t0) < 0.0078125f");
  expect_within(code, "select(sin(t0), ");
  expect_within(code, "select(cos(t0), ");
}

// Given the larger of two floats, when the kernel is emitted, then a NaN that comes first stays, as the IR's interpreter has it.
TEST(EmitOpenCl, ANaNThatComesFirstStays) {
  const std::string code = opencl_of(
      "arg A: f32[4]\n"
      "out C: f32[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx] = max(A[tx], 0.5)\n");
  expect_within(code, "((t0 < 0.5f) ? 0.5f : t0)");
}

// Given a name that the language reserves by its beginning, when it is declared, then it gets another.
TEST(EmitOpenCl, ReservedBeginningsAreReplaced) {
  const std::string code = opencl_of(
      "arg get_A: f32[4]\n"
      "out C: f32[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx] = get_A[tx]\n");
  expect_within(code, "C[tx] = v[tx]");
}

// Given a kernel with halves, when it is emitted, then it is refused in words.
TEST(EmitOpenCl, OtherElementsAreRefused) {
  const auto refused = source_of(
      "arg A: f16[4]\n"
      "out C: f32[4]\n"
      "launch grid(1) threads(tx: 4)\n"
      "  C[tx] = f32(A[tx])\n");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message, "buffer A has type f16; OpenCL kernels store f32, i32 and u32");
}

// Given names, when asked, then those that the language, its headers or hone's own functions have are reserved.
TEST(EmitOpenCl, NamesOfTheLanguageAreReserved) {
  for (const char* name :
       {"kernel", "float4", "uint16", "global", "rint", "CLK_LOCAL_MEM_FENCE", "mul_add_float4", "a__b"})
    EXPECT_TRUE(is_reserved_in_opencl(name)) << name;
  for (const char* name : {"A", "tx", "floats", "float4x", "kernels"})
    EXPECT_FALSE(is_reserved_in_opencl(name)) << name;
}

}  // namespace
}  // namespace hone::emit
