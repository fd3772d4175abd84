#include "codegen/emit/llvm/emit_native.h"

#include <gtest/gtest.h>

#include "codegen/emit/llvm/native_jit.h"
#include "codegen/emit/llvm/parsed_kernel.h"

namespace hone::emit {
namespace {

constexpr const char* kTwoLaunches = R"(
arg A: f32x4[5]
arg B: f32[7]
out C: f32x4[5]
temp T: f32[8]
launch grid(bx: 5) threads(1)
  T[bx] = A[bx].x
launch grid(1) threads(1)
  for i in 0..3
    C[i] = broadcast(exp(T[2 - i]), 4)
)";

// Given a kernel of two launches, when emitted, then its text is the one launch's code, bound are the arguments that either touches, and
// there is nothing that the sender must allocate.
TEST(EmitNative, OneLaunchIsTheWholeKernel) {
  const auto source = emit_native(parsed(kTwoLaunches), target::native_target(8, 16));
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ(source->launches.size(), 1u);
  EXPECT_TRUE(source->temps.empty());
  const LaunchSource& whole = source->launches[0];
  EXPECT_EQ(whole.scratch_bytes, 0);
  ASSERT_EQ(whole.bindings.size(), 2u);
  EXPECT_EQ(whole.bindings[0].position, 0);
  EXPECT_EQ(whole.bindings[0].bytes, 80);
  EXPECT_FALSE(whole.bindings[0].writes);
  EXPECT_EQ(whole.bindings[1].position, 2);
  EXPECT_TRUE(whole.bindings[1].writes);
}

// Given the emitted text, when it is read back and emitted again, then the source has the same hash, and the compiled kernel takes the same
// arguments.
TEST(EmitNative, TextReadsBack) {
  const target::Target target = target::native_target(8, 16);
  const auto first = emit_native(parsed(kTwoLaunches), target);
  ASSERT_TRUE(first.ok()) << first.error().message;
  const ir::Kernel again = parsed(first->launches[0].code);
  const auto second = emit_native(again, target);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(first->hash, second->hash);
  const auto native = NativeKernel::create(again);
  ASSERT_TRUE(native.ok()) << native.error().message;
  const std::vector<Binding>& takes = (*native)->arguments();
  ASSERT_EQ(takes.size(), first->launches[0].bindings.size());
  for (size_t i = 0; i < takes.size(); ++i) {
    EXPECT_EQ(takes[i].position, first->launches[0].bindings[i].position);
    EXPECT_EQ(takes[i].writes, first->launches[0].bindings[i].writes);
    EXPECT_EQ(takes[i].bytes, first->launches[0].bindings[i].bytes);
  }
}

// Given what a CPU's launch cannot be, when emitted, then it is refused; the same with one thread is not.
TEST(EmitNative, Refusals) {
  const target::Target target = target::native_target(8, 16);
  for (const char* text : {"out C: f32[8]\nlaunch grid(1) threads(tx: 8)\n  C[tx] = 0.0\n",
                           "out C: f16[8]\nlaunch grid(1) threads(1)\n  C[0] = 0.0:f16\n"}) {
    const auto source = emit_native(parsed(text), target);
    ASSERT_FALSE(source.ok());
    EXPECT_EQ(source.error().code, ErrorCode::kUnsupported);
  }
  EXPECT_TRUE(emit_native(parsed("out C: f32[8]\nlaunch grid(bx: 8) threads(1)\n  C[bx] = 0.0\n"), target).ok());
}

}  // namespace
}  // namespace hone::emit
