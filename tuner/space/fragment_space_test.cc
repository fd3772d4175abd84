// The space of targets on textures.
#include <gtest/gtest.h>

#include "base/cat.h"
#include "base/rng.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/tuple_tasks.h"
#include "tuner/space/space.h"

namespace hone::tuner {
namespace {

te::Task task_of(const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  EXPECT_TRUE(task.ok()) << task.error().message;
  return std::move(*task);
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) found++;
  return found;
}

// Given a product, when the choice of 4 rows and 2 texels is compiled, then a fragment has eight outputs, and a step of four reads 4 + 8
// texels for 32 multiply-adds: the fastest form known.
TEST(FragmentSpace, HasTheTileOfEightTargets) {
  const te::Task task = task_of("matmul:512x512x512");
  const auto space = Space::derive(task, target::webgl_default());
  ASSERT_TRUE(space.ok());
  const auto trace = space->trace(space->assignment(
      {{"rows", 4}, {"lanes", 2}, {"k.lanes", 4}, {"operand0", 1}, {"operand1", 1}, {"k.slices", 1}, {"reads", 1}}));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const auto source = compile_kernel(task, *trace, target::webgl_default());
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ(source->launches.size(), 1u);
  const std::string& code = source->launches[0].code;
  EXPECT_EQ(count(code, "layout(location = "), 8);
  EXPECT_EQ(count(code, "texelFetch("), 12);
  EXPECT_EQ(count(code, ") + C_acc_"), 32);
  EXPECT_EQ(count(code, " / ") + count(code, " % "), 0);
}

// Given the same product, when the choice of a square is compiled, then a fragment reads one texel of each operand for two steps of four elements each: the
// form that peers use for textures of 2×2.
TEST(FragmentSpace, HasTheSquaresOfPeers) {
  const te::Task task = task_of("matmul:512x512x512");
  const auto space = Space::derive(task, target::webgl_default());
  ASSERT_TRUE(space.ok());
  const auto trace =
      space->trace(space->assignment({{"rows", 1}, {"lanes", 1}, {"k.lanes", 2}, {"texels", 1}, {"reads", 1}}));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const auto source = compile_kernel(task, *trace, target::webgl_default());
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ(source->launches.size(), 1u);
  EXPECT_EQ(source->launches[0].grid, (ir::Dims{256, 256, 1}));
  EXPECT_EQ(source->layouts.size(), 3u);
  EXPECT_EQ(count(source->launches[0].code, "texelFetch("), 2) << source->launches[0].code;
}

// Given squares of a product and a convolution, when samples of them are lowered, then the interpreter finds the definition's results.
TEST(FragmentSpace, SquaresKeepTheResult) {
  for (const char* spec : {"matmul:9x10x7", "matmul:16x16x16", "matmul:2x5x5", "conv:1x5x7x6,6x5x3x3,pad=1"}) {
    const te::Task task = task_of(spec);
    const Oracle oracle(task);
    const auto space = Space::derive(task, target::webgl_default());
    ASSERT_TRUE(space.ok());
    for (int64_t rows : {1, 2, 4})
      for (int64_t lanes : {1, 2})
        for (int64_t steps : {1, 2, 4}) {
          const auto trace =
              space->trace(space->assignment({{"rows", rows}, {"lanes", lanes}, {"k.lanes", steps}, {"texels", 1}}));
          ASSERT_TRUE(trace.ok()) << spec << ": " << trace.error().message;
          const auto kernel = lower::lower_kernel(task, *trace, target::webgl_default(), {});
          ASSERT_TRUE(kernel.ok()) << spec << ", " << trace->sketch << ": " << kernel.error().message;
          EXPECT_EQ(difference(task, oracle, *kernel), "") << spec << ", " << trace->sketch;
          EXPECT_TRUE(compile_kernel(task, *trace, target::webgl_default()).ok()) << spec << ", " << trace->sketch;
        }
  }
}

// Given a reduction of pairs whose slices are squares, when it is lowered, then both parts of the pairs lie in squares.
TEST(FragmentSpace, SquaresOfPairs) {
  te::Builder b;
  const auto best = te::arg_extreme(b, b.input("X", kF32, {2, 2, 38}), {.axis = 2});
  ASSERT_TRUE(best.ok());
  const te::Task task = finished_task(b, *best);
  const Oracle oracle(task);
  const auto space = Space::derive(task, target::webgl_default());
  ASSERT_TRUE(space.ok());
  const auto trace = space->trace(space->assignment({{"rows", 1}, {"lanes", 1}, {"k.lanes", 2}, {"k.slices", 4}, {"texels", 1}}));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const auto kernel = lower::lower_kernel(task, *trace, target::webgl_default(), {});
  ASSERT_TRUE(kernel.ok()) << trace->sketch << ": " << kernel.error().message;
  ASSERT_EQ(kernel->temps.size(), 2u);
  EXPECT_EQ(kernel->temps[0]->shape, kernel->temps[1]->shape);
  EXPECT_EQ(difference(task, oracle, *kernel), "") << trace->sketch;
}

// Given a product that may err by 0.004, when its slices are kept as f16, then the parts lie in a texture of halves.
TEST(FragmentSpace, SlicesMayBeHalves) {
  te::Task task = task_of("matmul:16x64x512");
  te::loosen(task, 4e-3);
  const auto space = Space::derive(task, target::webgl_default());
  ASSERT_TRUE(space.ok());
  const auto trace =
      space->trace(space->assignment({{"rows", 4}, {"lanes", 1}, {"k.lanes", 4}, {"k.slices", 4}, {"storage", 1}}));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const auto source = compile_kernel(task, *trace, target::webgl_default());
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ(source->launches.size(), 2u);
  EXPECT_EQ(source->launches[0].bindings.back().element, "f16vec4");
}

// Given slices of the reduction, when a schedule with them is compiled, then a second draw joins them.
TEST(FragmentSpace, SlicesAreJoinedByASecondDraw) {
  const te::Task task = task_of("matmul:16x64x512");
  const auto space = Space::derive(task, target::webgl_default());
  ASSERT_TRUE(space.ok());
  const auto trace = space->trace(space->assignment({{"rows", 4}, {"lanes", 1}, {"k.lanes", 4}, {"k.slices", 4}}));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const auto source = compile_kernel(task, *trace, target::webgl_default());
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ(source->launches.size(), 2u);
  EXPECT_EQ(source->temps.size(), 1u);
}

// Given a sum over four axes, whose windows may all be unrolled around the innermost one, when samples become shaders, then none holds more
// copies of that loop than a driver compiles.
TEST(FragmentSpace, FewCopiesOfALoop) {
  te::Builder b;
  const te::Tensor x = b.input("X", ir::DType::kF32, {16, 7, 3, 3, 2});
  const te::Axis d = b.axis("d", 3), n = b.axis("rn", 16), c = b.axis("rc", 7), h = b.axis("rh", 3),
                 w = b.axis("rw", 2);
  const te::Sym element = b.at(x, {b.sym(n), b.sym(c), b.sym(d), b.sym(h), b.sym(w)});
  const te::Task task = finished_task(b, b.reduce("Y", {d}, {n, c, h, w}, te::Fold::kSum, element));
  const auto space = Space::derive(task, target::webgl_default());
  ASSERT_TRUE(space.ok()) << space.error().message;
  Rng rng(3);
  int legal = 0, refused = 0;
  for (int i = 0; i < 64; i++) {
    const auto trace = space->trace(space->sample(rng));
    refused += !trace.ok() && trace.error().message.find("copied_loops") != std::string::npos;
    if (!trace.ok()) continue;
    const auto source = compile_kernel(task, *trace, target::webgl_default());
    ASSERT_TRUE(source.ok()) << trace->sketch << ": " << source.error().message;
    for (const emit::LaunchSource& launch : source->launches)
      EXPECT_LE(count(launch.code, "for (int"), 128) << trace->sketch;
    legal++;
  }
  EXPECT_GT(legal, 0);
  EXPECT_GT(refused, 0);
}

// Given products and convolutions with extents that nothing divides, when samples of their spaces are lowered, then the interpreter finds the
// definition's results, and every sample becomes a shader.
TEST(FragmentSpace, SamplesKeepTheResult) {
  for (const char* spec : {"matmul:9x10x7", "matmul:16x16x16", "conv:1x5x7x6,6x5x3x3,pad=1",
                           "conv:1x8x9x9,8x1x3x3,pad=1,groups=8,stride=2"}) {
    const te::Task task = task_of(spec);
    const Oracle oracle(task);
    const auto space = Space::derive(task, target::webgl_default());
    ASSERT_TRUE(space.ok());
    Rng rng(7);
    for (int i = 0; i < 12; i++) {
      const auto trace = space->trace(space->sample(rng));
      if (!trace.ok()) continue;
      const auto kernel = lower::lower_kernel(task, *trace, target::webgl_default(), {});
      ASSERT_TRUE(kernel.ok()) << spec << ", " << trace->sketch << ": " << kernel.error().message;
      EXPECT_EQ(difference(task, oracle, *kernel), "") << spec << ", " << trace->sketch;
      const auto source = compile_kernel(task, *trace, target::webgl_default());
      EXPECT_TRUE(source.ok()) << spec << ", " << trace->sketch << ": " << source.error().message;
    }
  }
}

// Given a device whose fragments write four texels, when seeds and samples of its spaces become shaders, then none writes more, some write four, and
// the interpreter finds the definition's results.
TEST(FragmentSpace, FourTargetsAreEnough) {
  target::Target four = target::webgl_default();
  four.limits.render_targets_max = 4;
  int widest = 0;
  for (const char* spec : {"matmul:16x16x64", "matmul:9x10x7", "conv:1x8x9x9,8x8x3x3,pad=1"}) {
    const te::Task task = task_of(spec);
    const Oracle oracle(task);
    const auto space = Space::derive(task, four);
    ASSERT_TRUE(space.ok());
    std::vector<schedule::Trace> traces = space->seeds();
    EXPECT_GE(traces.size(), 3u) << spec;
    Rng rng(5);
    for (int i = 0; i < 8; i++)
      if (auto sample = space->trace(space->sample(rng)); sample.ok()) traces.push_back(std::move(*sample));
    for (const schedule::Trace& trace : traces) {
      const auto kernel = lower::lower_kernel(task, trace, four, {});
      ASSERT_TRUE(kernel.ok()) << spec << ", " << trace.sketch << ": " << kernel.error().message;
      EXPECT_EQ(difference(task, oracle, *kernel), "") << spec << ", " << trace.sketch;
      const auto source = compile_kernel(task, trace, four);
      ASSERT_TRUE(source.ok()) << spec << ", " << trace.sketch << ": " << source.error().message;
      for (const emit::LaunchSource& launch : source->launches)
        widest = std::max(widest, count(launch.code, "layout(location = "));
    }
  }
  EXPECT_EQ(widest, 4);
}

}  // namespace
}  // namespace hone::tuner
