#include "codegen/ir/interpreter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "base/cat.h"
#include "base/rng.h"
#include "codegen/ir/parser.h"
#include "codegen/ir/printer.h"

namespace hone::ir {
namespace {

Kernel parsed(const std::string& text) {
  auto kernel = parse_kernel(text);
  CHECK(kernel.ok(), kernel.ok() ? "" : kernel.error().message + "\n" + text);
  return std::move(*kernel);
}

// Runs the kernel on `inputs`; the outputs follow them.
Result<std::vector<TensorValue>> run(const Kernel& kernel, std::vector<TensorValue> inputs, InterpretOptions options = {}) {
  for (size_t i = inputs.size(); i < kernel.args.size(); ++i) {
    Shape shape = kernel.args[i]->shape;
    if (kernel.args[i]->lanes > 1) shape[0] *= kernel.args[i]->lanes;
    inputs.push_back(make_tensor(kernel.args[i]->dtype, shape));
  }
  HONE_TRY(interpret(kernel, inputs, options));
  return inputs;
}

std::string error_of(const std::string& text, std::vector<TensorValue> inputs) {
  auto result = run(parsed(text), std::move(inputs));
  return result.ok() ? "" : result.error().message;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  CHECK(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

// C[16, 16] = A[16, 16] * B[16, 16], 8x8 tiles of both operands in workgroup memory; loops still bound to places.
const char* const kTiled = R"(arg A: f32[16, 16]
arg B: f32[16, 16]
out C: f32[16, 16]
launch grid(2, 2) threads(8, 8)
  for by in 0..2 block.y
    for bx in 0..2 block.x
      alloc As: f32[8, 8] workgroup
      alloc Bs: f32[8, 8] workgroup
      for ty in 0..8 thread.y
        for tx in 0..8 thread.x
          alloc acc: f32[1]
          acc[0] = 0.0
          for k0 in 0..2
            for t in 0..64 thread
              As[t / 8, t % 8] = A[by * 8 + t / 8, k0 * 8 + t % 8]
              Bs[t / 8, t % 8] = B[k0 * 8 + t / 8, bx * 8 + t % 8]
            barrier
            for k1 in 0..8
              acc[0] = mad(As[ty, k1], Bs[k1, tx], acc[0])
            barrier
          C[by * 8 + ty, bx * 8 + tx] = acc[0]
)";

std::vector<TensorValue> two_matrices() { return {uniform_tensor(DType::kF32, {16, 16}, 1), uniform_tensor(DType::kF32, {16, 16}, 2)}; }

void expect_product(const TensorValue& a, const TensorValue& b, const TensorValue& c) {
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 16; ++k) sum += a.real[i * 16 + k] * b.real[k * 16 + j];
      ASSERT_NEAR(c.real[i * 16 + j], sum, 1e-5) << i << ' ' << j;
    }
}

// Given a tiled kernel with workgroup memory and nested thread loops, when interpreted, then it computes the product and no race is reported.
TEST(Interpreter, TiledKernelWithWorkgroupMemory) {
  auto args = run(parsed(kTiled), two_matrices());
  ASSERT_TRUE(args.ok()) << args.error().message;
  expect_product((*args)[0], (*args)[1], (*args)[2]);
}

// Given the same kernel after splitting launches, flat, with vector storage, when interpreted, then the result is the same.
TEST(Interpreter, FlatKernelWithGridAndThreadVariables) {
  const std::string text = R"(arg A: f32x4[64]
arg B: f32x4[64]
out C: f32[256]
launch grid(bx: 2, by: 2) threads(tx: 2, ty: 8)
  alloc acc: f32x4[1]
  acc[0] = broadcast(0.0, 4)
  for k in 0..4
    let a = A[(by * 8 + ty) * 4 + k]
    let b = k * 16 + bx * 2 + tx
    acc[0] = mad(broadcast(a.x, 4), B[b], acc[0])
    acc[0] = mad(broadcast(a.y, 4), B[b + 4], acc[0])
    acc[0] = mad(broadcast(a.z, 4), B[b + 8], acc[0])
    acc[0] = mad(broadcast(a.w, 4), B[b + 12], acc[0])
  C[ramp((by * 8 + ty) * 16 + bx * 8 + tx * 4, 1, 4)] = acc[0]
)";
  auto args = run(parsed(text), {uniform_tensor(DType::kF32, {256}, 1), uniform_tensor(DType::kF32, {256}, 2)});
  ASSERT_TRUE(args.ok()) << args.error().message;
  expect_product((*args)[0], (*args)[1], (*args)[2]);
}

// Given the tiled kernel without its first or its second barrier, when interpreted, then the race is reported with buffer and statement.
TEST(Interpreter, MissingBarrierIsReported) {
  const std::string text = kTiled;
  std::string first = error_of(replaced(text, "            barrier\n", ""), two_matrices());
  EXPECT_NE(first.find("data race: reads element"), std::string::npos) << first;
  EXPECT_NE(first.find("of As"), std::string::npos) << first;
  EXPECT_NE(first.find("at: acc[0] = mad(As["), std::string::npos) << first;
  std::string second = error_of(replaced(text, "            barrier\n          C[", "          C["), two_matrices());
  EXPECT_NE(second.find("data race: writes element"), std::string::npos) << second;
  EXPECT_NE(second.find("at: As[t / 8, t % 8] ="), std::string::npos) << second;
}

// Given threads and workgroups that share elements of global buffers, when interpreted, then only conflicting ones are reported.
TEST(Interpreter, RacesOnGlobalBuffers) {
  auto kernel = [](const std::string& body) { return cat("out C: f32[8]\nlaunch grid(b: 4) threads(t: 2)\n", body); };
  EXPECT_EQ(error_of(kernel("  C[b * 2 + t] = f32(t)\n"), {}), "");
  EXPECT_EQ(error_of(kernel("  C[t] = f32(t)\n"), {}), "") << "equal values are harmless: a shifted tail recomputes";
  EXPECT_NE(error_of(kernel("  C[t] = f32(b)\n"), {}).find("another workgroup writes with another value"), std::string::npos);
  EXPECT_NE(error_of(kernel("  C[b * 2] = f32(t)\n"), {}).find("thread 0 writes with another value"), std::string::npos);
  EXPECT_NE(error_of(kernel("  C[b * 2 + t] = 0.0\n  C[b * 2 + t] = C[b * 2]\n"), {}).find("reads element 0 of C, which thread 0 writes"), std::string::npos);
  EXPECT_EQ(error_of(kernel("  C[b * 2 + t] = 0.0\n  barrier\n  let c = C[b * 2 + (t + 1) % 2]\n  barrier\n  C[b * 2 + t] = c\n"), {}), "");
  EXPECT_NE(error_of(kernel("  C[b * 2 + t] = 0.0\n  barrier\n  C[b * 2 + t] = C[b * 2 + (t + 1) % 2] + 1.0\n"), {}).find("another thread reads"), std::string::npos);
}

// Given reads of registers, workgroup memory, temporaries and outputs that nothing wrote, when interpreted, then each is reported; control: written first.
TEST(Interpreter, UninitialisedReadsAreReported) {
  for (std::string declaration : {"  alloc X: f32[2]\n", "  alloc X: f32[2] workgroup\n"}) {
    const std::string text = cat("out C: f32[1]\nlaunch grid(1) threads(1)\n", declaration, "  X[0] = 1.0\n  C[0] = X[");
    EXPECT_EQ(error_of(text + "0]\n", {}), "");
    EXPECT_NE(error_of(text + "1]\n", {}).find("reads element 1 of X, which was never written"), std::string::npos);
    EXPECT_EQ(error_of(text + "1 any]\n", {}), "") << "a discarded value may be anything";
  }
  const std::string temp = "out C: f32[1]\ntemp T: f32[1]\nlaunch grid(1) threads(1)\n  T[0] = 2.0\nlaunch grid(1) threads(1)\n  C[0] = T[0]\n";
  EXPECT_EQ(error_of(temp, {}), "");
  EXPECT_NE(error_of(replaced(temp, "T[0] = 2.0", "barrier"), {}).find("of T, which was never written"), std::string::npos);
  const std::string loop = "out C: f32[1]\nlaunch grid(1) threads(1)\n  for i in 0..2\n    alloc X: f32[1]\n    if i < 1\n      X[0] = 1.0\n    C[0] = X[0]\n";
  EXPECT_NE(error_of(loop, {}).find("never written"), std::string::npos) << "an alloc's contents are undefined each time";
}

// Given accesses out of bounds, when interpreted, then they are reported unless masked or flagged; masked loads give `other` or zero.
TEST(Interpreter, BoundsAndMasks) {
  auto kernel = [](const std::string& body) { return cat("arg A: f32[4]\nout C: f32[4]\nlaunch grid(1) threads(t: 4)\n", body); };
  const TensorValue a = make_tensor({4}, {1, 2, 3, 4});
  EXPECT_NE(error_of(kernel("  C[t] = A[t + 1]\n"), {a}).find("thread 3 loads A[4] out of bounds"), std::string::npos);
  EXPECT_NE(error_of(kernel("  C[t - 1] = 0.0\n"), {a}).find("thread 0 stores C[-1] out of bounds"), std::string::npos);
  EXPECT_NE(error_of(kernel("  A[t] = 0.0\n"), {a}).find("stores to the input A"), std::string::npos);
  auto args = run(parsed(kernel("  C[t if t < 3] = A[t + 1 if t < 2 else -5.0] + A[t + 1 if t < 1]\n")), {a});
  ASSERT_TRUE(args.ok()) << args.error().message;
  EXPECT_EQ((*args)[1].real[0], 4);
  EXPECT_EQ((*args)[1].real[1], 3);
  EXPECT_EQ((*args)[1].real[2], -5);
  EXPECT_TRUE(std::isnan((*args)[1].real[3])) << "an element never written is NaN";
  args = run(parsed(kernel("  C[t] = A[t + 1 any]\n")), {a});
  ASSERT_TRUE(args.ok()) << args.error().message;
  EXPECT_TRUE(std::isnan((*args)[1].real[3]));
  args = run(parsed(kernel("  C[t] = A[t + 1 any]\n")), {a}, {.nearest_any = true});
  ASSERT_TRUE(args.ok()) << args.error().message;
  EXPECT_EQ((*args)[1].real[3], 4);
}

// Given a barrier that only some threads reach, when interpreted, then it is reported; control: all reach it.
TEST(Interpreter, DivergentBarrierIsReported) {
  const std::string text = "out C: f32[4]\nlaunch grid(1) threads(t: 4)\n  C[t] = 0.0\n  if t < 2\n    barrier\n";
  EXPECT_NE(error_of(text, {}).find("thread 2 does not reach a barrier"), std::string::npos);
  EXPECT_EQ(error_of(replaced(text, "t < 2", "t < 4"), {}), "");
}

// Given layouts with blocks and padding, when interpreted with logical indices, then values and outputs are logical, and pads never leak.
TEST(Interpreter, LogicalAccessThroughLayouts) {
  const std::string text = R"(arg A: f32[2, 5] layout(1/4:2, 0:2, 1:4)
out C: f32[5, 2] layout(1:2, 0:8) pad zero
launch grid(1) threads(1)
  for i in 0..2
    for j in 0..5
      C[j, i] = A[i, j]
)";
  auto args = run(parsed(text), {uniform_tensor(DType::kF32, {2, 5}, 9)});
  ASSERT_TRUE(args.ok()) << args.error().message;
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 5; ++j) EXPECT_EQ((*args)[1].real[j * 2 + i], (*args)[0].real[i * 5 + j]);
  const Layout layout = parsed(text).args[0]->layout;
  const TensorValue physical = to_physical((*args)[0], layout);
  EXPECT_EQ(physical.shape, (Shape{2, 2, 4}));
  EXPECT_TRUE(std::isnan(physical.real[15]));
  EXPECT_EQ(from_physical(physical, {2, 5}, layout).real, (*args)[0].real);
}

// Given integer, narrow-float and conversion edge cases, when interpreted, then the meanings of docs/ir.md hold.
TEST(Interpreter, ScalarMeanings) {
  struct Case {
    const char *type, *expression;
    double expected;
  };
  const Case cases[] = {
      {"i32", "i32(a - 10) / 4:i32", -3},          // floor: -9 / 4
      {"i32", "i32(a - 8) % 4:i32", 1},            // -7 mod 4
      {"i32", "i32(a - 8) % -4:i32", -3},          // the divisor's sign
      {"i32", "i32(a) / i32(a - 1)", 0},           // by zero
      {"i8", "i8(i32(a) + 299:i32)", 44},          // narrowing wraps
      {"u8", "u8(3.7 + f32(a))", 4},               // truncates
      {"u8", "u8(300.0 * f32(a))", 255},           // saturates
      {"i32", "i32(f32(a) * nan)", 0},
      {"u32", "shr(u32(i32(a) - 2:i32), 28:u32)", 15},
      {"i32", "shr(i32(a - 17), 2:i32)", -4},      // arithmetic
      {"i32", "shl(i32(a), 33:i32)", 2},           // count modulo width
      {"f16", "f16(2049.0 * f32(a))", 2048},       // ties to even
      {"f16", "f16(70000.0 * f32(a))", INFINITY},
      {"bf16", "bf16(257.0 * f32(a))", 256},
      {"f32", "f32(a) * 16777216.0 + 1.0", 16777216},
      {"f32", "min(f32(a), -2.0)", -2},
      {"u32", "bitcast(u32, f32(a))", 1065353216},
      {"f32", "bitcast(f32, u32(a) + 1065353215:u32)", 1},
      {"bool", "bool(f32(a) * 0.5)", 1},
      {"i64", "i64(i32(a)) * 3000000000:i64", 3e9},
      {"f32", "round(f32(a) * 2.5)", 2},
      {"f32", "trunc(f32(a) * -2.5)", -2},
  };
  for (const Case& c : cases) {
    std::string text = cat("out C: ", c.type, "[1]\nlaunch grid(1) threads(1)\n  for z in 0..1\n    let a = z + 1\n    C[0] = ", c.expression, "\n");
    auto args = run(parsed(text), {});
    ASSERT_TRUE(args.ok()) << text << args.error().message;
    const TensorValue& out = (*args)[0];
    EXPECT_EQ(is_float(out.dtype) ? out.real[0] : static_cast<double>(out.whole[0]), c.expected) << c.expression;
  }
  EXPECT_NE(error_of("out C: i32[1]\nlaunch grid(1) threads(1)\n  for z in 0..2\n    C[0] = i32((z + 65536) * (z + 65536))\n", {}).find("index beyond 32 bits"), std::string::npos);
}

// Given threads and workgroups that all add to one element, when interpreted, then the race is reported; one thread alone may.
TEST(Interpreter, SumsInOneElementAreARace) {
  const std::string head = "out C: i32[1]\nlaunch grid(1) threads(1)\n  C[0] = 5:i32\n", add = "  C[0] = C[0] + 1:i32\n";
  EXPECT_EQ(error_of(head + "launch grid(1) threads(1)\n" + add, {}), "");
  for (const char* launch : {"launch grid(1) threads(t: 8)\n", "launch grid(b: 4) threads(1)\n"})
    EXPECT_NE(error_of(head + launch + add, {}).find("data race"), std::string::npos) << launch;
}

// Given threads that take one another's values, when interpreted, then each has its partner's, as it is at that place of the code; a partner beyond
// the workgroup is reported.
TEST(Interpreter, ThreadsExchangeValues) {
  const std::string text = "out C: f32[8]\nlaunch grid(1) threads(t: 8)\n  alloc a: f32[1]\n  a[0] = f32(t)\n  a[0] = a[0] + lane_xor(a[0], 1)\n"
                           "  a[0] = a[0] + lane_xor(a[0], 2)\n  C[t] = a[0] * 10.0 + lane_xor(a[0], 4)\n";
  auto args = run(parsed(text), {});
  ASSERT_TRUE(args.ok()) << args.error().message;
  EXPECT_EQ((*args)[0].real, (std::vector<double>{82, 82, 82, 82, 226, 226, 226, 226}));
  const std::string beyond = replaced(replaced(text, "t: 8", "t: 7"), "f32[8]", "f32[7]");
  EXPECT_NE(error_of(beyond, {}).find("thread 6 takes a value of thread 7, which does not come here"), std::string::npos) << error_of(beyond, {});
}

// Given two subgroups of four threads that read a lane each, when interpreted, then each has what that lane of its own subgroup has; a lane beyond
// the subgroup is reported.
TEST(Interpreter, ThreadsReadLanesOfTheirSubgroup) {
  const std::string text = "out C: f32[8]\nlaunch grid(1) threads(t: 8)\n  C[t] = lane_read(f32(t), t % 2 + 1, 4)\n";
  auto args = run(parsed(text), {});
  ASSERT_TRUE(args.ok()) << args.error().message;
  EXPECT_EQ((*args)[0].real, (std::vector<double>{1, 2, 1, 2, 5, 6, 5, 6}));
  const std::string beyond = replaced(text, "t % 2 + 1", "t % 2 + 3");
  EXPECT_NE(error_of(beyond, {}).find("thread 1 takes a value of thread -1"), std::string::npos) << error_of(beyond, {});
}

// Given arguments that do not fit and a limit on steps, when interpreted, then the error says so.
TEST(Interpreter, RejectsArgumentsAndRunaways) {
  const Kernel kernel = parsed("arg A: f32[4, 4]\nout C: f32[1]\nlaunch grid(1) threads(1)\n  for i in 0..1000000\n    C[0] = A[0, 0]\n");
  std::vector<TensorValue> none;
  EXPECT_EQ(interpret(kernel, none).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run(kernel, {uniform_tensor(DType::kF32, {16}, 1)}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run(kernel, {uniform_tensor(DType::kF32, {4, 4}, 1)}, {.steps_max = 1000}).error().code, ErrorCode::kLimitExceeded);
}

// Given a serial kernel of a million multiply-accumulates, when interpreted, then it takes less than two seconds of processor time.
TEST(Interpreter, AMillionOperationsStayQuick) {
#ifdef __OPTIMIZE__
  constexpr int64_t n = 100;
#else
  constexpr int64_t n = 30;  // debug and sanitizer builds: the same path, a thirtieth of the work
#endif
  const Kernel kernel = parsed(cat("arg A: f32[", n, ", ", n, "]\narg B: f32[", n, ", ", n, "]\nout C: f32[", n, ", ", n, "]\nlaunch grid(1) threads(1)\n  for i in 0..", n,
                                   "\n    for j in 0..", n, "\n      C[i, j] = 0.0\n      for k in 0..", n, "\n        C[i, j] = C[i, j] + A[i, k] * B[k, j]\n"));
  const std::clock_t begin = std::clock();
  ASSERT_TRUE(run(kernel, {uniform_tensor(DType::kF32, {n, n}, 1), uniform_tensor(DType::kF32, {n, n}, 2)}).ok());
  const double took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  RecordProperty("seconds", cat(took_s));
  EXPECT_LT(took_s, 2.0);
}

}  // namespace
}  // namespace hone::ir
