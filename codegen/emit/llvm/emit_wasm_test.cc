#include "codegen/emit/llvm/emit_wasm.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/cat.h"
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
  alloc R: f32[3]
  for i in 0..3
    R[i] = T[i]
  for i in 0..3
    C[i] = broadcast(R[2 - i], 4)
)";

constexpr const char* kClipped = R"(
arg A: f32x4[16]
out C: f32x4[16]
launch grid(1) threads(1)
  for i in 0..16
    C[i] = max(min(A[i], broadcast(6.5, 4)), broadcast(0.0, 4))
)";

// Given a loop with constant vectors, when emitted, then all but the zero are made once, before it.
TEST(EmitWasm, ConstantsStandBeforeLoops) {
  const auto text = wasm_assembly(parsed(kClipped), target::wasm_default());
  ASSERT_TRUE(text.ok()) << text.error().message;
  const size_t constant = text->find("0x1.ap2"), splat = text->find("f32x4.splat"), loop = text->find("\tloop");
  ASSERT_NE(constant, std::string::npos) << *text;
  ASSERT_NE(splat, std::string::npos) << *text;
  EXPECT_LT(constant, splat);
  EXPECT_LT(splat, loop);
  EXPECT_EQ(text->find("0x1.ap2", constant + 1), std::string::npos) << *text;
}

// Given two launches over parts of a kernel's buffers, when emitted, then each binds what it touches, in order, and says what it needs.
TEST(EmitWasm, Bindings) {
  const auto source = emit_wasm(parsed(kTwoLaunches), target::wasm_default());
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ(source->launches.size(), 2u);
  const LaunchSource &first = source->launches[0], &second = source->launches[1];
  EXPECT_EQ(first.grid, (ir::Dims{5, 1, 1}));
  EXPECT_EQ(second.grid, (ir::Dims{1, 1, 1}));
  ASSERT_EQ(first.bindings.size(), 2u);
  EXPECT_EQ(first.bindings[0].element, "f32x4");
  EXPECT_EQ(first.bindings[0].bytes, 80);
  EXPECT_FALSE(first.bindings[0].writes);
  EXPECT_EQ(first.bindings[1].kind, Binding::Kind::kTemp);
  EXPECT_TRUE(first.bindings[1].writes);
  ASSERT_EQ(second.bindings.size(), 2u);
  EXPECT_EQ(second.bindings[0].position, 2);
  EXPECT_EQ(first.scratch_bytes, 0);
  EXPECT_EQ(second.scratch_bytes, 16);
  ASSERT_EQ(source->temps.size(), 1u);
  EXPECT_EQ(source->temps[0].bytes, 32);
  EXPECT_TRUE(source->needs.empty());
}

// Given the same kernel for targets of other abilities, when emitted, then the modules differ and the source names what they need.
TEST(EmitWasm, Needs) {
  target::Target target = target::wasm_default();
  const auto plain = emit_wasm(parsed(kTwoLaunches), target);
  target.has_relaxed_simd = target.has_threads = true;
  const auto all = emit_wasm(parsed(kTwoLaunches), target);
  ASSERT_TRUE(plain.ok() && all.ok());
  EXPECT_EQ(all->needs, (std::vector<std::string>{"relaxed-simd", "threads"}));
  EXPECT_NE(plain->hash, all->hash);
}

// Given what this target cannot be, when emitted, then it is refused with a sentence.
TEST(EmitWasm, Refusals) {
  const std::pair<const char*, const char*> cases[] = {
      {"out C: f32[8]\nlaunch grid(1) threads(tx: 8)\n  C[tx] = 0.0\n", "threads"},
      {"out C: f32[8]\nlaunch grid(bx: 2, by: 4) threads(1)\n  C[bx * 4 + by] = 0.0\n", "one dimension"},
      {"out C: f16[8]\nlaunch grid(1) threads(1)\n  C[0] = 0.0:f16\n", "f16"}};
  for (const auto& [text, found] : cases) {
    const auto source = emit_wasm(parsed(text), target::wasm_default());
    ASSERT_FALSE(source.ok());
    EXPECT_EQ(source.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(source.error().message.find(found), std::string::npos) << source.error().message;
  }
}

// Given functions of one another, 32 high, each of which uses its argument more than once, when compiled, then the module has each once.
TEST(EmitWasm, TowersOfFunctions) {
  const auto code_of = [](int height) {
    std::string value = "A[bx]";
    for (int i = 0; i < height; ++i) value = cat("tanh(", value, ")");
    return emit_wasm(*ir::parse_kernel(cat("arg A: f32[64]\nout C: f32[64]\nlaunch grid(bx: 64) threads(1)\n  C[bx] = ", value, "\n")), target::wasm_default())->launches[0].code.size();
  };
  EXPECT_LT(code_of(32), 40 * code_of(1));
}

// Given four threads that compile at once, when each has its own kernel, then all get the same module.
TEST(EmitWasm, ThreadsShareNothing) {
  std::string codes[4];
  std::vector<std::thread> threads;
  for (std::string& code : codes)
    threads.emplace_back([&code] {
      for (int i = 0; i < 5; ++i)
        if (auto source = emit_wasm(*ir::parse_kernel(kTwoLaunches), target::wasm_default()); source.ok())
          code = source->launches[0].code;
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& code : codes) EXPECT_EQ(code, codes[0]);
  EXPECT_FALSE(codes[0].empty());
}

}  // namespace
}  // namespace hone::emit
