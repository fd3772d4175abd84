#include "codegen/ir/verify_races.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/ir/parser.h"
#include "codegen/ir/verify.h"

namespace hone::ir {
namespace {

std::string error_of(const std::string& text) {
  auto kernel = parse_kernel(text);
  CHECK(kernel.ok(), kernel.ok() ? "" : kernel.error().message + "\n" + text);
  Status status = verify(*kernel, VerifyStage::kLaunched);
  CHECK(status.ok(), status.ok() ? "" : status.error().message + "\n" + text);
  status = verify_races(*kernel);
  return status.ok() ? "" : status.error().message;
}

const std::string kHead = "arg A: f32[512]\nout C: f32[64]\nlaunch grid(b: 4, d: 2) threads(t: 8, u: 2)\n";
const std::string kStage = kHead + "  alloc S: f32[64] workgroup\n  alloc T: i32[64] workgroup\n";

struct Case {
  const char* name;
  std::string text;
  const char* expected;  // part of the message; "" for a legal kernel
};

// Given kernels whose threads share workgroup memory, when verified, then those with a race are refused, with both threads and the statement.
TEST(VerifyRaces, Kernels) {
  const std::string write = "  S[t + u * 8] = A[t]\n", read = "  C[t] = S[7 - t]\n";
  const std::string halving = "  let n = t + u * 8\n  S[n] = A[n]\n  barrier\n  if n < 8\n    S[n] = S[n] + S[n + 8]\n";
  const std::string double_buffer =
      "  S[t + u * 8] = A[t]\n  for k<7 in 0..6\n    barrier\n    S[(k + 1) % 2 * 16 + t + u * 8] = A[t + k]\n    C[t] = S[k % 2 * 16 + 15 - t]\n"
      "  barrier\n  C[t] = S[15 - t]\n";
  const Case cases[] = {
      {"one thread's own", kStage + write + "  C[t] = S[t + u * 8]\n", ""},
      {"barrier between", kStage + write + "  barrier\n" + read, ""},
      {"barrier left out", kStage + write + read, "data race: thread 0 reads element 7 of S, which thread 7 writes with no barrier between, at: C[t] = S[7 - t]"},
      {"read before write", kStage + write + "  barrier\n" + read + write, "writes element 0 of S, which thread 15 reads"},
      {"next iteration", kStage + "  for k in 0..9\n    S[t + u * 8] = A[t + k]\n    barrier\n    C[t] = S[7 - t]\n", "writes element 0 of S, which thread 15 reads"},
      {"iteration around", kStage + "  for k in 0..9\n    S[t + u * 8] = A[t + k]\n    barrier\n    C[t] = S[7 - t]\n    barrier\n", ""},
      {"halving", kStage + halving + "  barrier\n  if n < 4\n    S[n] = S[n] + S[n + 4]\n", ""},
      {"halving without", kStage + halving + "  if n < 4\n    S[n] = S[n] + S[n + 4]\n", "reads element 4 of S, which thread 4 writes"},
      {"double buffer", kStage + double_buffer, ""},
      {"last iteration of two buffers", kStage + double_buffer + "  S[t + u * 8] = A[t]\n", "writes element"},
      {"code of the last block", kStage + write + "  if b < 3\n    barrier\n" + read, "data race"},
      {"vectors", kStage + "  S[ramp((t + u * 8) * 4, 1, 4)] = A[ramp(t * 4, 1, 4)]\n  C[t] = S[t * 4 + 4]\n", "reads element 4 of S, which thread 1 writes"},
      {"vectors of one's own", kStage + "  S[ramp((t + u * 8) * 4, 1, 4)] = A[ramp(t * 4, 1, 4)]\n  C[t] = S[(t + u * 8) * 4 + 3]\n", ""},
      {"masked", kStage + write + "  C[t if t + u * 8 == 0] = S[0 if t + u * 8 == 0]\n", ""},
      {"index from memory", kStage + "  T[t + u * 8] = i32(0)\n  S[index(T[t + u * 8])] = A[t]\n" + read, ""},
      {"longer than anybody waits", kStage + "  for k in 0..1000000000\n    for j in 0..1000000000\n      C[t] = S[t]\n", ""},
      {"barriers in loops in loops", kStage + "  for k in 0..1000000000\n    for j in 0..1000000000\n      S[t + u * 8] = A[t]\n      barrier\n      C[t] = S[7 - t]\n", "writes element 0 of S"},
      {"equal values of a shifted tail", kStage + "  S[min(t + u * 8, 11)] = A[min(t + u * 8, 11)]\n", ""},
  };
  for (const Case& c : cases) {
    const std::string error = error_of(c.text);
    if (*c.expected == 0) EXPECT_EQ(error, "") << c.name;
    else EXPECT_NE(error.find(c.expected), std::string::npos) << c.name << ": " << error;
  }
}

}  // namespace
}  // namespace hone::ir
