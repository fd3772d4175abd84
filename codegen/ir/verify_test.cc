#include "codegen/ir/verify.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/ir/arena.h"
#include "codegen/ir/parser.h"

namespace hone::ir {
namespace {

std::string error_of(const std::string& text, VerifyStage stage) {
  auto kernel = parse_kernel(text);
  CHECK(kernel.ok(), kernel.ok() ? "" : kernel.error().message + "\n" + text);
  Status status = verify(*kernel, stage);
  return status.ok() ? "" : status.error().message;
}

struct Case {
  const char* name;
  std::string text;
  VerifyStage stage;
  const char* expected;  // part of the message; "" for a legal kernel
};

const std::string kHead = "arg A: f32[8]\nout C: f32[8]\nlaunch grid(b: 1) threads(t: 8)\n";

// Given kernels that keep or break one invariant, when verified, then exactly the broken ones are refused, with the statement.
TEST(Verify, KernelsByStage) {
  const Case cases[] = {
      {"control", kHead + "  C[t] = A[t]\n", VerifyStage::kLaunched, ""},
      {"input written", "arg A: f32[8]\nlaunch grid(1) threads(t: 8)\n  A[t] = 1.0\n", VerifyStage::kLoops, "the input A is written, at: A[t] = 1.0"},
      {"store lanes", kHead + "  C[t] = broadcast(1.0, 4)\n", VerifyStage::kLoops, "a value of type f32x4 is stored where f32 lies"},
      {"vector store", kHead + "  C[ramp(0, 1, 4)] = broadcast(1.0, 4)\n", VerifyStage::kLaunched, ""},
      {"barrier under thread condition", kHead + "  if t < 4\n    barrier\n", VerifyStage::kLoops, "barrier"},
      {"barrier under let of thread", kHead + "  let u = t + b\n  if u < 4\n    barrier\n", VerifyStage::kLoops, "barrier"},
      {"barrier under loaded condition", kHead + "  if C[0] < 4.0\n    barrier\n", VerifyStage::kLoops, "barrier"},
      {"barrier under block condition", kHead + "  if b < 4\n    barrier\n", VerifyStage::kLoops, ""},
      {"barrier under input", kHead + "  if A[b] < 4.0\n    barrier\n", VerifyStage::kLoops, ""},
      {"barrier in serial loop", kHead + "  for k in 0..4\n    barrier\n", VerifyStage::kLoops, ""},
      {"thread loop", kHead + "  for u in 0..4 thread\n    if u < 2\n      barrier\n", VerifyStage::kStraight, "barrier"},
      {"exchange", kHead + "  C[t] = lane_xor(A[t], 4)\n", VerifyStage::kLaunched, ""},
      {"exchange of three bits", kHead + "  C[t] = lane_xor(A[t], 7)\n", VerifyStage::kLoops, "differ in one bit"},
      {"exchange under thread condition", kHead + "  if t < 4\n    C[t] = lane_xor(A[t], 1)\n", VerifyStage::kLoops, "threads exchange values under control flow"},
      {"read of a lane", kHead + "  C[t] = lane_read(A[t], 3, 4)\n", VerifyStage::kLaunched, ""},
      {"read of a lane of three", kHead + "  C[t] = lane_read(A[t], 0, 3)\n", VerifyStage::kLoops, "not a power of 2"},
      {"read under thread condition", kHead + "  if t < 4\n    C[t] = lane_read(A[t], 0, 4)\n", VerifyStage::kLoops, "threads exchange values under control flow"},
      {"exchange under block condition", kHead + "  if b < 4\n    C[t] = lane_xor(A[t], 1)\n", VerifyStage::kLoops, ""},
      {"loop range", kHead + "  for k<3 in 0..4\n    barrier\n", VerifyStage::kLoops, "the range of k ends at 3, the loop at 4"},
      {"bound loop", kHead + "  for u in 0..4 thread.x\n    C[u] = 0.0\n", VerifyStage::kStraight, ""},
      {"bound loop left", kHead + "  for u in 0..4 thread.x\n    C[u] = 0.0\n", VerifyStage::kLaunched, "a loop bound to a block or thread is left"},
      {"unroll", kHead + "  for u in 0..4 unroll\n    C[u] = 0.0\n", VerifyStage::kFlat, ""},
      {"unroll left", kHead + "  for u in 0..4 unroll\n    C[u] = 0.0\n", VerifyStage::kStraight, "unroll or vectorize is left"},
      {"not flat", "out C: f32[4, 2]\nlaunch grid(1) threads(t: 8)\n  C[0, 1] = 1.0\n", VerifyStage::kFlat, "C is not flat"},
      {"logical", "out C: f32[4, 2]\nlaunch grid(1) threads(t: 8)\n  C[0, 1] = 1.0\n", VerifyStage::kLoops, ""},
      {"rank", "out C: f32[4, 2]\nlaunch grid(1) threads(t: 8)\n  C[0] = 1.0\n", VerifyStage::kLoops, "1 indices of C, which has 2 dimensions"},
      {"gather of vectors", "out C: f32x4[4]\nlaunch grid(1) threads(1)\n  C[ramp(0, 1, 2)] = broadcast(1.0, 8)\n", VerifyStage::kFlat, "a vector of indices"},
      {"scope of alloc", kHead + "  alloc R: f32[2] scratch\n", VerifyStage::kLoops, "the caller's"},
  };
  for (const Case& c : cases) {
    const std::string error = error_of(c.text, c.stage);
    if (*c.expected) EXPECT_NE(error.find(c.expected), std::string::npos) << c.name << ": " << error;
    else EXPECT_EQ(error, "") << c.name;
  }
}

// Given trees that text cannot express, when verified, then undefined, twice defined and wrongly typed things are refused.
TEST(Verify, BrokenTrees) {
  auto kernel_of = [](auto make) {
    Kernel kernel;
    kernel.arena = std::make_shared<Arena>();
    kernel.args = {kernel.arena->buffer("C", DType::kF32, {8})};
    kernel.launches.push_back({});
    kernel.launches[0].body = make(*kernel.arena, kernel.args[0]);
    Status status = verify(kernel, VerifyStage::kLoops);
    return status.ok() ? std::string() : status.error().message;
  };
  auto one = [](Arena& a) { return a.constant({DType::kF32, 1}, 1); };
  EXPECT_NE(kernel_of([&](Arena& a, Buffer c) { return a.store(c, {a.var("i")}, one(a)); }).find("the variable i is not defined here"), std::string::npos);
  EXPECT_NE(kernel_of([&](Arena& a, Buffer c) {
    Var i = a.var("i", kIndexType, 4);
    Stmt loop = a.loop(i, 4, Place::kSerial, a.store(c, {i}, one(a)));
    return a.block({loop, a.store(c, {i}, one(a))});
  }).find("the variable i is not defined here"), std::string::npos);
  EXPECT_NE(kernel_of([&](Arena& a, Buffer c) {
    Var i = a.var("i", kIndexType, 4);
    Stmt loop = a.loop(i, 4, Place::kSerial, a.store(c, {i}, one(a)));
    return a.block({loop, loop});
  }).find("the variable i is defined twice"), std::string::npos);
  EXPECT_NE(kernel_of([&](Arena& a, Buffer) { return a.store(a.buffer("D", DType::kF32, {8}), {a.index(0)}, one(a)); }).find("the buffer D is not declared"), std::string::npos);
  EXPECT_NE(kernel_of([&](Arena& a, Buffer c) { return a.store(c, {a.index(1ll << 33)}, one(a)); }).find("more than 32 bits"), std::string::npos);
  EXPECT_NE(kernel_of([&](Arena& a, Buffer c) { return a.store(c, {a.index(0)}, a.call(Intrinsic::kNone, {one(a)})); }).find("operands of a function do not fit"), std::string::npos);
  EXPECT_EQ(kernel_of([&](Arena& a, Buffer c) { return a.store(c, {a.index(0)}, one(a)); }), "");
}

}  // namespace
}  // namespace hone::ir
