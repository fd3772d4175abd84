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

namespace hone {
namespace {

te::Task task_of(const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), cat(spec, ": ", task.ok() ? "" : task.error().message));
  return std::move(*task);
}

Result<te::Task> varied(const te::Task& task, const std::string& name,
                        const target::Target& target = target::webgpu_default()) {
  return schedule::variant_of(task, "Y", name, target);
}

const char* const kMatching[] = {"conv:1x4x8x8,3x4x3x3,pad=1",
                                 "conv:2x3x7x5,5x3x3x3,pad=1",
                                 "conv:1x2x9x6,2x2x3x3",
                                 "conv:1x4x6x7,6x2x3x3,pad=1,groups=2",
                                 "conv:1x4x6x7,2x2x3x3,pad=1,groups=2",
                                 "conv:1x2x4x6x5,3x2x2x3x3,pad=1",
                                 "conv:1x2x7x5x6,3x2x3x3x3,stride=2x1x1",
                                 "conv:1x3x4x6x5,6x1x2x3x3,pad=1,groups=3"};
const char* const kNames[] = {"winograd2", "winograd4"};

// Given windows of 3×3 with and without padding, batches, groups, rows that no tile divides and a third dimension, when their program is varied, then it is well
// formed and its exact result is that of the definition.
TEST(Variant, ComputesTheSame) {
  for (const char* spec : kMatching)
    for (const std::string name : kNames) {
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

double error_bound(const te::Task& task, const std::string& name) {
  for (const te::Alternative& a : task.alternatives)
    if (a.name == name) return a.error;
  return 0;
}

// Given random operands, when a variant's program runs in f32, then its error is at most half of what the variant claims.
TEST(Variant, ErrorIsWithinHalfTheBound) {
  for (const char* spec :
       {"conv:1x1x6x6,4x1x3x3,pad=1", "conv:1x8x6x6,2x8x3x3,pad=1", "conv:1x64x4x4,1x64x3x3,pad=1"}) {
    const te::Task task = task_of(spec);
    const Oracle oracle(task);
    for (const std::string name : kNames) {
      te::Task loose = task;
      te::loosen(loose, 1e-3);
      const auto other = varied(loose, name);
      ASSERT_TRUE(other.ok()) << other.error().message;
      EXPECT_LE(error_in_f32(*other, oracle), error_bound(task, name) / 2) << spec << " by " << name;
    }
  }
}

std::string refusal(const te::Task& task, const std::string& name,
                    const target::Target& target = target::webgpu_default()) {
  const auto other = varied(task, name, target);
  return other.ok() ? "" : other.error().message;
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
}

// Given a task and a name, or a stage, that none of its programs has, and a task with no other program, when they are varied, then the refusal says
// what there is.
TEST(Variant, RefusesWhatTheTaskDoesNotCarry) {
  const te::Task task = task_of("conv:1x4x8x8,4x4x3x3,pad=1"), product = task_of("matmul:4x4x4");
  EXPECT_EQ(refusal(task, "karatsuba"),
            "the task has no program 'karatsuba' of 'Y'; it has 'winograd2' of 'Y', 'winograd4' of 'Y'");
  const auto elsewhere = schedule::variant_of(task, "X.pad", "winograd2", target::webgpu_default());
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_EQ(elsewhere.error().message,
            "the task has no program 'winograd2' of 'X.pad'; it has 'winograd2' of 'Y', 'winograd4' of 'Y'");
  EXPECT_EQ(refusal(product, "winograd2"), "the task has no program 'winograd2' of 'Y'; it has none but its own");
}

// Given a task with other programs, when it loses them, then it is the same task by its id and its text, and so is the one that schedules another.
TEST(Variant, IsNoPartOfTheId) {
  te::Task task = task_of("conv:1x4x8x8,4x4x3x3,pad=1"), bare = task;
  bare.alternatives.clear();
  te::finish_task(bare);
  EXPECT_EQ(bare.id, task.id);
  EXPECT_EQ(te::canonical_text(bare), te::canonical_text(task));
  EXPECT_EQ(varied(task, "winograd2")->id, task.id);
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
            "step 2 (variant Y): variant 'winograd2' follows other steps; it chooses the program and comes first");
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
