#include "codegen/emit/glsl/emit_glsl.h"

#include <gtest/gtest.h>

#include "codegen/emit/glsl/reserved_words.h"
#include "codegen/ir/parser.h"

namespace hone::emit {
namespace {

Result<KernelSource> emitted(const std::string& text) {
  auto kernel = ir::parse_kernel(text);
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  return emit_glsl(*kernel, target::webgl_default());
}

constexpr const char* kDoubled =
    "arg A: f32x4[1, 2, 3]\n"
    "out C: f32x4[1, 2, 3]\n"
    "launch grid(bx: 3, by: 2) threads(1)\n"
    "  C[0, by, bx] = A[0, by, bx] + A[0, by, bx]\n";

// Given a kernel that doubles each texel, when it becomes a shader, then it reads one texture, writes one output, and its bindings say how large
// both are.
TEST(EmitGlsl, ADrawReadsAndWritesTextures) {
  const auto source = emitted(kDoubled);
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ(source->launches.size(), 1u);
  const LaunchSource& draw = source->launches[0];
  EXPECT_EQ(draw.grid, (ir::Dims{3, 2, 1}));
  ASSERT_EQ(draw.bindings.size(), 2u);
  EXPECT_EQ(draw.bindings[0].texture, (ir::Texture{3, 2, 1}));
  EXPECT_EQ(draw.bindings[0].element, "vec4");
  EXPECT_TRUE(draw.bindings[1].writes);
  EXPECT_NE(draw.code.find("uniform sampler2D b0;"), std::string::npos);
  EXPECT_NE(draw.code.find("texelFetch(b0, ivec2(bx, by), 0)"), std::string::npos);
  EXPECT_EQ(draw.code.find("uniform sampler2D b1;"), std::string::npos);
}

// Given the same launch sampled, when it becomes a shader, then it asks for the middle of the texel, as a sampler counts.
TEST(EmitGlsl, ASampledDrawReadsTheMiddleOfATexel) {
  std::string text = kDoubled;
  text.replace(text.find("threads(1)"), 10, "threads(1) sampled");
  const auto source = emitted(text);
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_NE(source->launches[0].code.find("texture(b0, (vec2(bx, by) + 0.5) * vec2(0.333333333, 0.5))"),
            std::string::npos)
      << source->launches[0].code;
}

// Given an array of layers, when a sampled launch reads it, then the layer is counted, not scaled.
TEST(EmitGlsl, ASampledArrayCountsItsLayers) {
  const auto source = emitted(
      "arg A: f32x4[4, 2, 4]\nout C: f32x4[1, 2, 4]\nlaunch grid(bx: 4, by: 2) threads(1) sampled\n  C[0, by, bx] = "
      "A[3, by, bx]\n");
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_NE(source->launches[0].code.find("texture(b0, vec3((vec2(bx, by) + 0.5) * vec2(0.25, 0.5), 3))"),
            std::string::npos)
      << source->launches[0].code;
}

// Given whole numbers that are read under a condition, when it becomes a shader, then the read is no branch.
TEST(EmitGlsl, AReadUnderAConditionIsNoBranch) {
  const auto source = emitted(
      "arg A: i32x4[1, 2, 4]\nout C: i32x4[1, 2, 4]\nlaunch grid(bx: 4, by: 2) threads(1)\n  C[0, by, bx] = A[0, by, bx if bx < 3]\n");
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_NE(source->launches[0].code.find("choose((bx < 3), texelFetch(b0, ivec2(bx, by), 0), ivec4(0))"), std::string::npos) << source->launches[0].code;
}

// Given two stores of a fragment that read one texel, when they become a shader, then it is fetched once; in a loop it is fetched anew.
TEST(EmitGlsl, ATexelOfABlockIsFetchedOnce) {
  const auto source = emitted(
      "arg A: f32x4[1, 2, 8]\nout C: f32x4[2, 2, 4]\nlaunch grid(bx: 4, by: 2) threads(1)\n"
      "  C[0, by, bx] = A[0, by, bx * 2] + A[0, by, bx * 2]\n  C[1, by, bx] = A[0, by, bx * 2] * A[0, by, bx * 2]\n");
  ASSERT_TRUE(source.ok()) << source.error().message;
  const std::string& code = source->launches[0].code;
  EXPECT_EQ(code.find("texelFetch("), code.rfind("texelFetch(")) << code;
}

// Given a temporary of f16, when its kernel becomes shaders, then it is bound as a texture of halves and read as any other.
TEST(EmitGlsl, ATemporaryMayBeOfHalves) {
  const auto source = emitted(
      "arg A: f32x4[1, 2, 3]\nout C: f32x4[1, 2, 3]\ntemp T: f16x4[1, 2, 3]\n"
      "launch grid(bx: 3, by: 2) threads(1)\n  T[0, by, bx] = f16x4(A[0, by, bx])\n"
      "launch grid(bx: 3, by: 2) threads(1)\n  C[0, by, bx] = f32x4(T[0, by, bx])\n");
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ(source->launches[0].bindings[1].element, "f16vec4");
  EXPECT_EQ(source->launches[1].bindings[1].element, "f16vec4");
  EXPECT_NE(source->launches[1].code.find("uniform sampler2D b1;"), std::string::npos);
}

// Given the largest finite numbers, when they are printed, then no digit lies beyond them: a reader that compares before it rounds would take
// them for infinite.
TEST(EmitGlsl, TheLargestNumberStaysFinite) {
  const auto source = emitted(
      "out C: f32x4[1, 1, 1]\n"
      "launch grid(bx: 1, by: 1) threads(1)\n"
      "  C[0, by, bx] = broadcast(-3.4028234663852886e+38, 4)\n");
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_NE(source->launches[0].code.find("-3.4028234663852886e+38"), std::string::npos) << source->launches[0].code;
}

// Given kernels that store elsewhere than to a fragment's own texel, when they are emitted, then they are refused.
TEST(EmitGlsl, AFragmentWritesItsOwnTexel) {
  for (const char* store : {"C[0, bx, by] = A[0, by, bx]", "C[0, by, bx + 1] = A[0, by, bx]"}) {
    const auto source =
        emitted(std::string("arg A: f32x4[1, 3, 3]\nout C: f32x4[1, 3, 3]\nlaunch grid(bx: 3, by: 3) threads(1)\n  ") +
                store + "\n");
    ASSERT_FALSE(source.ok()) << store;
    EXPECT_EQ(source.error().code, ErrorCode::kIllegalSchedule);
  }
}

// Given a launch that is larger than the texture it writes, when it is emitted, then both sizes are told.
TEST(EmitGlsl, ADrawIsAsLargeAsItsTexture) {
  const auto source = emitted(
      "arg A: f32x4[1, 2, 4]\nout C: f32x4[1, 2, 3]\nlaunch grid(bx: 4, by: 2) threads(1)\n  C[0, by, bx] = A[0, by, "
      "bx]\n");
  ASSERT_FALSE(source.ok());
  EXPECT_NE(source.error().message.find("3x2 texels, the launch 4x2 fragments"), std::string::npos)
      << source.error().message;
}

// Given names that GLSL ES or hone's shaders use, when asked, then they are reserved; others are not.
TEST(EmitGlsl, ReservedWords) {
  for (const char* name : {"texture", "sample", "b0", "b12", "gl_x", "a__b", "pick", "vec4"})
    EXPECT_TRUE(is_reserved_in_glsl(name)) << name;
  for (const char* name : {"b", "bx", "b0x", "weights"}) EXPECT_FALSE(is_reserved_in_glsl(name)) << name;
}

}  // namespace
}  // namespace hone::emit
