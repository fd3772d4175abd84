#include "codegen/emit/llvm/native_jit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>

#include "base/cat.h"
#include "codegen/ir/interpreter.h"
#include "codegen/ir/numeric.h"
#include "codegen/ir/parser.h"
#include "codegen/ir/printer.h"
#include "codegen/lower/reference_loops.h"
#include "codegen/random_program.h"
#include "codegen/te/task.h"

namespace hone::emit {
namespace {

using Bytes = std::vector<unsigned char>;
constexpr size_t kBorder = 64;
constexpr unsigned char kPoison = 0xa5;

uint64_t bits_at(const ir::TensorValue& tensor, size_t i) {
  ir::Cell cell;
  if (ir::is_float(tensor.dtype)) cell.real = tensor.real[i];
  else cell.whole = tensor.whole[i];
  return ir::bits_of(tensor.dtype, cell);
}

// An argument between poisoned borders, which also serve reads beyond it.
Bytes bordered(const ir::TensorValue& tensor, int64_t bytes) {
  const size_t size = static_cast<size_t>(ir::size_bytes(tensor.dtype));
  Bytes out(2 * kBorder + static_cast<size_t>(bytes), kPoison);
  for (size_t i = 0; i < tensor.size(); ++i) {
    const uint64_t bits = bits_at(tensor, i);
    std::memcpy(&out[kBorder + i * size], &bits, size);
  }
  return out;
}

void run(const NativeKernel& native, std::vector<Bytes>& args) {
  std::vector<std::vector<double>> temps;
  for (const Temp& temp : native.temps()) temps.emplace_back(static_cast<size_t>(temp.bytes) / sizeof(double) + 1);
  for (const NativeKernel::Launch& launch : native.launches()) {
    const int64_t middle = launch.extent / 2;
    auto part = [&](int64_t begin, int64_t end) {
      std::vector<void*> pointers;
      for (const Binding& b : launch.bindings) {
        const size_t at = static_cast<size_t>(b.position);
        pointers.push_back(b.kind == Binding::Kind::kArg ? &args[at][kBorder] : static_cast<void*>(temps[at].data()));
      }
      std::vector<long double> scratch(static_cast<size_t>(launch.scratch_bytes) / sizeof(long double) + 1);
      pointers.push_back(scratch.data());
      launch.entry(pointers.data(), begin, end);
    };
    std::thread other(part, middle, launch.extent);
    part(0, middle);
    other.join();
  }
}

// Runs the kernel natively in two threads and by the interpreter; elements may differ by `tolerance`, relative, 0: in no bit.
void expect_like_interpreter(const ir::Kernel& kernel, double tolerance) {
  std::vector<ir::TensorValue> args;
  std::vector<Bytes> arrays;
  for (ir::Buffer buffer : kernel.args) {
    args.push_back(
        ir::uniform_tensor(buffer->dtype, {ir::element_count(buffer->shape) * buffer->lanes}, args.size() + 40));
    arrays.push_back(bordered(args.back(), static_cast<int64_t>(args.back().size()) * ir::size_bytes(buffer->dtype)));
  }
  auto native = NativeKernel::create(kernel);
  ASSERT_TRUE(native.ok()) << native.error().message;
  run(**native, arrays);
  const Status status = ir::interpret(kernel, args);
  ASSERT_TRUE(status.ok()) << status.error().message;
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t size = static_cast<size_t>(ir::size_bytes(args[i].dtype));
    for (size_t e = 0; e < args[i].size(); ++e) {
      uint64_t found = 0;
      std::memcpy(&found, &arrays[i][kBorder + e * size], size);
      if (found == bits_at(args[i], e)) continue;
      ASSERT_TRUE(ir::is_float(args[i].dtype)) << "argument " << i << " element " << e << "\n" << ir::print(kernel);
      const double real = ir::cell_of_bits(args[i].dtype, found).real, expected = args[i].real[e];
      if (std::isnan(real) && std::isnan(expected)) continue;
      ASSERT_LE(std::fabs(real - expected), tolerance * std::fabs(expected))
          << "argument " << i << " element " << e << "\n"
          << ir::print(kernel);
    }
    for (size_t at = 0; at < kBorder; ++at) {
      ASSERT_EQ(arrays[i][at], kPoison);
      ASSERT_EQ(arrays[i][arrays[i].size() - 1 - at], kPoison);
    }
  }
}

// Given random programs over every integer type, when compiled for the host, then each bit agrees with the interpreter.
TEST(NativeKernel, RandomPrograms) {
  for (uint64_t seed = 100; seed < 124; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    te::Task task;
    task.program = random_program(seed, false);
    const auto kernel = lower::reference_loops(task);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    expect_like_interpreter(*kernel, 0);
    if (HasFatalFailure()) return;
  }
}

// Given vectors wider than the host's, functions, masks, a temporary and an array in memory, when two threads share each launch, then
// the results are the interpreter's.
TEST(NativeKernel, VectorsAndFunctions) {
  const auto kernel = ir::parse_kernel(R"(
arg A: f32[64]
arg B: f32x16[4]
out C: f32x16[4]
out D: f32[64]
temp T: f32x8[8]
launch grid(bx: 8) threads(1)
  T[bx] = exp(A[ramp(bx * 8, 1, 8)]) + tanh(A[ramp(56 - bx * 7, 1, 8)])
launch grid(bx: 4) threads(1)
  alloc R: f32[16] workgroup
  for i in 0..16
    R[15 - i] = T[bx * 2 + i / 8].y
  C[bx] = mad(B[bx], broadcast(R[3], 16), erf(B[bx]))
  for i in 0..16
    D[bx * 16 + i] = R[i] * A[bx * 16 + i - 3 if 3 <= bx * 16 + i else 0.5] + sin(A[i])
)");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  expect_like_interpreter(*kernel, 4e-6);
}

// Given functions of one another, 32 high, each of which uses its argument more than once, when compiled, then that ends, and the results are the interpreter's. Written out part by part
// they would be more than 3^32.
TEST(NativeKernel, TowersOfFunctions) {
  std::string value = "A[bx]";
  for (int i = 0; i < 32; ++i) value = cat("tanh(", value, ")");
  const auto kernel = ir::parse_kernel(cat("arg A: f32[64]\nout C: f32[64]\nlaunch grid(bx: 64) threads(1)\n  C[bx] = ", value, "\n"));
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  expect_like_interpreter(*kernel, 4e-6);
}

// Given threads, when compiled, then the kernel is refused.
TEST(NativeKernel, RefusesThreads) {
  const auto kernel = ir::parse_kernel("out C: f32[8]\nlaunch grid(1) threads(tx: 8)\n  C[tx] = 0.0\n");
  ASSERT_TRUE(kernel.ok());
  const auto native = NativeKernel::create(*kernel);
  ASSERT_FALSE(native.ok());
  EXPECT_EQ(native.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace hone::emit
