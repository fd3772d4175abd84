// Values kept as f16: in workgroup memory, in temporaries of other launches, in parts of a sum, as constants.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/ir/printer.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"

namespace hone {
namespace {

using namespace schedule;

constexpr double kTolerance = 4e-3;

te::Task task_of(const std::string& spec, double tolerance) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), spec);
  if (tolerance > 0) te::loosen(*task, tolerance);
  return std::move(*task);
}

target::Target device(bool has_f16) {
  target::Target target = target::webgpu_default();
  target.has_f16 = has_f16;
  return target;
}

// Both operands' tiles come through workgroup memory as f16, rows of A as vectors.
Trace narrow_tiles() {
  Trace t;
  t.steps = {cache_write("C", "register"),
             split("C", "m", {4, 2}),
             split("C", "n", {4, 4}),
             reorder("C", {"m.0", "n.0", "m.1", "n.1", "m.2", "n.2"}),
             schedule::bind("C", "m.0", "block.y"),
             schedule::bind("C", "n.0", "block.x"),
             schedule::bind("C", "m.1", "thread.y"),
             schedule::bind("C", "n.1", "thread.x"),
             compute_at("C.acc", "C", "n.1"),
             split("C.acc", "k", {8}),
             reorder("C.acc", {"k.0", "k.1", "m", "n"})};
  for (const char* tensor : {"A", "B"}) {
    const std::string tile = cat(tensor, ".w");
    t.steps.insert(
        t.steps.end(),
        {cache_read(tensor, "C.acc", "workgroup", tile), compute_at(tile, "C.acc", "k.0"), precision(tile, "f16"),
         fuse(tile, *tensor == 'A' ? std::vector<std::string>{"m", "k"} : std::vector<std::string>{"k", "n"}, "t"),
         split(tile, "t", {16, 4}), schedule::bind(tile, "t.1", "thread"), vectorize(tile, "t.2")});
  }
  t.steps.insert(t.steps.end(), {vectorize("C.acc", "n"), unroll("C.acc", "m"), unroll("C.acc", "k.1"),
                                 vectorize("C", "n.2"), unroll("C", "m.2")});
  return t;
}

// Parts of the sum, which a second launch joins, as f16.
Trace narrow_slices() {
  Trace t;
  t.steps = {split("C", "k", {8}),
             rfactor("C", "k.0"),
             precision("C.rf", "f16"),
             schedule::bind("C.rf", "k.0", "block.y"),
             schedule::bind("C.rf", "m", "block.x"),
             schedule::bind("C", "m", "block.x")};
  return t;
}

double error_of(const te::Task& task, const Trace& trace) {
  te::Task strict = task;
  for (double bound : {1e-5, 1e-4, 1e-3, kTolerance}) {
    strict.accuracy.base = bound;
    lower::PipelineOptions options;
    options.verify = true;
    auto kernel = lower::lower_kernel(task, trace, device(true), options);
    EXPECT_TRUE(kernel.ok()) << kernel.error().message;
    if (!kernel.ok()) return 1;
    if (difference(strict, Oracle(task), *kernel).empty()) return bound;
  }
  return 1;
}

// Given products whose tiles divide and do not, when operands' tiles or parts of the sum are kept as f16, then the error is f16's: within the
// tolerance, and beyond that of f32.
TEST(Precision, RoundsWithinTheTolerance) {
  for (const char* spec : {"matmul:16x32x32", "matmul:13x20x18"})
    for (const Trace& trace : {narrow_tiles(), narrow_slices()}) {
      SCOPED_TRACE(spec);
      const double error = error_of(task_of(spec, kTolerance), trace);
      EXPECT_LE(error, kTolerance);
      EXPECT_GT(error, 1e-5);
    }
}

// Given the same kernels, when printed as WGSL, then tiles and temporaries are declared as f16, and the module says that it needs them.
TEST(Precision, IsStorageInWgsl) {
  const te::Task task = task_of("matmul:16x32x32", kTolerance);
  auto tiles = compile_kernel(task, narrow_tiles(), device(true));
  ASSERT_TRUE(tiles.ok()) << tiles.error().message;
  EXPECT_EQ(tiles->needs, std::vector<std::string>{"shader-f16"});
  EXPECT_EQ(tiles->launches[0].code.rfind("enable f16;\n", 0), 0u);
  EXPECT_NE(tiles->launches[0].code.find("var<workgroup> A_w: array<vec4<f16>, 16>;"), std::string::npos)
      << tiles->launches[0].code;
  auto slices = compile_kernel(task, narrow_slices(), device(true));
  ASSERT_TRUE(slices.ok()) << slices.error().message;
  EXPECT_EQ(slices->temps[0].bytes, 16 * 32 * 4 * 2);
  EXPECT_NE(slices->launches[1].code.find("array<f16, 2048>"), std::string::npos) << slices->launches[1].code;
}

// The weights of a window as halves, each output by itself.
Trace narrow_weights(const te::Task& task, const target::Target& target) {
  Trace t = baseline_trace(task, target).value();
  t.steps.insert(t.steps.begin(), precision(task.program.inputs[1]->name, "f16"));
  return t;
}

// Given windows whose weights fill whole vectors and do not, when these are kept as f16, then the error is f16's.
TEST(Precision, ConstantsRoundWithinTheTolerance) {
  for (const char* spec : {"conv:1x8x6x6,16x8x3x3,pad=1", "conv:1x5x6x6,7x5x3x3"}) {
    const te::Task task = task_of(spec, kTolerance);
    const double error = error_of(task, narrow_weights(task, device(true)));
    EXPECT_LE(error, kTolerance) << spec;
    EXPECT_GT(error, 1e-5) << spec;
  }
}

// Given weights kept as f16, when printed as WGSL and as GLSL, then the binding has half the bytes, and the kernel says what it wants them as.
TEST(Precision, ConstantsAreBoundAsHalves) {
  const te::Task task = task_of("conv:1x8x6x6,16x8x3x3,pad=1", kTolerance);
  constexpr int64_t kElements = 16 * 8 * 3 * 3;
  for (const target::Target& target : {device(true), target::webgl_default()}) {
    const auto source = compile_kernel(task, narrow_weights(task, target), target);
    ASSERT_TRUE(source.ok()) << source.error().message;
    ASSERT_EQ(source->launches.size(), 1u);
    const emit::Binding& weights = source->launches[0].bindings[1];
    EXPECT_EQ(weights.position, 1);
    EXPECT_EQ(weights.bytes, kElements * 2);
    const auto wanted = std::find_if(source->layouts.begin(), source->layouts.end(),
                                     [](const emit::ArgLayout& l) { return l.position == 1; });
    ASSERT_NE(wanted, source->layouts.end());
    EXPECT_EQ(wanted->stored, ir::DType::kF16);
    EXPECT_EQ(wanted->bytes, kElements * 2);
    const bool fragments = target::on_textures(target.kind);
    if (fragments) {
      EXPECT_EQ(weights.element, "f16vec4");
    } else {
      EXPECT_NE(source->launches[0].code.find("var<storage, read> W: array<f16, 1152>;"), std::string::npos)
          << source->launches[0].code;
    }
  }
}

std::string refusal(const te::Task& task, const std::vector<Step>& steps, bool has_f16) {
  Trace trace;
  trace.steps = steps;
  auto kernel = lower::lower_kernel(task, trace, device(has_f16));
  return kernel.ok() ? "" : kernel.error().message;
}

// Given an exact task, a device without f16, an output, and a sum that is narrow before its place is known, when narrowed, then the refusal says why; the control
// case passes.
TEST(Precision, RefusesWhatItMayNotRound) {
  const te::Task loose = task_of("matmul:8x8x8", kTolerance), exact = task_of("matmul:8x8x8", 0);
  const std::vector<Step> copy{cache_read("A", "C", "global", "A.g"), precision("A.g", "f16")};
  EXPECT_EQ(refusal(loose, copy, true), "");
  EXPECT_NE(refusal(exact, copy, true).find("a tolerance of"), std::string::npos);
  EXPECT_NE(refusal(loose, copy, false).find("has no f16"), std::string::npos);
  EXPECT_NE(refusal(loose, {precision("C", "f16")}, true).find("writes an output"), std::string::npos);
  EXPECT_NE(
      refusal(loose, {cache_write("C", "register"), precision("C.acc", "f16"), compute_at("C.acc", "C", "m")}, true)
          .find("would accumulate in f16"),
      std::string::npos);
  EXPECT_NE(loose.id, exact.id) << "records of one are none of the other";
}

// Given an argument that is the caller's, one whose form the task fixes, and a target without f16, when narrowed, then the refusal says why; a
// constant of a task that bears it is not refused.
TEST(Precision, RefusesArgumentsThatAreNoConstants) {
  te::Task task = task_of("conv:1x8x6x6,16x8x3x3,pad=1", kTolerance);
  const std::string x = task.program.inputs[0]->name, w = task.program.inputs[1]->name;
  EXPECT_EQ(refusal(task, {precision(w, "f16")}, true), "");
  EXPECT_NE(refusal(task, {precision(w, "f16")}, false).find("has no f16"), std::string::npos);
  EXPECT_NE(refusal(task, {precision(w, "i8")}, true).find("kept as f16"), std::string::npos);
  EXPECT_NE(refusal(task, {precision(x, "f16")}, true).find("only constants"), std::string::npos);
  EXPECT_NE(refusal(task_of("conv:1x8x6x6,16x8x3x3,pad=1", 0), {precision(w, "f16")}, true).find("a tolerance of"),
            std::string::npos);
  task.args[1].free = false;
  EXPECT_NE(refusal(task, {precision(w, "f16")}, true).find("only constants"), std::string::npos);
}

// Two rows of four columns a thread; sums of 8 steps in f16, which are added up in f32.
std::vector<Step> half_sums(int64_t steps) {
  return {cache_write("C", "register"),
          split("C.acc", "k", {steps}, "peel"),
          rfactor("C.acc", "k.0"),
          split("C", "m", {2}),
          split("C", "n", {4}),
          reorder("C", {"m.0", "n.0", "m.1", "n.1"}),
          schedule::bind("C", "m.0", "block.y"),
          schedule::bind("C", "n.0", "block.x"),
          compute_at("C.acc", "C", "n.0"),
          reorder("C.acc", {"k.0", "m", "n"}),
          vectorize("C.acc", "n"),
          unroll("C.acc", "m"),
          compute_at("C.acc.rf", "C.acc", "k.0"),
          precision("C.acc.rf", "f16"),
          reorder("C.acc.rf", {"k.1", "m", "n"}),
          vectorize("C.acc.rf", "n"),
          unroll("C.acc.rf", "m"),
          vectorize("C", "n.1"),
          unroll("C", "m.1")};
}

// Given products whose steps the chunks divide and do not, when chunks of 8 are added up in f16, then the error is within the bound for 8 terms, and
// beyond that of f32.
TEST(Precision, SumsInHalvesAreWithinTheirBound) {
  constexpr double kBound = 10.0 / 2048;
  for (const char* spec : {"matmul:8x32x32", "matmul:7x20x21"}) {
    te::Task task = task_of(spec, kBound);
    Trace trace;
    trace.steps = half_sums(8);
    auto kernel = lower::lower_kernel(task, trace, device(true), {.verify = true});
    ASSERT_TRUE(kernel.ok()) << spec << ": " << kernel.error().message;
    EXPECT_EQ(difference(task, Oracle(task), *kernel), "") << spec;
    task.accuracy.base = 1e-5;
    EXPECT_NE(difference(task, Oracle(task), *kernel), "") << spec;
  }
}

// Given the same sums, when printed as WGSL, then their accumulators and products are of f16, and what adds them up is of f32.
TEST(Precision, SumsInHalvesInWgsl) {
  const te::Task task = task_of("matmul:8x32x32", 0.01);
  Trace trace;
  trace.steps = half_sums(8);
  const auto source = compile_kernel(task, trace, device(true));
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ(source->needs, std::vector<std::string>{"shader-f16"});
  const std::string& code = source->launches[0].code;
  EXPECT_NE(code.find("var C_acc_rf_0: vec4<f16>"), std::string::npos) << code;
  EXPECT_NE(code.find("var C_acc_0: vec4<f32>"), std::string::npos) << code;
  EXPECT_NE(code.find("+ vec4<f32>(C_acc_rf_0)"), std::string::npos) << code;
  EXPECT_EQ(code.find("vec4<f32>(vec4<f16>"), std::string::npos) << code;
}

// Given sums that are too long for the tolerance, kernels of a target that has halves but no arithmetic of them, sums of 8 bits, and a largest element,
// when made narrow, then the refusal says why; as many terms as the tolerance bears are not refused.
TEST(Precision, RefusesSumsBeyondTheBudget) {
  const std::vector<Step> whole{cache_write("C", "register"), compute_at("C.acc", "C", "m"), precision("C.acc", "f16")};
  EXPECT_EQ(refusal(task_of("matmul:8x8x8", 10.0 / 2048), whole, true), "");
  const std::string tight = refusal(task_of("matmul:8x8x8", kTolerance), whole, true);
  EXPECT_NE(tight.find("a sum of 8 terms in f16 may be off by 0.00488"), std::string::npos) << tight;
  EXPECT_NE(tight.find("at most 0.004"), std::string::npos) << tight;
  Trace fragments;
  fragments.steps = whole;
  const auto drawn = lower::lower_kernel(task_of("matmul:8x8x8", 0.01), fragments, target::webgl_default());
  ASSERT_FALSE(drawn.ok());
  EXPECT_NE(drawn.error().message.find("target webgl has no arithmetic of f16"), std::string::npos);
}

}  // namespace
}  // namespace hone
