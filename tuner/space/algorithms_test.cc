// Variants of a task's program as choices of its space.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/launches_ahead.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/matrix.h"
#include "tuner/space/space.h"

namespace hone::tuner {
namespace {

te::Task from_spec(const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), task.ok() ? "" : task.error().message);
  return std::move(*task);
}

// A window over channels with a bias behind it, and a clamp, or a product with its own sigmoid.
te::Task with_epilogue(const ir::Shape& x_shape, int64_t outputs, bool channels_last, bool own_sigmoid = false) {
  te::Builder b;
  const te::Tensor x = b.input("x", ir::DType::kF32, x_shape),
                   w = b.input("w", ir::DType::kF32, {outputs, x_shape[1], 3, 3}, true),
                   bias = b.input("bias", ir::DType::kF32, {outputs}, true);
  te::ConvParams params;
  params.window = {.pad_begin = {1, 1}, .pad_end = {1, 1}};
  const te::Tensor y = *te::add_channel_bias(b, *te::conv(b, x, w, params), bias);
  const te::Tensor gate = te::unary(b, "gate", y, [&](te::Sym v) {
    return own_sigmoid ? 1.0 / (1.0 + te::call(ir::Intrinsic::kExp, -v)) : te::max(v, 0.0);
  });
  b.output(own_sigmoid ? *te::elementwise(b, "swish", {te::Operand::of(y), te::Operand::of(gate)},
                                          [](const std::vector<te::Sym>& v) { return v[0] * v[1]; })
                       : gate);
  te::Task task{.name = "window with epilogue"};
  task.alternatives = b.alternatives();
  task.program = b.take();
  const auto layout = [&](const ir::Shape& shape) {
    return channels_last ? ir::permuted_layout(shape, {0, 2, 3, 1}) : ir::Layout{};
  };
  task.args = {{te::Role::kActivation, layout(x->shape)},
               {te::Role::kConstant, {}, true},
               {te::Role::kConstant, {}, true},
               {te::Role::kOutput, layout(task.program.outputs[0]->shape)}};
  te::finish_task(task);
  return task;
}

std::vector<te::Task> windows() {
  std::vector<te::Task> tasks;
  for (const char* spec : {"conv:1x4x8x8,8x4x3x3,pad=1", "conv:2x3x7x5,5x3x3x3", "conv:1x8x6x9,4x4x3x3,pad=1,groups=2"})
    tasks.push_back(from_spec(spec));
  tasks.push_back(with_epilogue({2, 4, 7, 6}, 8, true));
  tasks.push_back(with_epilogue({1, 3, 6, 6}, 4, false));
  tasks.push_back(with_epilogue({1, 4, 6, 5}, 4, true, true));
  return tasks;
}

std::vector<target::Target> targets() {
  return {target::webgpu_default(), target::wasm_default(), target::native_target(8, 16), target::opencl_target(16)};
}

// A sample of that algorithm.
Assignment sample_of(const Space& space, const std::string& algorithm, Rng& rng) {
  for (;;) {
    Assignment a = space.sample(rng);
    if (cat(" ", space.text(a), " ").find(cat(" algorithm=", algorithm, " ")) != std::string::npos) return a;
  }
}

// Given windows with and without padding, batches, groups, epilogues, of extents that no tile divides, when schedules of every algorithm are drawn, then
// their kernels compute what the task says.
TEST(Algorithms, KeepTheResult) {
  for (const te::Task& task : windows()) {
    const Oracle oracle(task);
    for (const target::Target& target : targets()) {
      const auto space = Space::derive(task, target);
      ASSERT_TRUE(space.ok()) << space.error().message;
      Rng rng(1);
      int right = 0, pruned = 0;
      for (const std::string name : {"winograd2", "winograd4"})
        for (int i = 0; i < 6; ++i) {
          const auto trace = space->trace(sample_of(*space, name, rng));
          if (!trace.ok() && ++pruned) continue;
          const auto kernel = lower::lower_kernel(task, *trace, target, {.verify = true});
          ASSERT_TRUE(kernel.ok()) << task.name << ": " << trace->sketch << ": " << kernel.error().message;
          ASSERT_EQ(difference(task, oracle, *kernel), "") << task.name << ": " << schedule::trace_to_json(*trace);
          ++right;
        }
      EXPECT_GT(right, pruned) << task.name << " on " << target::kind_name(target.kind);
    }
  }
}

// A product with a clamp behind it, which may add up the halves of its sums apart.
te::Task product_in_halves(int64_t m, int64_t n, int64_t half) {
  te::Builder b;
  const te::Tensor x = b.input("x", ir::DType::kF32, {m, 2 * half}),
                   w = b.input("w", ir::DType::kF32, {2 * half, n}, true);
  const te::Tensor y = *te::matmul(b, x, w);
  b.offer(y, "halves", 0, [=](te::Builder& in_place) {
    const std::vector<te::Axis> axes = in_place.axes({"h", "m", "n"}, {2, m, n}),
                                own = in_place.axes({"m", "n"}, {m, n});
    const te::Axis k = in_place.axis("k", half);
    const std::vector<te::Sym> at = in_place.syms(axes), out = in_place.syms(own);
    const te::Sym place = at[0] * static_cast<double>(half) + in_place.sym(k);
    const te::Sym left = in_place.at(x, {at[1], place}), right = in_place.at(w, {place, at[2]});
    const te::Tensor parts = in_place.reduce("Y.h", axes, {k}, te::Fold::kSum, left * right);
    const te::Sym first = in_place.at(parts, {in_place.index(0), out[0], out[1]});
    return in_place.map("Y", own, first + in_place.at(parts, {in_place.index(1), out[0], out[1]}));
  });
  b.output(te::unary(b, "clamp", y, [](te::Sym v) { return te::max(v, 0.0); }));
  te::Task task{.name = "product in halves"};
  task.alternatives = b.alternatives();
  task.program = b.take();
  task.args = {{te::Role::kActivation, {}}, {te::Role::kConstant, {}, true}, {te::Role::kOutput, {}}};
  te::finish_task(task);
  return task;
}

// Given products that may be computed in halves, of extents that tiles divide and do not, when schedules of that form are drawn, then their kernels
// compute what the task says, for each target.
TEST(Algorithms, AreWhateverTheTaskCarries) {
  for (const te::Task& task : {product_in_halves(8, 16, 12), product_in_halves(5, 7, 9)}) {
    const Oracle oracle(task);
    for (const target::Target& target : targets()) {
      const auto space = Space::derive(task, target);
      ASSERT_TRUE(space.ok()) << space.error().message;
      ASSERT_EQ(space->algorithms(), 2u);
      Rng rng(8);
      int right = 0;
      for (int i = 0; i < 12; ++i) {
        const auto trace = space->trace(sample_of(*space, "halves", rng));
        if (!trace.ok()) continue;
        const auto kernel = lower::lower_kernel(task, *trace, target, {.verify = true});
        ASSERT_TRUE(kernel.ok()) << trace->sketch << ": " << kernel.error().message;
        ASSERT_EQ(difference(task, oracle, *kernel), "") << schedule::trace_to_json(*trace);
        ++right;
      }
      EXPECT_GT(right, 0) << target::kind_name(target.kind);
    }
  }
}

// Given a window whose result is multiplied by its own sigmoid, when it is transformed, then all that follows the products is one launch.
TEST(Algorithms, KeepTheEpilogueInOneLaunch) {
  const te::Task task = with_epilogue({1, 4, 8, 8}, 8, true, true);
  const auto space = Space::derive(task, target::webgpu_default());
  Rng rng(6);
  const auto trace = space->trace(sample_of(*space, "winograd2", rng));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const auto kernel = lower::lower_kernel(task, *trace, target::webgpu_default());
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_EQ(kernel->launches.size(), 4u);  // the data, the taps, their products, the result
}

// Given a window whose result forks into a product with its own sigmoid, when it is computed directly with its padding where it is read, then all of it
// is one launch.
TEST(Algorithms, AForkThatClosesIsAnEpilogue) {
  const te::Task task = with_epilogue({1, 4, 8, 8}, 8, true, true);
  const auto space = Space::derive(task, target::webgpu_default());
  Rng rng(6);
  int tried = 0;
  for (int i = 0; i < 200; ++i) {
    const Assignment a = sample_of(*space, "direct", rng);
    const std::string words = cat(" ", space->text(a), " ");
    const auto trace = space->trace(a);
    if (!trace.ok() || words.find("producer0.place=inline") == std::string::npos ||
        words.find("k.slices=") != std::string::npos)
      continue;
    const auto kernel = lower::lower_kernel(task, *trace, target::webgpu_default());
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    EXPECT_EQ(kernel->launches.size(), 1u) << words;
    ++tried;
  }
  EXPECT_GT(tried, 0);
}

// Given schedules of each algorithm, and mutations of them, when their traces' words are read, then they are the same schedules.
TEST(Algorithms, AreWordsOfTheTrace) {
  const te::Task task = from_spec("conv:1x8x12x12,16x8x3x3,pad=1");
  const auto space = Space::derive(task, target::webgpu_default());
  Rng rng(2);
  for (const char* name : {"direct", "winograd2", "winograd4"})
    for (int i = 0; i < 20; ++i) {
      const Assignment a = sample_of(*space, name, rng);
      for (Assignment b : {a, space->mutate(a, rng)}) {
        const auto trace = space->trace(b);
        if (trace.ok()) { EXPECT_EQ(space->parse(*trace), b) << trace->sketch; }
      }
    }
}

// Given a trace from before there were algorithms, when its words are read, then it is a direct one.
TEST(Algorithms, ReadOlderWords) {
  const te::Task task = from_spec("conv:1x8x12x12,16x8x3x3,pad=1");
  const auto space = Space::derive(task, target::webgpu_default());
  schedule::Trace trace = space->seeds()[0];
  const std::string word = " algorithm=direct";
  ASSERT_TRUE(trace.sketch.ends_with(word)) << trace.sketch;
  const auto now = space->parse(trace);
  trace.sketch.resize(trace.sketch.size() - word.size());
  EXPECT_TRUE(now);
  EXPECT_EQ(space->parse(trace), now);
}

// Given an assignment in which two algorithms' decisions were mixed, when it is repaired, then what is not chosen is at its first value.
TEST(Algorithms, OthersAreAtTheirFirstValue) {
  const te::Task task = from_spec("conv:1x8x12x12,16x8x3x3,pad=1");
  const auto space = Space::derive(task, target::webgpu_default());
  Rng rng(3);
  const Assignment direct = sample_of(*space, "direct", rng);
  Assignment mixed = sample_of(*space, "winograd4", rng);
  for (size_t i = 0; i < mixed.size(); ++i)
    if (space->decisions()[i].key == kAlgorithm) std::copy_n(direct.begin(), i + 1, mixed.begin());
  ASSERT_NE(mixed, direct);
  space->repair(mixed);
  EXPECT_EQ(mixed, direct);
}

// Given a window, when schedules are drawn, then at most one in four is of another algorithm; of a task without a variant there is no choice.
TEST(Algorithms, AreDrawnSeldom) {
  const te::Task task = from_spec("conv:1x8x12x12,16x8x3x3,pad=1"), product = from_spec("matmul:16x16x16");
  const auto space = Space::derive(task, target::webgpu_default());
  Rng rng(4);
  int others = 0;
  for (int i = 0; i < 400; ++i)
    others += space->text(space->sample(rng)).find("algorithm=winograd") != std::string::npos;
  EXPECT_LT(others, 100);
  EXPECT_GT(others, 20);
  const auto none = Space::derive(product, target::webgpu_default());
  for (const Decision& d : none->decisions()) EXPECT_NE(d.key, kAlgorithm);
}

// Given a window over many channels, when it is asked where to begin, then the first is direct and two are of each other algorithm.
TEST(Algorithms, AreAmongTheSeeds) {
  const te::Task task = from_spec("conv:1x64x28x28,64x64x3x3,pad=1");
  const std::vector<schedule::Trace> seeds = Space::derive(task, target::webgpu_default())->seeds();
  const auto count = [&](const std::string& name) {
    return std::count_if(seeds.begin(), seeds.end(), [&](const schedule::Trace& t) { return t.sketch.find(cat("algorithm=", name)) != std::string::npos; });
  };
  ASSERT_GT(seeds.size(), 2u);
  EXPECT_TRUE(seeds[0].sketch.ends_with("algorithm=direct")) << seeds[0].sketch;
  for (const char* name : {"winograd2", "winograd4"}) EXPECT_EQ(count(name), 2) << name;
}

// Given a window whose taps are transformed by a launch of their own, when that runs once, ahead of all that is timed, then how it is tiled is no
// choice, and the compiler finds that launch; where it runs each time it is a choice, and the compiler finds none.
TEST(Algorithms, HaveNoChoiceInWhatRunsOnce) {
  const te::Task task = from_spec("conv:1x64x28x28,64x64x3x3,pad=1");
  for (const target::Target& target : targets()) {
    const auto space = Space::derive(task, target);
    size_t choices = 0, choices_of_data = 0;
    for (const Decision& d : space->decisions()) {
      if (d.key.starts_with("winograd4.1.")) choices += d.values.size() - 1;
      if (d.key.starts_with("winograd4.rows.") || d.key.starts_with("winograd4.lanes."))
        choices_of_data += d.values.size() - 1;
    }
    EXPECT_EQ(choices == 0, target::runs_ahead(target.kind)) << target::kind_name(target.kind);
    EXPECT_GT(choices_of_data, 0u) << target::kind_name(target.kind);
    Rng rng(7);
    const auto kernel = lower::lower_kernel(task, *space->trace(sample_of(*space, "winograd4", rng)), target);
    const std::vector<bool> ahead = lower::launches_ahead(task, *kernel, target);
    // The taps' transform, and a copy of its result where there is one.
    EXPECT_EQ(std::count(ahead.begin(), ahead.end(), true) > 0, choices == 0) << target::kind_name(target.kind);
  }
}

// Given a space restricted to one algorithm, when it is listed and drawn from, then there is nothing else.
TEST(Algorithms, CanBeRestricted) {
  const te::Task task = from_spec("conv:1x8x12x12,16x8x3x3,pad=1");
  const auto space = Space::derive(task, target::webgpu_default());
  const auto fewer = space->restricted({{kAlgorithm, {"winograd2"}}, {"winograd2.2.rows", {"2", "4"}}});
  ASSERT_TRUE(fewer.ok()) << fewer.error().message;
  const std::vector<Assignment> all = fewer->enumerate();
  EXPECT_EQ(all.size(), 2u);
  Rng rng(5);
  for (int i = 0; i < 8; ++i) {
    const Assignment a = fewer->sample(rng);
    EXPECT_NE(std::find(all.begin(), all.end(), a), all.end()) << fewer->text(a);
  }
}

}  // namespace
}  // namespace hone::tuner
