#include "codegen/compile.h"

#include <gtest/gtest.h>

#include <array>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "codegen/ir/printer.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/movement.h"

namespace hone {
namespace {

using namespace schedule;

te::Task task_of(const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), task.ok() ? "" : task.error().message);
  return std::move(*task);
}

// Lowers under a trace, each pass verified; the interpreter's result is kept by the first pass, by flattening and by the last.
void expect_kept(const te::Task& task, const Trace& trace, const target::Target& target = target::webgpu_default()) {
  Oracle oracle(task);
  lower::PipelineOptions options;
  options.verify = true;
  options.observe = [&](std::string_view pass, const ir::Kernel& kernel) {
    if (pass != "build_loops" && pass != "split_launches" && pass != "reduce_index_strength") return;
    std::string wrong = difference(task, oracle, kernel);
    ASSERT_EQ(wrong, "") << task.name << " after " << pass << "\n"
                         << trace_to_json(trace) << "\n"
                         << ir::print(kernel).substr(0, 6000);
  };
  auto kernel = lower::lower_kernel(task, trace, target, options);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message << "\n" << trace_to_json(trace);
}

// Given operators of odd, small and degenerate sizes, when lowered by the schedule naive-v1, then every pass keeps the result.
TEST(Compile, BaselineKeepsResult) {
  for (const char* spec :
       {"matmul:5x7x3", "matmul:1x1x1", "matmul:2x9x8x4", "matmul:16x16x16", "conv:1x3x9x7,4x3x3x3,pad=1,stride=2",
        "conv:2x4x6x6,6x2x3x3,pad=1,stride=1,groups=2", "conv:1x8x5x5,8x1x3x3,pad=1,groups=8",
        "conv:1x4x8x8,4x4x3x3,pad=2,dilation=2", "conv:1x4x7x7,8x4x1x1,stride=2"}) {
    te::Task task = task_of(spec);
    SCOPED_TRACE(spec);
    expect_kept(task, baseline_trace(task, target::webgpu_default()).value());
  }
}

// The register tile of codegen.md G1 with other factors.
Trace register_tile(int64_t ty, int64_t tm, int64_t tn, int64_t tx) {
  Trace t;
  t.steps = {cache_write("C", "register"),
             split("C", "m", {ty, tm}),
             split("C", "n", {tn, tx, 4}),
             reorder("C", {"m.0", "n.0", "m.1", "n.2", "m.2", "n.1", "n.3"}),
             bind("C", "m.0", "block.y"),
             bind("C", "n.0", "block.x"),
             bind("C", "m.1", "thread.y"),
             bind("C", "n.2", "thread.x"),
             compute_at("C.acc", "C", "n.2"),
             split("C.acc", "k", {4}),
             reorder("C.acc", {"k.0", "k.1", "m", "n.0", "n.1"}),
             cache_read("A", "C.acc", "register", "A.r"),
             compute_at("A.r", "C.acc", "k.0"),
             vectorize("A.r", "k"),
             unroll("A.r", "m"),
             cache_read("B", "C.acc", "register", "B.r"),
             compute_at("B.r", "C.acc", "k.1"),
             vectorize("B.r", "n.1"),
             unroll("B.r", "n.0"),
             vectorize("C.acc", "n.1"),
             unroll("C.acc", "k.1"),
             unroll("C.acc", "m"),
             unroll("C.acc", "n.0"),
             vectorize("C", "n.3"),
             unroll("C", "m.2"),
             unroll("C", "n.1")};
  return t;
}

// Given extents that the factors do and do not divide (rows, columns, reduction), when tiled in registers, then the result is kept.
TEST(Compile, RegisterTileWithTails) {
  for (const char* spec :
       {"matmul:16x32x8", "matmul:13x32x8", "matmul:16x30x8", "matmul:16x32x7", "matmul:13x30x7", "matmul:1x3x1"}) {
    SCOPED_TRACE(spec);
    expect_kept(task_of(spec), register_tile(2, 3, 2, 2));
  }
}

// Operand tiles through workgroup memory, copied by all threads (the classic shared tile, and a race if a barrier were missing).
Trace workgroup_tile() {
  Trace t;
  t.steps = {cache_write("C", "register"),
             split("C", "m", {4, 2}),
             split("C", "n", {4, 2}),
             reorder("C", {"m.0", "n.0", "m.1", "n.1", "m.2", "n.2"}),
             bind("C", "m.0", "block.y"),
             bind("C", "n.0", "block.x"),
             bind("C", "m.1", "thread.y"),
             bind("C", "n.1", "thread.x"),
             compute_at("C.acc", "C", "n.1"),
             split("C.acc", "k", {8}),
             reorder("C.acc", {"k.0", "k.1", "m", "n"}),
             cache_read("A", "C.acc", "workgroup", "A.w"),
             compute_at("A.w", "C.acc", "k.0"),
             fuse("A.w", {"m", "k"}, "t"),
             split("A.w", "t", {16}),
             bind("A.w", "t.1", "thread"),
             cache_read("B", "C.acc", "workgroup", "B.w"),
             compute_at("B.w", "C.acc", "k.0"),
             fuse("B.w", {"k", "n"}, "t"),
             split("B.w", "t", {16}),
             bind("B.w", "t.1", "thread"),
             unroll("C.acc", "m"),
             unroll("C.acc", "n")};
  return t;
}

// Given a tile staged through workgroup memory, when extents divide and when they do not, then the result is kept and no race is found.
TEST(Compile, WorkgroupTile) {
  for (const char* spec : {"matmul:16x16x16", "matmul:13x11x10"}) {
    SCOPED_TRACE(spec);
    expect_kept(task_of(spec), workgroup_tile());
  }
}

Trace sliding_window(bool pad_launch, int64_t rows, const char* by) {
  Trace t;
  std::string x = "X";
  if (pad_launch) {
    t.steps = {
        reorder("X.pad", {"n", "h", "w", "c"}), fuse("X.pad", {"n", "h", "w", "c"}, "t"), split("X.pad", "t", {8, 4}),
        bind("X.pad", "t.0", "block.x"),        bind("X.pad", "t.1", "thread.x"),         vectorize("X.pad", "t.2")};
    x = "X.pad";
  } else {
    t.steps = {inline_stage("X.pad")};
  }
  std::vector<Step> rest = {cache_write("Y", "register"),
                            reorder("Y", {"n", "oh", "ow", "o"}),
                            fuse("Y", {"n", "oh", "ow"}, "m"),
                            split("Y", "m", {2, rows}),
                            split("Y", "o", {1, 2, 4}),
                            reorder("Y", {"m.0", "o.0", "m.1", "o.2", "m.2", "o.1", "o.3"}),
                            bind("Y", "m.0", "block.y"),
                            bind("Y", "o.0", "block.x"),
                            bind("Y", "m.1", "thread.y"),
                            bind("Y", "o.2", "thread.x"),
                            compute_at("Y.acc", "Y", "o.2"),
                            split("Y.acc", "c", {4}),
                            reorder("Y.acc", {"r", "s", "c.0", "c.1", "m", "o"}),
                            cache_read(x, "Y.acc", "register", "X.r", by),
                            compute_at("X.r", "Y.acc", "c.0"),
                            vectorize("X.r", "c"),
                            unroll("X.r", "m"),
                            cache_read("W", "Y.acc", "register", "W.r"),
                            compute_at("W.r", "Y.acc", "c.1"),
                            vectorize("W.r", "o"),
                            vectorize("Y.acc", "o"),
                            unroll("Y.acc", "c.1"),
                            unroll("Y.acc", "m"),
                            vectorize("Y", "o.3"),
                            unroll("Y", "m.2")};
  t.steps.insert(t.steps.end(), rest.begin(), rest.end());
  return t;
}

// Given a padded sliding window, channels last, when rows are fused and tiled with the padding inlined or as a launch, then it is kept.
TEST(Compile, SlidingWindow) {
  for (const char* spec :
       {"conv:1x8x6x8,8x8x3x3,pad=1,stride=1", "conv:2x4x7x5,12x4x3x3,pad=1,stride=2", "conv:1x6x5x5,5x6x3x3,pad=1"})
    for (bool pad_launch : {true, false})
      for (int64_t rows : {1, 3, 4}) {
        SCOPED_TRACE(std::string(spec) + (pad_launch ? " padded " : " masked ") + std::to_string(rows));
        expect_kept(task_of(spec), sliding_window(pad_launch, rows, "iter"));
      }
}

Trace texel_tile(int64_t m, int64_t n, int64_t targets) {
  Trace t;
  Step packed;
  packed.primitive = Primitive::kLayout;
  packed.stage = "C";
  packed.option = "1";
  packed.factors = {0, 1, targets, 0, targets, (m + targets - 1) / targets, 1, 4, n / 4, 1, 1, 4};
  t.steps = {cache_write("C", "register"),
             split("C", "m", {targets}),
             split("C", "n", {4}),
             reorder("C", {"m.0", "n.0", "m.1", "n.1"}),
             bind("C", "m.0", "texel.y"),
             bind("C", "n.0", "texel.x"),
             bind("C", "m.1", "target"),
             packed,
             compute_at("C.acc", "C", "n.0"),
             split("C.acc", "k", {4}),
             reorder("C.acc", {"k.0", "k.1", "m", "n"}),
             cache_read("A", "C.acc", "register", "A.r"),
             compute_at("A.r", "C.acc", "k.0"),
             vectorize("A.r", "k"),
             unroll("A.r", "m"),
             vectorize("C.acc", "n"),
             unroll("C.acc", "k.1"),
             unroll("C.acc", "m"),
             vectorize("C", "n.1")};
  return t;
}

Trace core_panels(int64_t n, int64_t k) {
  Trace t;
  Step panels;
  panels.primitive = Primitive::kLayout;
  panels.stage = "B";
  panels.factors = {1, 8, (n + 7) / 8, 0, 1, k, 1, 1, 8};
  t.steps = {cache_write("C", "register"),
             split("C", "m", {4}),
             split("C", "n", {2, 4}),
             reorder("C", {"n.0", "m.0", "m.1", "n.1", "n.2"}),
             fuse("C", {"n.0", "m.0"}, "p"),
             bind("C", "p", "core"),
             panels,
             compute_at("C.acc", "C", "p"),
             split("C.acc", "n", {4}),
             reorder("C.acc", {"k", "m", "n.0", "n.1"}),
             cache_read("B", "C.acc", "register", "B.r"),
             compute_at("B.r", "C.acc", "k"),
             split("B.r", "n", {4}),
             vectorize("B.r", "n.1"),
             unroll("B.r", "n.0"),
             vectorize("C.acc", "n.1"),
             unroll("C.acc", "m"),
             unroll("C.acc", "n.0"),
             vectorize("C", "n.2"),
             unroll("C", "m.1"),
             unroll("C", "n.1")};
  return t;
}

// Given the expression of the register tile, when scheduled as fragments with several render targets (G3) and as panels over cores (G4),
// with the packed layouts that those want, then the result is kept on these targets, too.
TEST(Compile, OtherTargetsFromTheSameExpression) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{16, 16, 16}, {8, 24, 12}, {12, 8, 20}}) {
    te::Task task = task_of(cat("matmul:", m, "x", n, "x", k));
    for (te::Arg& arg : task.args) arg.free = true;
    SCOPED_TRACE(task.name);
    expect_kept(task, texel_tile(m, n, 4), target::webgl_default());
    expect_kept(task, core_panels(n, k), target::wasm_default());
  }
}

// Given an argument whose layout the task fixes, when a trace lays it out, then the step is refused.
TEST(Compile, AFixedLayoutStays) {
  auto kernel = lower::lower_kernel(task_of("matmul:8x8x8"), core_panels(8, 8), target::wasm_default());
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().message, "step 7 (layout B): the layout of argument 'B' is fixed by the task");
}

// Given an illegal step, when the trace is applied, then the error names the step, what was found and what exists.
TEST(Compile, IllegalStepIsAValue) {
  te::Task task = task_of("matmul:8x8x8");
  Trace trace;
  trace.steps = {split("C", "q", {4})};
  auto source = compile_kernel(task, trace, target::webgpu_default());
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.error().code, ErrorCode::kIllegalSchedule);
  EXPECT_EQ(source.error().message, "step 1 (split C): stage 'C' has no loop 'q'; its loops are m, n, k");
  trace.steps = {split("C", "n", {4})};  // control: a legal step
  EXPECT_TRUE(compile_kernel(task, trace, target::webgpu_default()).ok());
}

// C: [m, n], 8×x threads of 4 rows by a vector; `how` says how a row's threads load 4 rows of A for 8 steps of k together.
Trace spread_tile(int64_t x, const std::vector<Step>& how) {
  Trace t;
  t.steps = {cache_write("C", "register"),
             split("C", "m", {8, 4}),
             split("C", "n", {x, 4}),
             reorder("C", {"m.0", "n.0", "m.1", "n.1", "m.2", "n.2"}),
             bind("C", "m.1", "thread.y"),
             bind("C", "n.1", "thread.x"),
             compute_at("C.acc", "C", "n.1"),
             split("C.acc", "k", {8}),
             reorder("C.acc", {"k.0", "k.1", "m", "n"})};
  t.steps.insert(t.steps.end(), how.begin(), how.end());
  t.steps.push_back(unroll("C.acc", "k.1"));
  t.steps.push_back(unroll("C.acc", "m"));
  return t;
}

// Given copies that are spread over lanes, when rows are as long as a subgroup or shorter, then the result is kept; where lanes lie in several
// subgroups, read different parts, or would look for an element in another lane than has it, then the schedule is illegal and says why.
TEST(Compile, CopiesAreSpreadOverLanesThatReadTheSame) {
  const auto read = cache_read("A", "C.acc", "lane", "A.l");
  const auto at = compute_at("A.l", "C.acc", "k.0");
  const auto lanes = [&](int64_t x) {
    return std::vector<Step>{read, at, fuse("A.l", {"m", "k"}, "t"), split("A.l", "t", {x}), bind("A.l", "t.1", "lane")};
  };
  target::Target target = target::webgpu_default();
  target.subgroup_size = 8;
  const te::Task task = task_of("matmul:40x36x16");
  for (int64_t x : {2, 4, 8}) expect_kept(task, spread_tile(x, lanes(x)), target);
  const auto refused = [&](const Trace& trace, const target::Target& on) {
    const auto kernel = lower::lower_kernel(task, trace, on);
    return kernel.ok() ? "" : kernel.error().message;
  };
  const auto has = [](const std::string& message, const char* part) { EXPECT_NE(message.find(part), std::string::npos) << message; };
  has(refused(spread_tile(8, lanes(8)), target::webgpu_default()), "has no scope 'lane'");
  has(refused(spread_tile(16, lanes(16)), target), "whole rows in a subgroup of 8");
  has(refused(spread_tile(8, {read, at}), target), "no loop of 8 iterations of stage 'A.l' is bound to lane");
  has(refused(spread_tile(8, {read, at, fuse("A.l", {"m", "k"}, "t"), split("A.l", "t", {4}), bind("A.l", "t.0", "lane")}), target),
      "does not run over neighbouring pieces");
  has(refused(spread_tile(8, {cache_read("B", "C.acc", "lane", "B.l"), compute_at("B.l", "C.acc", "k.0"), bind("B.l", "k", "lane")}), target),
      "read different parts");
}

// Given a sum whose last threads have nothing to store, when they would skip what lanes have from each other, then the schedule is illegal.
TEST(Compile, LanesDoNotSkipWhatOthersHave) {
  const auto spread = [](int64_t columns) {
    te::Builder b;
    const te::Tensor x = b.input("X", ir::DType::kF32, {8, columns}), y = b.input("Y", ir::DType::kF32, {8, 1});
    b.output(*te::elementwise(b, "sum", {te::Operand::of(x), te::Operand::of(y)},
                              [](const std::vector<te::Sym>& v) { return v[0] + v[1]; }));
    te::Task task;
    task.program = b.take();
    task.args = {{te::Role::kActivation, {}}, {te::Role::kActivation, {}}, {te::Role::kOutput, {}}};
    te::finish_task(task);
    return task;
  };
  target::Target target = target::webgpu_default();
  target.subgroup_size = 8;
  for (int64_t columns : {16, 12}) {
    const te::Task task = spread(columns);
    const te::Compute& sum = task.program.computes.back();
    const std::string m = sum.axes[0].name, n = sum.axes[1].name;
    Trace t;
    t.steps = {split(sum.name, n, {8}), reorder(sum.name, {n + ".0", n + ".1", m}), schedule::bind(sum.name, n + ".1", "thread.x"),
               cache_read("Y", sum.name, "lane", "Y.l"), compute_at("Y.l", sum.name, n + ".1"), schedule::bind("Y.l", m, "lane")};
    const auto kernel = lower::lower_kernel(task, t, target);
    EXPECT_EQ(kernel.ok() ? "" : kernel.error().message,
              columns == 16 ? "" : cat("some threads skip what stage '", sum.name, "' has from other lanes; let its loops divide their extents"));
    if (columns == 16) expect_kept(task, t, target);
  }
}

// Given an index into a tensor of one row, which nobody has to read, when compiled for textures, then no layout is asked for it: the device would
// have to make a buffer that no launch binds.
TEST(Compile, AnArgumentThatNobodyReadsHasNoLayout) {
  te::Builder b;
  const te::Tensor table = b.input("table", ir::DType::kF32, {1, 40}), at = b.input("at", ir::DType::kI32, {5});
  const std::vector<te::Axis> axes = b.axes({"i", "j"}, {5, 40});
  const te::Sym row = te::max(te::min(te::cast(ir::DType::kIndex, b.at(at, {b.sym(axes[0])})), 0.0), 0.0);
  b.output(b.map("gather", axes, b.at(table, {row, b.sym(axes[1])})));
  te::Task task;
  task.program = b.take();
  task.args = {{te::Role::kActivation, {}, true}, {te::Role::kActivation, {}, true}, {te::Role::kOutput, {}, true}};
  te::finish_task(task);
  const target::Target target = target::webgl_default();
  const auto source = compile_kernel(task, baseline_trace(task, target).value(), target);
  ASSERT_TRUE(source.ok()) << source.error().message;
  for (const emit::ArgLayout& wanted : source->layouts) EXPECT_NE(wanted.position, 1);
  for (const emit::LaunchSource& launch : source->launches)
    for (const emit::Binding& binding : launch.bindings) EXPECT_NE(binding.position, 1);
}

// Given an output of extent 0, when compiled, then there is nothing to launch.
TEST(Compile, EmptyOutput) {
  te::Task task = task_of("matmul:0x4x4");
  auto source = compile_kernel(task, baseline_trace(task, target::webgpu_default()).value(), target::webgpu_default());
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_TRUE(source->launches.empty());
}

// Given sums of no terms, when compiled for each target, then the results are zeros and no launch reads the operands.
TEST(Compile, EmptySum) {
  const te::Task task = task_of("matmul:3x5x0");
  for (const target::Target& target : {target::webgpu_default(), target::wasm_default()}) {
    const Trace trace = baseline_trace(task, target).value();
    expect_kept(task, trace, target);
    const auto source = compile_kernel(task, trace, target);
    ASSERT_TRUE(source.ok()) << source.error().message;
    ASSERT_EQ(source->launches.size(), 1u);
    EXPECT_EQ(source->launches[0].bindings.size(), 1u);
  }
}

// Given two outputs of which one has no elements, when compiled, then there is one launch, which touches the other.
TEST(Compile, EmptyPart) {
  te::Builder b;
  const te::Tensor x = b.input("X", ir::DType::kF32, {3, 4});
  b.output(te::slice(b, x, {{0, 4}, {1, 1}, {3, 0}}));
  b.output(te::slice(b, x, {{0, 0}, {1, 1}, {3, 4}}));
  te::Task task;
  task.program = b.take();
  task.args = {{te::Role::kActivation, {}}, {te::Role::kOutput, {}}, {te::Role::kOutput, {}}};
  te::finish_task(task);
  const auto source = compile_kernel(task, baseline_trace(task, target::wasm_default()).value(), target::wasm_default());
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ(source->launches.size(), 1u);
  EXPECT_EQ(source->launches[0].bindings.back().position, 2);
}

// Given a border that repeats the edge, when compiled, then the clamp of an index that may be negative is signed: unsigned, −1 would become
// the last element; a clamp of what is never negative stays unsigned.
TEST(Compile, ClampOfNegativeIndexIsSigned) {
  for (const int64_t begin : {0, 2}) {
    te::Builder b;
    const te::Tensor x = b.input("X", ir::DType::kF32, {4});
    const auto y = te::pad(b, x, {{begin}, {3}, te::Border::kEdge});
    ASSERT_TRUE(y.ok());
    b.output(*y);
    te::Task task;
    task.program = b.take();
    task.args = {{te::Role::kActivation, {}}, {te::Role::kOutput, {}}};
    te::finish_task(task);
    const target::Target target = target::webgpu_default();
    const auto source = compile_kernel(task, baseline_trace(task, target).value(), target);
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_EQ(source->launches[0].code.find("min(i32(") != std::string::npos || source->launches[0].code.find("max(i32(") != std::string::npos, begin > 0)
        << source->launches[0].code;
  }
}

// Given a lowering, when each pass is timed, then each is told once; when it is cancelled after the third, then nothing more runs.
TEST(Compile, PassesAreTimedAndCanBeCancelled) {
  const te::Task task = task_of("matmul:8x8x8");
  const target::Target target = target::webgpu_default();
  std::vector<std::string> passes;
  lower::PipelineOptions options;
  double now_ms = 0;
  options.now_ms = [&] { return now_ms += 1; };
  options.time = [&](std::string_view pass, double ms) {
    passes.emplace_back(pass);
    EXPECT_EQ(ms, 1);
  };
  ASSERT_TRUE(lower::lower_kernel(task, baseline_trace(task, target).value(), target, options).ok());
  EXPECT_EQ(passes.size(), 9u);
  EXPECT_EQ(passes.front(), "build_loops");
  passes.clear();
  options.cancelled = [&] { return passes.size() == 3; };
  const auto stopped = lower::lower_kernel(task, baseline_trace(task, target).value(), target, options);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(passes.size(), 3u);
}

TEST(Baseline, WhatTheDeviceDoesNotHoldIsRefusedInOneSentence) {
  // Given a result that no texture of the device holds, and a device of seven threads, when the plain schedule is asked for, then the answer
  // is an error, here or from the compiler; a result that fits has a schedule.
  const auto refusal = [](const char* spec, const target::Target& target) {
    const auto trace = baseline_trace(task_of(spec), target);
    return trace.ok() ? Error{ErrorCode::kOk, "a schedule"} : trace.error();
  };
  const target::Target webgl = target::webgl_default();
  const Error wide = refusal("matmul:16384x8192x1", webgl);
  EXPECT_EQ(wide.code, ErrorCode::kLimitExceeded);
  EXPECT_NE(wide.message.find("the device's are at most 2048x2048"), std::string::npos) << wide.message;
  EXPECT_EQ(refusal("matmul:64x64x4", webgl).message, "a schedule");
  target::Target tiny = target::webgpu_default();
  tiny.limits.invocations_max = tiny.limits.workgroup_size_x_max = 7;
  const te::Task task = task_of("matmul:64x64x4");
  const auto trace = baseline_trace(task, tiny);
  EXPECT_FALSE(trace.ok() && compile_kernel(task, *trace, tiny).ok());
}

// Given nested choices by what values are, each of which reads its input again, when guarded splits let the loads overshoot, then no load's mask holds
// such a choice, which would grow without bound, and the result is kept.
TEST(Compile, ChoicesByValuesMaskNoLoads) {
  te::Builder b;
  const te::Tensor x = b.input("X", ir::DType::kF32, {13});
  b.output(te::unary(b, "Y", x, [](te::Sym v) {
    for (int i = 0; i < 3; i++) v = te::select(v < 0.5, v * v, te::select(0.75 < v, v - 0.25, v));
    return v;
  }));
  te::Task task;
  task.program = b.take();
  task.args = {{te::Role::kActivation, {}}, {te::Role::kOutput, {}}};
  te::finish_task(task);
  Trace trace;
  trace.steps = {split("Y", "i", {4}, "guard"), split("Y", "i.0", {3}, "guard"), unroll("Y", "i.0.0"), bind("Y", "i.1", "block.x")};
  expect_kept(task, trace);
  const auto kernel = lower::lower_to_loops(task, trace, target::webgpu_default());
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const std::string text = ir::print(*kernel);
  EXPECT_EQ(text.find("X[i.1 * 4 + i.0.1 if"), std::string::npos) << text.substr(0, 2000);
  EXPECT_LT(text.size(), 1u << 20);
}

}  // namespace
}  // namespace hone
