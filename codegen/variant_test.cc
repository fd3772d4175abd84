// Variants: programs that compute the same in another way, and when they are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/schedule/schedule.h"
#include "codegen/schedule/variant.h"
#include "codegen/schedule/winograd.h"
#include "codegen/te/ops/conv.h"

namespace hone {
namespace {

te::Task task_of(const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), cat(spec, ": ", task.ok() ? "" : task.error().message));
  return std::move(*task);
}

std::string reduction_of(const te::Task& task) {
  for (const te::Compute& c : task.program.computes)
    if (c.reduce) return c.name;
  return "";
}

Result<te::Task> varied(const te::Task& task, const std::string& name,
                        const target::Target& target = target::webgpu_default()) {
  return schedule::variant_of(task, reduction_of(task), name, target,
                              std::make_shared<ir::Arena>(task.program.arena.get()));
}

const char* const kMatching[] = {"conv:1x4x8x8,3x4x3x3,pad=1", "conv:2x3x7x5,5x3x3x3,pad=1", "conv:1x2x9x6,2x2x3x3",
                                 "conv:1x4x6x7,6x2x3x3,pad=1,groups=2"};

// Given the matrices of F(2, 3) and F(4, 3), when they compute a correlation of three taps with basis vectors, then each output is the product by
// hand.
TEST(Variant, MatricesComputeTheCorrelation) {
  for (int64_t outputs : {2, 4}) {
    const schedule::WinogradMatrices& m = schedule::winograd_matrices(outputs);
    for (int64_t i = 0; i < m.tile(); i++)
      for (int64_t tap = 0; tap < schedule::kWinogradTaps; tap++)
        for (int64_t y = 0; y < outputs; y++) {
          double sum = 0;
          for (size_t a = 0; a < m.b_t.size(); a++)
            sum +=
                m.a_t[static_cast<size_t>(y)][a] * m.g[a][static_cast<size_t>(tap)] * m.b_t[a][static_cast<size_t>(i)];
          EXPECT_NEAR(sum, i == y + tap ? 1 : 0, 1e-15) << "F(" << outputs << ",3)";
        }
  }
}

// Given windows of 3×3 with and without padding, batches, groups and rows that no tile divides, when their program is varied, then it is well
// formed and its exact result is that of the definition.
TEST(Variant, ComputesTheSame) {
  for (const char* spec : kMatching)
    for (const std::string& name : schedule::variant_names()) {
      const te::Task task = task_of(spec);
      const auto other = varied(task, name);
      ASSERT_TRUE(other.ok()) << spec << ": " << other.error().message;
      const Status verified = te::verify_te(other->program);
      ASSERT_TRUE(verified.ok()) << verified.error().message << "\n" << te::print_te(other->program);
      const Oracle oracle(task);
      const std::vector<double> got = te::evaluate(other->program, oracle.inputs)[0];
      ASSERT_EQ(got.size(), oracle.outputs[0].size());
      const bool exact = name == "winograd2";  // sixths are no f32
      for (size_t i = 0; i < got.size(); i++)
        ASSERT_NEAR(got[i], oracle.outputs[0][i], exact ? 1e-12 : 1e-6) << spec << " by " << name << ", element " << i;
    }
}

// The error in f32 of a task's stages one after the other, relative to the result's range.
double error_in_f32(const te::Task& task, const Oracle& oracle) {
  const auto kernel = lower::lower_kernel(task, {}, target::webgpu_default());
  CHECK(kernel.ok(), kernel.ok() ? "" : kernel.error().message);
  const auto got = outputs_of(task, oracle, *kernel);
  CHECK(got.ok(), got.ok() ? "" : got.error().message);
  double error = 0;
  for (size_t i = 0; i < got->size(); i++) error = std::max(error, std::abs((*got)[i] - oracle.outputs[0][i]));
  return error / oracle.range;
}

// Given random operands, when a variant's program runs in f32, then its error is at most half of what the variant claims.
TEST(Variant, ErrorIsWithinHalfTheBound) {
  for (const char* spec :
       {"conv:1x1x6x6,4x1x3x3,pad=1", "conv:1x8x6x6,2x8x3x3,pad=1", "conv:1x64x4x4,1x64x3x3,pad=1"}) {
    const te::Task task = task_of(spec);
    const Oracle oracle(task);
    for (const std::string& name : schedule::variant_names()) {
      te::Task loose = task;
      te::loosen(loose, 1e-3);
      const auto other = varied(loose, name);
      ASSERT_TRUE(other.ok()) << other.error().message;
      const double error = error_in_f32(*other, oracle),
                   bound = schedule::variant_error(name, task.accuracy.reduction_length);
      EXPECT_LE(error, bound / 2) << spec << " by " << name;
    }
  }
}

std::string refusal(const te::Task& task, const std::string& name,
                    const target::Target& target = target::webgpu_default()) {
  const auto other = varied(task, name, target);
  return other.ok() ? "" : other.error().message;
}

// Given windows of other strides, dilations, sizes and no further axis, when they are varied, then the refusal says what was found; a window of 3×3 is
// taken.
TEST(Variant, RefusesOtherPatterns) {
  EXPECT_EQ(refusal(task_of("conv:1x4x8x8,4x4x3x3,pad=1"), "winograd2"), "");
  const std::string indices =
      "'X.pad' is read at 0 indices of the form axis + tap with 3 taps, stride 1 and dilation 1; expected 2";
  for (const char* spec :
       {"conv:1x4x8x8,4x4x3x3,pad=1,stride=2", "conv:1x4x8x8,4x4x5x5,pad=1", "conv:1x4x8x8,4x4x3x3,pad=1,dilation=2"})
    EXPECT_EQ(refusal(task_of(spec), "winograd2"), indices) << spec;
  EXPECT_EQ(refusal(task_of("conv:1x4x8x8,4x1x3x3,pad=1,groups=4"), "winograd2"),
            "'Y' reduces over 2 axes; expected two taps and at least one more, which the products are summed over");
}

// Given a window whose weights arrive with each call, and one of whole numbers, when they are varied, then they are refused.
TEST(Variant, RefusesOtherOperands) {
  te::Task given = task_of("conv:1x4x8x8,4x4x3x3,pad=1");
  for (te::Arg& arg : given.args)
    if (arg.role == te::Role::kConstant) arg.role = te::Role::kActivation;
  EXPECT_EQ(refusal(given, "winograd2"),
            "neither operand of 'Y' is a constant, whose transform would be worth keeping");
  te::Builder b;
  const te::Tensor x = b.input("x", ir::DType::kI32, {1, 2, 6, 6}), w = b.input("w", ir::DType::kI32, {2, 2, 3, 3});
  b.output(*te::conv(b, x, w, {}));
  te::Task whole{.program = b.take(), .args = {{}, {te::Role::kConstant, {}, true}, {te::Role::kOutput, {}}}};
  te::finish_task(whole);
  EXPECT_EQ(refusal(whole, "winograd2"), "'Y' is not a sum of products of f32");
}

// Given a task that owes less than a variant's error, and a target on textures, when they are varied, then they are refused; with an error that one
// variant keeps, that one is taken.
TEST(Variant, RefusesWhatAccuracyAndTargetDoNotBear) {
  te::Task task = task_of("conv:1x4x8x8,4x4x3x3,pad=1");
  EXPECT_EQ(refusal(task, "winograd4"), "");
  task.accuracy = {.base = 2e-6, .per_sqrt_k = 0, .reduction_length = 36};
  EXPECT_EQ(refusal(task, "winograd2"), "");
  EXPECT_EQ(refusal(task, "winograd4"),
            "'winograd4' may be off by 0.000006, and the task owes an error of at most 0.000002");
  EXPECT_EQ(refusal(task, "winograd2", target::webgl_default()),
            "target webgl has no room for the tiles of 'winograd2' in one fragment; it needs buffers");
  EXPECT_EQ(refusal(task, "karatsuba"), "no variant is called 'karatsuba'; there are winograd2, winograd4");
}

// Given a variant's kernel and a direct one, when they are compiled, then only the launches that transform the constant run ahead.
TEST(Variant, TransformsConstantsAhead) {
  te::Task task = task_of("conv:1x4x8x8,4x4x3x3,pad=1");
  const schedule::Trace trace{.steps = {schedule::variant("Y", "winograd2")}};
  const auto ahead_of = [&](const schedule::Trace& t) {
    const auto source = compile_kernel(task, t, target::webgpu_default());
    CHECK(source.ok(), source.ok() ? "" : source.error().message);
    std::vector<bool> ahead;
    for (const emit::LaunchSource& launch : source->launches) ahead.push_back(launch.ahead);
    return ahead;
  };
  // X.pad, Y.d, Y.bd, Y.v, Y.g, Y.u, Y.m, Y.am, Y
  EXPECT_EQ(ahead_of(trace), (std::vector<bool>{false, false, false, false, true, true, false, false, false}));
  EXPECT_EQ(ahead_of({}), (std::vector<bool>{false, false}));
}

// Given a schedule with a step, when a variant follows, then it is refused; before the step it is taken, and the step finds the variant's stages.
TEST(Variant, ComesFirst) {
  const te::Task task = task_of("conv:1x4x8x8,4x4x3x3,pad=1");
  const target::Target device = target::webgpu_default();
  schedule::Trace late{.steps = {schedule::inline_stage("X.pad"), schedule::variant("Y", "winograd2")}};
  const auto refused = schedule::apply_trace(task, late, device);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "step 2 (variant Y): variant 'winograd2' follows other steps; it rewrites the program and comes first");
  schedule::Trace first{.steps = {schedule::variant("Y", "winograd2"), schedule::inline_stage("Y.d")}};
  const auto applied = schedule::apply_trace(task, first, device);
  ASSERT_TRUE(applied.ok()) << applied.error().message;
  EXPECT_GE((*applied)->find("Y.v"), 0);
  const auto read = schedule::trace_from_json(schedule::trace_to_json(first));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, first);
}

}  // namespace
}  // namespace hone
