// Whatever the space proposes computes what the task says: the interpreter against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/ir/interpreter.h"
#include "codegen/ir/printer.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/evaluate.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/matrix.h"
#include "codegen/te/ops/normalization.h"
#include "codegen/te/ops/pool.h"
#include "codegen/te/ops/reductions.h"
#include "tuner/space/space.h"

namespace hone::tuner {
namespace {

using ir::DType;

te::Task from_spec(const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), task.ok() ? "" : task.error().message);
  return std::move(*task);
}

te::Task finished(te::Builder& b, const std::string& name, bool channels_last) {
  te::Task task{.name = name, .program = b.take()};
  for (bool output : {false, true})
    for (te::Tensor t : output ? task.program.outputs : task.program.inputs) {
      ir::Layout layout =
          channels_last && t->shape.size() == 4 ? ir::permuted_layout(t->shape, {0, 2, 3, 1}) : ir::Layout{};
      task.args.push_back({output ? te::Role::kOutput : te::Role::kActivation, layout});
    }
  te::finish_task(task);
  return task;
}

// A window over channels, bias, another tensor and a clamp, channels last: the main shape of a residual network.
te::Task window_with_epilogue(int64_t size, int64_t channels, int64_t stride) {
  te::Builder b;
  te::Tensor x = b.input("x", DType::kF32, {1, channels, size, size}),
             w = b.input("w", DType::kF32, {channels, channels, 3, 3});
  te::ConvParams params;
  params.window = {.stride = {stride, stride}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
  te::Tensor y = std::move(*te::conv(b, x, w, params));
  te::Tensor bias = b.input("bias", DType::kF32, {channels});
  te::Tensor biased = *te::add_channel_bias(b, y, bias);
  te::Tensor other = b.input("other", DType::kF32, y->shape);
  te::Tensor sum = *te::elementwise(b, "sum", {te::Operand::of(biased), te::Operand::of(other)},
                                    [](const std::vector<te::Sym>& v) { return v[0] + v[1]; });
  b.output(te::unary(b, "clamp", sum, [](te::Sym v) { return te::max(v, 0.0); }));
  return finished(b, "window with epilogue", true);
}

te::Task pooled(bool largest, int64_t channels) {
  te::Builder b;
  te::Tensor x = b.input("x", DType::kF32, {1, channels, 9, 9});
  te::PoolParams params;
  params.window = {.kernel = {3, 3}, .stride = {2, 2}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
  b.output(*(largest ? te::max_pool(b, x, params) : te::average_pool(b, x, params)));
  return finished(b, largest ? "largest of windows" : "mean of windows", true);
}

te::Task whole_mean(int64_t channels) {
  te::Builder b;
  te::Tensor x = b.input("x", DType::kF32, {1, channels, 7, 7});
  te::PoolParams params;
  params.window = *te::global_window(x);
  b.output(*te::average_pool(b, x, params));
  return finished(b, "mean of all", true);
}

te::Task sum_of_two(ir::Shape shape, bool channels_last) {
  te::Builder b;
  te::Tensor x = b.input("x", DType::kF32, shape), y = b.input("y", DType::kF32, shape);
  b.output(*te::elementwise(b, "sum", {te::Operand::of(x), te::Operand::of(y)},
                            [](const std::vector<te::Sym>& v) { return v[0] + v[1]; }));
  return finished(b, "sum of two", channels_last);
}

// "" when the kernel computes the program, else what differs.
std::string difference(const te::Task& task, const ir::Kernel& kernel) {
  std::vector<std::vector<double>> inputs;
  std::vector<ir::TensorValue> args;
  for (size_t i = 0; i < task.program.inputs.size(); ++i) {
    ir::TensorValue value = ir::uniform_tensor(DType::kF32, task.program.inputs[i]->shape, i + 1);
    inputs.push_back(value.real);
    value = ir::rounded(value, kernel.args[i]->dtype);
    args.push_back(kernel.args[i]->shape == value.shape ? value : ir::to_physical(value, kernel.arg_layouts[i]));
  }
  std::vector<double> expected = te::evaluate(task.program, inputs)[0];
  const ir::Shape& shape = task.program.outputs[0]->shape;
  const ir::Layout& layout = kernel.arg_layouts.back();
  ir::TensorValue out = ir::make_tensor(DType::kF32, shape);
  args.push_back(kernel.args.back()->shape == shape ? out : ir::to_physical(out, layout));
  Status ran = ir::interpret(kernel, args);
  if (!ran.ok()) return ran.error().message;
  std::vector<double> got =
      (kernel.args.back()->shape == shape ? args.back() : ir::from_physical(args.back(), shape, layout)).real;
  double range = 0;
  for (double v : expected) range = std::max(range, std::abs(v));
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(got[i] - expected[i]) <= task.accuracy.base * range))
      return cat("element ", i, " is ", got[i], ", expected ", expected[i]);
  return "";
}

struct Tally {
  int right = 0, wrong = 0, pruned = 0, refused = 0;
};

void try_one(const te::Task& task, const schedule::Trace& trace, const target::Target& target, Tally& tally) {
  auto kernel = lower::lower_kernel(task, trace, target);
  if (!kernel.ok()) {
    ++tally.refused;
    std::cout << task.name << " refused: " << trace.sketch << ": " << kernel.error().message << "\n";
    return;
  }
  std::string wrong = difference(task, *kernel);
  if (wrong.empty()) {
    ++tally.right;
    return;
  }
  // Which pass broke it?
  lower::PipelineOptions options;
  std::string first;
  options.observe = [&](std::string_view pass, const ir::Kernel& k) {
    if (std::string found = first.empty() ? difference(task, k) : ""; !found.empty())
      first = cat(pass, ": ", found, "\n", ir::print(k).substr(0, 6000));
  };
  (void)lower::lower_kernel(task, trace, target, options);
  ++tally.wrong;
  ADD_FAILURE() << "first wrong after " << first << "\n"
                << task.name << ": " << trace.sketch << "\n"
                << wrong << "\n"
                << schedule::trace_to_json(trace);
}

void try_space(const te::Task& task, const target::Target& target, int samples) {
  Tally tally;
  auto space = Space::derive(task, target);
  ASSERT_TRUE(space.ok());
  try_one(task, baseline_trace(task, target).value(), target, tally);
  for (const schedule::Trace& seed : space->seeds()) try_one(task, seed, target, tally);
  Rng rng(task.id.lo);
  std::map<std::string, int> reasons;
  for (int i = 0; i < samples; ++i) {
    auto trace = space->trace(space->sample(rng));
    if (trace.ok()) try_one(task, *trace, target, tally);
    else ++tally.pruned, ++reasons[trace.error().message];
  }
  for (const auto& [reason, count] : reasons) std::cout << "  pruned " << count << ": " << reason << "\n";
  std::cout << target::kind_name(target.kind) << ", " << task.name << ": " << space->sketch().rules << ": "
            << tally.right << " right, " << tally.wrong << " wrong, " << tally.refused << " refused, " << tally.pruned
            << " pruned\n";
  EXPECT_GT(tally.right, 0);
  EXPECT_LE(tally.refused, tally.right / 10) << "what the compiler refuses the space should prune";
}

target::Target with_subgroups(int64_t size) {
  target::Target target = target::webgpu_default();
  target.subgroup_size = size;
  return target;
}

void try_spaces(const te::Task& task, int samples) {
  for (const target::Target& target : {target::webgpu_default(), target::wasm_default()})
    try_space(task, target, samples);
}

int samples() { return std::getenv("HONE_SAMPLES") ? std::atoi(std::getenv("HONE_SAMPLES")) : 12; }

TEST(SpaceResult, Products) {
  // Given products whose extents tiles divide and do not divide, when sampled, then every kernel computes the product.
  for (const char* spec :
       {"matmul:32x32x32", "matmul:13x36x7", "matmul:49x20x18", "matmul:1x40x33", "matmul:17x1x9", "matmul:3x12x20x8"})
    try_spaces(from_spec(spec), samples());
}

TEST(SpaceResult, Windows) {
  // Given padded, strided, dilated, grouped and one-channel windows, when sampled, then every kernel computes them.
  for (const char* spec : {"conv:1x8x9x9,8x8x3x3,pad=1", "conv:1x3x11x11,8x3x5x5,pad=2,stride=2",
                           "conv:1x8x8x8,12x8x1x1,stride=2", "conv:1x8x7x7,8x1x3x3,pad=1,groups=8",
                           "conv:1x8x6x6,8x4x3x3,groups=2", "conv:2x4x8x8,4x4x3x3,pad=2,dilation=2"})
    try_spaces(from_spec(spec), samples());
}

// Tries samples of the space that are `wanted`; look: at each trace.
Tally try_those(
    const Space& space, const te::Task& task, const target::Target& target,
    const std::function<bool(const Assignment&)>& wanted,
    const std::function<void(const schedule::Trace&)>& look = [](const schedule::Trace&) {}) {
  Rng rng(5);
  Tally tally;
  for (int i = 0; i < 40 * samples() && tally.right + tally.wrong < samples(); ++i) {
    const Assignment a = space.sample(rng);
    if (!wanted(a)) continue;
    auto trace = space.trace(a);
    if (!trace.ok()) continue;
    look(*trace);
    try_one(task, *trace, target, tally);
  }
  return tally;
}

TEST(SpaceResult, Epilogues) {
  // Given a window with bias, residual and clamp behind it, when sampled, then they are computed where the accumulator is written.
  for (auto [size, channels, stride] : {std::tuple<int64_t, int64_t, int64_t>{7, 8, 1}, {10, 4, 2}}) {
    te::Task task = window_with_epilogue(size, channels, stride);
    try_spaces(task, samples());
    auto space = Space::derive(task, target::webgpu_default());
    EXPECT_EQ(space->sketch().groups.size(), 1u);
  }
}

// What `define` makes of one input, row-major.
te::Task of_one(const std::string& name, ir::Shape shape,
                const std::function<te::Tensor(te::Builder&, te::Tensor)>& define) {
  te::Builder b;
  te::Tensor x = b.input("x", DType::kF32, std::move(shape));
  b.output(define(b, x));
  return finished(b, name, false);
}

te::Tensor soft(te::Builder& b, te::Tensor x) {
  return *te::softmax(b, x, {static_cast<int64_t>(x->shape.size()) - 1}, false);
}
te::Tensor standard(te::Builder& b, te::Tensor x) {
  te::Tensor scale = b.input("scale", DType::kF32, {x->shape.back()});
  return te::standardize(b, x, {.axes = {static_cast<int64_t>(x->shape.size()) - 1}, .scale = scale})->y;
}

TEST(SpaceResult, Rows) {
  // Given chains of reductions over rows, and single ones, of lengths that vectors and threads do and do not divide, when sampled, then each
  // is one launch and every kernel is right.
  const auto total = [](te::Builder& b, te::Tensor x) { return *te::reduce_over(b, "Y", x, {{1}, true}, {}); };
  const auto largest = [](te::Builder& b, te::Tensor x) {
    return *te::reduce_over(b, "Y", x, {{1, 2}, false}, {te::Fold::kMax});
  };
  const auto both = [](te::Builder& b, te::Tensor x) { return te::standardize(b, x, {.axes = {1, 2}})->y; };
  const auto unit = [](te::Builder& b, te::Tensor x) { return *te::unit_length(b, x, 1, 2); };
  for (const te::Task& task :
       {of_one("soft choice", {5, 64}, soft), of_one("soft choice", {2, 3, 4, 40}, soft),
        of_one("soft choice, odd", {3, 33}, soft), of_one("soft choice of one row", {1, 100}, soft),
        of_one("standardized", {6, 48}, standard), of_one("standardized, two axes", {3, 4, 12}, both),
        of_one("unit length", {4, 20}, unit), of_one("row sums", {7, 36}, total),
        of_one("largest of two axes", {3, 5, 9}, largest)}) {
    try_spaces(task, samples());
    for (int64_t size : {4, 32}) try_space(task, with_subgroups(size), samples());
    auto space = Space::derive(task, target::webgpu_default());
    EXPECT_EQ(space->sketch().rules, "row") << task.name;
    auto kernel = lower::lower_kernel(task, space->seeds()[0], target::webgpu_default());
    ASSERT_TRUE(kernel.ok());
    EXPECT_EQ(kernel->launches.size(), 1u);
  }
}

TEST(SpaceResult, FragmentsReduceRowsAnew) {
  // Given chains of reductions over rows on a device that draws, when they are sampled with that choice, then each is one launch and every kernel is
  // right; a seed makes it where rows are short, and none where a fragment reads a long row for a few elements.
  const target::Target target = target::webgl_default();
  const auto chosen = [](const Space& space, const schedule::Trace& trace) {
    const auto a = space.parse(trace);
    return a && space.algorithm(*a) > 0;
  };
  for (const te::Task& task : {of_one("soft choice", {8, 64}, soft), of_one("soft choice, odd", {3, 33}, soft),
                               of_one("soft choice", {2, 3, 4, 40}, soft), of_one("standardized", {6, 48}, standard)}) {
    auto space = Space::derive(task, target);
    ASSERT_TRUE(space.ok());
    const Tally tally = try_those(
        *space, task, target, [&](const Assignment& a) { return space->algorithm(a) > 0; },
        [&](const schedule::Trace& trace) {
          EXPECT_EQ(lower::lower_kernel(task, trace, target)->launches.size(), 1u) << trace.sketch;
        });
    EXPECT_EQ(tally.wrong, 0) << task.name;
    EXPECT_GE(tally.right, samples() / 2) << task.name;
  }
  for (const auto& [length, seeded] : {std::pair<int64_t, bool>{64, true}, {8192, false}}) {
    const te::Task task = of_one("soft choice", {512, length}, soft);
    auto space = Space::derive(task, target);
    const std::vector<schedule::Trace> seeds = space->seeds();
    EXPECT_EQ(std::any_of(seeds.begin(), seeds.end(), [&](const auto& seed) { return chosen(*space, seed); }), seeded)
        << length;
  }
}

TEST(SpaceResult, SubgroupsAreAChoiceWhereTheDeviceHasThem) {
  // Given a row's chain, when its space is derived for devices with and without subgroups, then only the first may join by them, and some seed does.
  const te::Task task = of_one("soft choice", {64, 512}, soft);
  const auto joins_by_lanes = [](const schedule::Trace& trace) {
    return std::any_of(trace.steps.begin(), trace.steps.end(),
                       [](const schedule::Step& s) { return s.option == "lane"; });
  };
  for (int64_t size : {0, 32}) {
    auto space = Space::derive(task, with_subgroups(size));
    ASSERT_TRUE(space.ok());
    const std::vector<schedule::Trace> seeds = space->seeds();
    EXPECT_EQ(std::any_of(seeds.begin(), seeds.end(), joins_by_lanes), size > 0) << size;
  }
}

TEST(SpaceResult, CopiesAreNarrowWhereTheTaskPermits) {
  // Given a product and a padded window on a device with f16, when they owe f32's accuracy, then nothing is kept as f16; when they may err by 0.004,
  // then some schedules keep copies so, and these are right within that.
  target::Target target = target::webgpu_default();
  target.has_f16 = true;
  for (const char* spec : {"matmul:32x24x64", "conv:1x8x9x9,8x8x3x3,pad=1"}) {
    te::Task task = from_spec(spec);
    EXPECT_EQ(Space::derive(task, target)->text(Space::derive(task, target)->assignment({})).find("storage"),
              std::string::npos);
    te::loosen(task, 4e-3);
    auto space = Space::derive(task, target);
    ASSERT_TRUE(space.ok());
    const Tally tally = try_those(
        *space, task, target, [&](const Assignment& a) { return space->value(a, "storage", 0) != 0; },
        [](const schedule::Trace& trace) {
          EXPECT_NE(trace_to_json(trace).find("[\"precision\""), std::string::npos) << trace.sketch;
        });
    EXPECT_EQ(tally.wrong, 0) << spec;
    EXPECT_GE(tally.right, samples() / 2) << spec;
  }
}

TEST(SpaceResult, ConstantsAreNarrowWhereTheTaskPermits) {
  // Given windows with weights on a device with f16, when they owe f32's accuracy, or the weights are few, then these are no choice; when they may err by
  // 0.004, then schedules that keep them as f16 are right within that.
  target::Target target = target::webgpu_default();
  target.has_f16 = true;
  const auto has_choice = [](const te::Task& task, const target::Target& device) {
    return Space::derive(task, device)->value(Space::derive(task, device)->assignment({}), "constants.storage", -1) >=
           0;
  };
  te::Task task = from_spec("conv:1x12x6x6,16x12x3x3,pad=1"), small = from_spec("conv:1x8x6x6,8x8x3x3,pad=1");
  EXPECT_FALSE(has_choice(task, target));
  te::loosen(task, 4e-3);
  te::loosen(small, 4e-3);
  EXPECT_FALSE(has_choice(task, target::webgpu_default()));
  EXPECT_FALSE(has_choice(small, target));
  for (const target::Target& device : {target, target::webgl_default()}) {
    ASSERT_TRUE(has_choice(task, device));
    auto space = Space::derive(task, device);
    const Tally tally = try_those(*space, task, device,
                                  [&](const Assignment& a) { return space->value(a, "constants.storage", 0) != 0; });
    EXPECT_EQ(tally.wrong, 0);
    EXPECT_GE(tally.right, samples() / 2);
  }
}

TEST(SpaceResult, SumsAreOfHalvesWhereTheBudgetBearsThem) {
  // Given products, and a window, on a device with f16, when the task bears no f16 sum of four steps, or the device draws, then sums are no choice; when
  // it does, then schedules whose sums are of f16 are right within that.
  target::Target target = target::webgpu_default();
  target.has_f16 = true;
  const auto has_choice = [](const te::Task& task, const target::Target& device) {
    return Space::derive(task, device)->value(Space::derive(task, device)->assignment({}), "sums", -1) >= 0;
  };
  for (const auto& [spec, tolerance] :
       {std::pair{"matmul:32x24x64", 0.01}, {"matmul:13x20x37", 0.005}, {"conv:1x9x8x8,8x9x3x3,pad=1", 0.02}}) {
    te::Task task = from_spec(spec);
    te::loosen(task, 2e-3);
    EXPECT_FALSE(has_choice(task, target)) << spec;
    te::loosen(task, tolerance);
    EXPECT_FALSE(has_choice(task, target::webgl_default())) << spec;
    ASSERT_TRUE(has_choice(task, target)) << spec;
    auto space = Space::derive(task, target);
    Rng rng(5);
    Tally tally;
    for (int i = 0; i < 60 * samples() && tally.right + tally.wrong < samples(); ++i) {
      const Assignment a = space->sample(rng);
      if (space->value(a, "sums", 0) == 0 || space->value(a, "k.slices", 1) > 1) continue;
      auto trace = space->trace(a);
      if (!trace.ok()) continue;
      EXPECT_NE(trace_to_json(*trace).find(".acc.rf\",\"f16\"]"), std::string::npos) << trace_to_json(*trace);
      try_one(task, *trace, target, tally);
    }
    EXPECT_EQ(tally.wrong, 0) << spec;
    EXPECT_EQ(tally.refused, 0) << spec;
    EXPECT_GE(tally.right, samples() / 2) << spec;
  }
}

// `samples` schedules of the task in which the decision has a value that cuts the reduction.
void try_parts(const te::Task& task, const std::string& key, int samples) {
  auto space = Space::derive(task, target::webgpu_default());
  ASSERT_TRUE(space.ok());
  ASSERT_NE(space->text(space->assignment({})).find(key), std::string::npos) << task.name;
  Rng rng(7);
  Tally tally;
  for (int i = 0; i < samples * 8 && tally.right + tally.wrong < samples; ++i) {
    Assignment a = space->sample(rng);
    if (space->value(a, key, 1) == 1) continue;
    auto trace = space->trace(a);
    if (trace.ok()) try_one(task, *trace, target::webgpu_default(), tally);
    else ++tally.pruned;
  }
  std::cout << task.name << " " << key << ": " << tally.right << " right, " << tally.refused << " refused, "
            << tally.pruned << " pruned\n";
  EXPECT_GE(tally.right, samples / 2) << task.name << " " << key;
  EXPECT_LE(tally.refused, tally.right / 5) << task.name << " " << key;
}

TEST(SpaceResult, PartsOfLongReductions) {
  // Given products and windows of few outputs and long reductions, and means of all pixels, when k is cut into slices or over threads, then
  // every kernel is right.
  for (const char* spec : {"matmul:1x24x160", "matmul:4x16x150", "conv:1x32x4x4,8x32x3x3,pad=1"})
    for (const char* key : {"k.slices", "k.threads"}) try_parts(from_spec(spec), key, samples());
  te::Task epilogue = window_with_epilogue(4, 16, 1);
  try_parts(epilogue, "k.slices", samples());
  try_parts(epilogue, "k.threads", samples());
  try_parts(whole_mean(8), "k.threads", samples());
}

TEST(SpaceResult, BlocksOfTilesAndOfSteps) {
  // Given products, windows and an epilogue on cores, when tiles are computed in blocks and k is cut for a cache, at the edges too, then every
  // kernel is right.
  std::vector<te::Task> tasks{from_spec("matmul:24x32x136"), from_spec("matmul:21x27x150"),
                              from_spec("conv:1x130x5x5,20x130x3x3,pad=1"), window_with_epilogue(3, 132, 1)};
  for (const te::Task& task : tasks) {
    auto space = Space::derive(task, target::wasm_default());
    ASSERT_TRUE(space.ok());
    Tally tally;
    Rng rng(task.id.lo);
    int cut = 0;
    for (int i = 0; i < samples(); ++i) {
      Assignment a = space->sample(rng);
      for (size_t d = 0; d < a.size(); ++d) {
        const Decision& decision = space->decisions()[d];
        if (decision.key.starts_with("block.") || decision.key == "k.block")
          a[d] = static_cast<int>(rng.below(decision.values.size()));
      }
      space->repair(a);
      auto trace = space->trace(a);
      if (!trace.ok()) continue;
      cut += space->value(a, "k.block", 0) > 0;
      try_one(task, *trace, target::wasm_default(), tally);
    }
    std::cout << task.name << ": " << tally.right << " right, " << cut << " of them with k cut\n";
    EXPECT_GE(tally.right, samples() / 2);
    EXPECT_EQ(tally.refused, 0);
    EXPECT_GT(cut, 0);
  }
}

TEST(SpaceResult, Pointwise) {
  // Given Maps and reductions without reuse, channels last and row-major, divisible by 4 or not, when sampled, then every kernel is right.
  for (const te::Task& task : {pooled(true, 8), pooled(false, 6), whole_mean(8), sum_of_two({1, 8, 5, 5}, true),
                               sum_of_two({3, 7}, false), sum_of_two({1}, false), sum_of_two({64, 64}, false)})
    try_spaces(task, samples());
}

}  // namespace
}  // namespace hone::tuner
