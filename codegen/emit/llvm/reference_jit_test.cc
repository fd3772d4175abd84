#include "codegen/emit/llvm/reference_jit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <ctime>
#include <set>

#include "base/unspecified.h"
#include "base/cat.h"
#include "base/rng.h"
#include "base/value_range.h"
#include "codegen/emit/llvm/reference.h"
#include "codegen/ir/interpreter.h"
#include "codegen/ir/numeric.h"
#include "codegen/ir/parser.h"
#include "codegen/ir/printer.h"
#include "codegen/lower/reference_loops.h"
#include "codegen/random_program.h"
#include "codegen/te/builder.h"
#include "codegen/te/evaluate.h"

namespace hone::emit {
namespace {

using ir::DType;
using te::Axis;
using te::Builder;
using te::Sym;

te::Task task_of(Builder& builder) {
  te::Task task;
  task.program = builder.take();
  const Status status = te::verify_te(task.program);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return task;
}

std::vector<uint64_t> bits_of(const ir::TensorValue& tensor) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < tensor.size(); ++i) {
    ir::Cell cell;
    if (ir::is_float(tensor.dtype)) cell.real = tensor.real[i];
    else cell.whole = tensor.whole[i];
    out.push_back(ir::bits_of(tensor.dtype, cell));
  }
  return out;
}

std::vector<unsigned char> bytes_of(const ir::TensorValue& tensor) {
  const size_t size = static_cast<size_t>(ir::size_bytes(tensor.dtype));
  std::vector<unsigned char> bytes(tensor.size() * size + 1);
  const std::vector<uint64_t> bits = bits_of(tensor);
  for (size_t i = 0; i < bits.size(); ++i) std::memcpy(&bytes[i * size], &bits[i], size);
  return bytes;
}

// Runs the kernel both ways; every bit of the outputs must agree (a NaN with any NaN).
void expect_like_interpreter(const ir::Kernel& kernel) {
  std::vector<ir::TensorValue> args;
  for (size_t i = 0; i < kernel.args.size(); ++i)
    args.push_back(ir::uniform_tensor(kernel.args[i]->dtype, kernel.args[i]->shape, i + 40));
  std::vector<std::vector<unsigned char>> arrays;
  std::vector<void*> pointers;
  for (const ir::TensorValue& arg : args) arrays.push_back(bytes_of(arg));
  for (auto& array : arrays) pointers.push_back(array.data());
  auto jit = ReferenceJit::create(kernel);
  ASSERT_TRUE(jit.ok()) << jit.error().message;
  ASSERT_TRUE((*jit)->run(pointers).ok());
  const Status status = interpret(kernel, args);
  ASSERT_TRUE(status.ok()) << status.error().message << "\n" << print(kernel);
  for (size_t i = static_cast<size_t>(kernel.input_count); i < args.size(); ++i) {
    const DType dtype = args[i].dtype;
    const size_t size = static_cast<size_t>(ir::size_bytes(dtype));
    const std::vector<uint64_t> expected = bits_of(args[i]);
    for (size_t e = 0; e < expected.size(); ++e) {
      uint64_t found = 0;
      std::memcpy(&found, &arrays[i][e * size], size);
      const bool both_nan =
          ir::is_float(dtype) && std::isnan(args[i].real[e]) && std::isnan(ir::cell_of_bits(dtype, found).real);
      ASSERT_TRUE(both_nan || found == expected[e])
          << "argument " << i << " element " << e << ": " << found << " for " << expected[e] << "\n"
          << print(kernel);
    }
  }
}

void expect_like_interpreter(const te::Task& task) {
  auto kernel = lower::reference_loops(task);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  expect_like_interpreter(*kernel);
}

// Given a sliding window with stride and zero padding, when compiled, then it agrees with interpreter and te evaluator.
TEST(ReferenceJit, PaddedWindow) {
  Builder b;
  te::Tensor x = b.input("x", DType::kF32, {2, 3, 9, 8}), w = b.input("w", DType::kF32, {4, 3, 3, 3});
  const std::vector<Axis> axes = b.axes({"n", "o", "p", "q"}, {2, 4, 5, 4}), over = b.axes({"c", "r", "s"}, {3, 3, 3});
  Sym row = b.sym(axes[2]) * 2 + b.sym(over[1]) - 1, column = b.sym(axes[3]) * 2 + b.sym(over[2]) - 1;
  Sym inside = both(both(0 <= row, row < 9), both(0 <= column, column < 8));
  Sym read = select(inside, b.at(x, {b.sym(axes[0]), b.sym(over[0]), row, column}), b.constant(DType::kF32, 0));
  Sym weight = b.at(w, {b.sym(axes[1]), b.sym(over[0]), b.sym(over[1]), b.sym(over[2])});
  b.output(b.reduce("y", axes, over, te::Fold::kSum, read * weight, [](Sym acc) { return max(acc, 0); }));
  const te::Task task = task_of(b);
  expect_like_interpreter(task);

  auto outputs = reference_outputs(task, 77);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  std::vector<std::vector<double>> inputs;
  for (size_t i = 0; i < 2; ++i) {
    inputs.emplace_back();
    for (int64_t e = 0; e < ir::element_count(task.program.inputs[i]->shape); ++e)
      inputs[i].push_back(real_at({}, hash_mix(77, i), static_cast<uint64_t>(e)));
  }
  const auto expected = te::evaluate(task.program, inputs);
  ASSERT_EQ(outputs->sets[0].size(), 1u);
  ASSERT_EQ(outputs->sets[0][0].size(), expected[0].size());
  for (size_t i = 0; i < expected[0].size(); ++i) EXPECT_EQ(outputs->sets[0][0][i], static_cast<float>(expected[0][i])) << i;
}

// steps[i] = round(100 · Σ x[i, k] · w[k]), or without the rounding.
te::Task sums_in_steps(bool rounded) {
  Builder b;
  te::Tensor x = b.input("x", DType::kF32, {3000, 40}), w = b.input("w", DType::kF32, {40});
  std::vector<Axis> rows = b.axes({"i"}, {3000}), over = b.axes({"k"}, {40});
  const te::Sym i = b.sym(rows[0]), k = b.sym(over[0]);
  b.output(b.reduce("y", rows, over, te::Fold::kSum, b.at(x, {i, k}) * b.at(w, {k}), [rounded](te::Sym sum) {
    return rounded ? te::call(ir::Intrinsic::kRound, sum * 100.0) : sum * 100.0;
  }));
  return task_of(b);
}

// Given sums that are rounded to steps, when their reference is made, then it is what the interpreter says but for those whose sum lies within a
// hundredth of a step of a jump: these are unspecified.
TEST(ReferenceOutputs, AnElementNextToAJumpIsUnspecified) {
  const auto rounded = reference_outputs(sums_in_steps(true), 77), sums = reference_outputs(sums_in_steps(false), 77);
  ASSERT_TRUE(rounded.ok() && sums.ok());
  int unspecified = 0;
  for (size_t i = 0; i < 3000; ++i) {
    const double sum = sums->sets[0][0][i], to_jump = std::fabs(sum - std::floor(sum) - 0.5);
    const bool near = std::bit_cast<uint32_t>(rounded->sets[0][0][i]) == kUnspecifiedBits;
    unspecified += near;
    EXPECT_TRUE(near ? to_jump < 0.0101 : to_jump > 0.0099) << i << " " << sum;
    if (!near) { EXPECT_EQ(rounded->sets[0][0][i], std::nearbyint(sum)) << i; }
  }
  EXPECT_GT(unspecified, 20);
  EXPECT_LT(unspecified, 120);
}

// Given a step of what an input holds, and a sum that always lies on a jump, when their references are made, then all is specified: the first has no
// rounding before it, and of the second nothing would be left.
TEST(ReferenceOutputs, WhatIsExactOrAlwaysOnAJumpIsSpecified) {
  for (const bool exact : {true, false}) {
    Builder b;
    te::Tensor x = b.input("x", DType::kF32, {500});
    std::vector<Axis> axes = b.axes({"i"}, {500});
    const te::Sym element = b.at(x, b.syms(axes));
    b.output(b.map("y", axes, te::call(ir::Intrinsic::kFloor, exact ? element : element * 0.0 + 1.0)));
    const auto outputs = reference_outputs(task_of(b), 77);
    ASSERT_TRUE(outputs.ok());
    for (float value : outputs->sets[0][0]) EXPECT_NE(std::bit_cast<uint32_t>(value), kUnspecifiedBits) << exact;
  }
}

// Given a product that may err by more than usual, and one that rounds whatever its inputs, when the references are computed, then the first is of whole
// numbers, on which it owes what others owe, and the second as it was.
TEST(ReferenceOutputs, WhatMayLosePrecisionIsTriedWhereItLosesNone) {
  for (const bool rounds : {false, true}) {
    Builder b;
    const std::vector<Axis> axes = b.axes({"i", "j"}, {8, 8}), k = b.axes({"k"}, {64});
    const Sym x = b.at(b.input("x", DType::kF32, {8, 64}), {b.sym(axes[0]), b.sym(k[0])});
    const Sym y = b.at(b.input("y", DType::kF32, {64, 8}), {b.sym(k[0]), b.sym(axes[1])});
    b.output(b.reduce("s", axes, k, te::Fold::kSum, rounds ? x * y * 0.3 : x * y));
    te::Task task = task_of(b);
    task.accuracy.reduction_length = 64;
    const double usual = task.accuracy.tolerance();
    task.accuracy.base = 0.02;
    const auto reference = reference_outputs(task, 1);
    ASSERT_TRUE(reference.ok());
    EXPECT_EQ(reference->tolerance, rounds ? task.accuracy.tolerance() : usual);
    EXPECT_EQ(reference->ranges[0], rounds ? ValueRange{} : ValueRange({-6, 6, 1}));
    for (float value : reference->sets[0][0]) EXPECT_TRUE(rounds || value == std::round(value)) << value;
  }
}

// Given a map, and one that spreads a few rows' sums over as many elements, when the references are computed, then there are more sets of the second.
TEST(ReferenceOutputs, WhatIsReducedOnTheWayCountsAsResults) {
  for (const bool reduces : {false, true}) {
    Builder b;
    const std::vector<Axis> axes = b.axes({"i", "j"}, {4, 1024}), rows = b.axes({"r"}, {4}), k = b.axes({"k"}, {1024});
    const te::Tensor x = b.input("x", DType::kF32, {4, 1024});
    const Sym element = b.at(x, {b.sym(axes[0]), b.sym(axes[1])});
    if (reduces) {
      const te::Tensor sum = b.reduce("sum", rows, k, te::Fold::kSum, b.at(x, {b.sym(rows[0]), b.sym(k[0])}));
      b.output(b.map("y", axes, element - b.at(sum, {b.sym(axes[0])})));
    } else {
      b.output(b.map("y", axes, element * 2.0));
    }
    const te::Task task = task_of(b);
    const auto reference = reference_outputs(task, 1);
    ASSERT_TRUE(reference.ok());
    EXPECT_EQ(reference->sets.size(), reduces ? 32u : 1u);
  }
}

// Given a maximum of 3000 numbers, and of 40, when the references are computed, then the sets find it in each of 64 lanes, or of fewer elements, and in the
// last of 128 and of 256, which a join by halves that ends early loses.
TEST(ReferenceOutputs, AMaximumComesFromAllLanes) {
  for (const int64_t count : {3000, 40}) {
    Builder b;
    const std::vector<Axis> k = b.axes({"k"}, {count});
    const te::Tensor x = b.input("x", DType::kF32, {count});
    b.output(b.reduce("y", {}, k, te::Fold::kMax, b.at(x, {b.sym(k[0])})));
    const te::Task task = task_of(b);
    const auto reference = reference_outputs(task, 1);
    ASSERT_TRUE(reference.ok());
    ASSERT_EQ(reference->sets.size(), 68u);
    std::set<int64_t> lanes, last;
    for (size_t set = 0; set < reference->sets.size(); ++set) {
      const uint64_t seed = hash_mix(set == 0 ? 1 : reference->more_seeds.at(set - 1), 0);
      for (int64_t i = 0; i < count; ++i) {
        if (real_at(reference->ranges[0], seed, static_cast<uint64_t>(i)) != reference->sets[set][0][0]) continue;
        lanes.insert(i % 64);
        for (const int64_t most : {128, 256})
          if (i % most == most - 1) last.insert(most);
      }
    }
    EXPECT_EQ(std::ssize(lanes), std::min<int64_t>(count, 64)) << count;
    EXPECT_EQ(last.size(), count > 256 ? 2u : 0u) << count;
  }
}

// Given pooling windows, whose results are each one of four elements, when the references are computed, then that takes no longer than drawing for one set.
TEST(ReferenceOutputs, NothingIsDrawnForOnceAllIsSeen) {
  Builder b;
  const std::vector<Axis> axes = b.axes({"i"}, {16}), k = b.axes({"k"}, {4});
  const te::Tensor x = b.input("x", DType::kF32, {64});
  b.output(b.reduce("y", axes, k, te::Fold::kMax, b.at(x, {b.sym(axes[0]) * 4 + b.sym(k[0])})));
  const te::Task task = task_of(b);
  const auto reference = reference_outputs(task, 1);
  ASSERT_TRUE(reference.ok());
  ASSERT_EQ(reference->sets.size(), 64u);
  // Those behind have the first seed that was drawn for them.
  EXPECT_EQ(reference->more_seeds.back(), hash_mix(~uint64_t{1}, 63));
}

// Given a reduction over (value, index) pairs, when compiled, then both outputs agree with the interpreter.
TEST(ReferenceJit, TupleReduction) {
  Builder b;
  te::Tensor x = b.input("x", DType::kF32, {4, 9});
  std::vector<Axis> axes = b.axes({"i"}, {4}), over = b.axes({"k"}, {9});
  ir::Arena& a = *b.program().arena;
  const ir::Type f{DType::kF32, 1}, n{DType::kI32, 1};
  te::Combiner combiner;
  combiner.acc = {a.var("best", f), a.var("where", n)};
  combiner.val = {a.var("value", f), a.var("at", n)};
  combiner.identity = {a.constant(f, -3e38), a.integer(DType::kI32, -1)};
  ir::Expr better = a.lt(combiner.acc[0], combiner.val[0]);
  combiner.combine = {a.select(better, combiner.val[0], combiner.acc[0]),
                      a.select(better, combiner.val[1], combiner.acc[1])};
  Sym load = b.at(x, {b.sym(axes[0]), b.sym(over[0])});
  for (te::Tensor t :
       b.reduce_tuple("top", axes, {over, combiner}, {load.expr, cast(DType::kI32, b.sym(over[0])).expr}, {}))
    b.output(t);
  expect_like_interpreter(task_of(b));
}

// Given seeded random programs of maps and a reduction over every integer type, when compiled, then each bit agrees with the interpreter.
TEST(ReferenceJit, RandomPrograms) {
  for (uint64_t seed = 0; seed < 48; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    te::Task task;
    task.program = random_program(seed, true);
    ASSERT_TRUE(te::verify_te(task.program).ok());
    expect_like_interpreter(task);
    if (HasFatalFailure()) return;
  }
}

// Given kernels written by hand with branches, masked stores and narrow types, when compiled, then they agree with the interpreter.
TEST(ReferenceJit, StatementsAndNarrowTypes) {
  auto kernel = ir::parse_kernel(R"(arg A: f32[8]
arg H: f16[8]
arg B: bool[8]
out C: f32[8]
out D: f16[8]
out E: bool[8]
out F: index[8]
temp T: bf16[8]
launch grid(1) threads(1)
  for i in 0..8
    if i < 3 or B[i]
      let a = A[i] * 2.0
      C[i] = a + A[7 - i if i < 5 else 4.0]
      T[i] = bf16(a)
    else
      C[i] = 0.5
      T[i] = bf16(H[i])
    D[i] = H[i] * f16(A[i])
    E[i] = not B[i] and A[i] < 0.0
    F[i] = (i - 4) * index(A[i] * 7.0)
launch grid(1) threads(1)
  for i in 0..8 core
    C[i if i % 3 == 0] = bitcast(f32, bitcast(i32, f32(T[i])) + 0:i32)
)");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  expect_like_interpreter(*kernel);
}

// Given numbers between those of bf16, some a little beyond the middle of two, when they become bf16 from f64, f32, f16 and whole numbers, then each
// is rounded once, to the nearest and the even one, on every processor.
TEST(ReferenceJit, RoundsOnceToBf16) {
  auto kernel = ir::parse_kernel(R"(arg A: f32[1]
out C: bf16[12]
launch grid(1) threads(1)
  let zero = A[0] * 0.0
  let exact = f64(zero)
  C[0] = bf16(exact + 1.00390625:f64)
  C[1] = bf16(exact + 1.003906250000001:f64)
  C[2] = bf16(exact - 1.01171875:f64)
  C[3] = bf16(exact + 1.01171874999:f64)
  C[4] = bf16(zero + 3.4e+38)
  C[5] = bf16(exact + 1e+300:f64)
  C[6] = bf16(zero + nan)
  C[7] = bf16(i32(zero) + 257:i32)
  C[8] = bf16(i32(zero) + 16842753:i32)
  C[9] = bf16(f16(zero) + 0.333333:f16)
  C[10] = bf16(zero + 1e-40)
  C[11] = bf16(zero - inf)
)");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  expect_like_interpreter(*kernel);
}

// Given kernels with what the reference cannot run, when compiled, then they are refused by name.
TEST(ReferenceJit, RefusesParallelKernels) {
  for (auto [body, found] : {std::pair("  for i in 0..8 thread.x\n    C[i] = 0.0\n", "thread.x"),
                             {"  barrier\n", "a barrier"},
                             {"  C[ramp(0, 1, 4)] = broadcast(0.0, 4)\n", "a vector"}}) {
    auto kernel = ir::parse_kernel(cat("out C: f32[8]\nlaunch grid(1) threads(1)\n", body));
    ASSERT_TRUE(kernel.ok());
    auto jit = ReferenceJit::create(*kernel);
    ASSERT_FALSE(jit.ok());
    EXPECT_EQ(jit.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(jit.error().message.find(found), std::string::npos) << jit.error().message;
  }
}

// Given the largest windowed reduction of a small image network (115 M multiply-accumulates), when the reference runs with one and two
// threads, then both give the same values within seconds of processor time.
TEST(ReferenceJit, LargeWindowIsQuick) {
  Builder b;
  te::Tensor x = b.input("x", DType::kF32, {1, 64, 56, 56}), w = b.input("w", DType::kF32, {64, 64, 3, 3});
  const std::vector<Axis> axes = b.axes({"n", "o", "p", "q"}, {1, 64, 56, 56}),
                          over = b.axes({"c", "r", "s"}, {64, 3, 3});
  Sym row = b.sym(axes[2]) + b.sym(over[1]) - 1, column = b.sym(axes[3]) + b.sym(over[2]) - 1;
  Sym inside = both(both(0 <= row, row < 56), both(0 <= column, column < 56));
  Sym read = select(inside, b.at(x, {b.sym(axes[0]), b.sym(over[0]), row, column}), b.constant(DType::kF32, 0));
  b.output(b.reduce("y", axes, over, te::Fold::kSum,
                    read * b.at(w, {b.sym(axes[1]), b.sym(over[0]), b.sym(over[1]), b.sym(over[2])})));
  const te::Task task = task_of(b);
  auto kernel = lower::reference_loops(task);
  ASSERT_TRUE(kernel.ok());
  auto jit = ReferenceJit::create(*kernel);
  ASSERT_TRUE(jit.ok()) << jit.error().message;
  std::vector<float> in(64 * 56 * 56), weights(64 * 64 * 9), one(64 * 56 * 56), two(one.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = uniform_at(1, i);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = uniform_at(2, i);
  std::vector<void*> args{in.data(), weights.data(), two.data()};
  const std::clock_t begin = std::clock();  // processor time of all threads: the machine may be busy
  ASSERT_TRUE((*jit)->run(args).ok());
  const double took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  args[2] = one.data();
  ASSERT_TRUE((*jit)->run(args, {.threads_max = 1}).ok());
  EXPECT_EQ(one, two);
  RecordProperty("seconds", cat(took_s));
  EXPECT_LT(took_s, 5.0);
}

TEST(ReferenceJit, HearsACancelInsideALaunch) {
  // Given a product that takes hours, when it runs under a token that is cancelled, then it ends with `cancelled` and has written nothing.
  constexpr int64_t kLong = 1 << 30;
  Builder b;
  const te::Tensor x = b.input("x", DType::kF32, {8});
  const Axis i = b.axis("i", 8), k = b.axis("k", kLong), l = b.axis("l", kLong);
  const Sym value = b.at(x, {b.sym(i)}) * te::cast(DType::kF32, b.sym(k) - b.sym(l));
  b.output(b.reduce("y", {i}, {k, l}, te::Fold::kSum, value));
  const auto kernel = lower::reference_loops(task_of(b));
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto jit = ReferenceJit::create(*kernel);
  ASSERT_TRUE(jit.ok()) << jit.error().message;
  std::vector<float> in(8, 1), out(8, 7);
  void* const args[] = {in.data(), out.data()};
  CancelToken token;
  token.cancel();
  const Status status = (*jit)->run(args, {.cancel = &token});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(out, std::vector<float>(8, 7));
}

}  // namespace
}  // namespace hone::emit
