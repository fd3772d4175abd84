#include "codegen/package/model_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/rng.h"
#include "codegen/compile.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/import.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/package/compare.h"
#include "codegen/package/pack_tensor.h"
#include "codegen/reference/reference_run.h"

namespace hone::package {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;
using ir::DType;

graph::ConstantTensor random_tensor(const ir::Shape& shape, uint64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < ir::element_count(shape); i++) values.push_back(uniform_at(seed, static_cast<uint64_t>(i)));
  return graph::from_doubles(DType::kF32, shape, values);
}

class Model {
 public:
  ValueId input(const std::string& name, ir::Shape shape, DType dtype = DType::kF32) {
    const ValueId id = graph.add_value({name, dtype, std::move(shape), true});
    graph.inputs.push_back(id);
    return id;
  }
  ValueId weight(const std::string& name, const ir::Shape& shape, uint64_t seed) {
    return graph.add_value({name, DType::kF32, shape, true, true, random_tensor(shape, seed).bytes});
  }
  ValueId node(const std::string& op, std::vector<ValueId> inputs,
               std::map<std::string, graph::Attribute, std::less<>> attributes = {}) {
    const ValueId out = graph.add_value({op + std::to_string(graph.nodes.size())});
    graph.nodes.push_back({"", op, std::move(inputs), {out}, std::move(attributes)});
    return out;
  }
  Graph graph;
};

using Ints = std::vector<int64_t>;

// A convolution of 3 channels (padded to 4 on upload) with an epilogue, a window, a second branch, and a view as output.
Model small_model() {
  Model m;
  const ValueId x = m.input("x", {1, 3, 8, 8});
  const ValueId w = m.weight("w", {8, 3, 3, 3}, 1), b = m.weight("b", {8}, 2);
  const ValueId conv =
      m.node("Relu", {m.node("Conv", {x, w, b}, {{"pads", Ints{1, 1, 1, 1}}, {"kernel_shape", Ints{3, 3}}})});
  const ValueId pool = m.node("MaxPool", {conv}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
  const ValueId squeezed = m.node("GlobalAveragePool", {pool});
  const ValueId flat = m.node("Flatten", {squeezed});
  m.graph.outputs = {flat, pool};
  return m;
}

KernelOf naive_kernels() {
  return [](const te::Task& task) {
    const target::Target target = target::webgpu_default();
    return compile_kernel(task, baseline_trace(task, target).value(), target);
  };
}

TEST(ModelPlan, EachLaunchFindsItsTensorsAndWritesNoneThatItReads) {
  // Given a small model, when it is planned, then every binding fits its buffer, no launch reads a buffer that it writes, and what is
  // uploaded and read back lies in buffers of its size.
  Model m = small_model();
  ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
  const auto plan = plan_model(m.graph, naive_kernels());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->steps.size(), 3u);
  EXPECT_EQ(plan->on_upload.size(), 1u);
  EXPECT_EQ(plan->inputs.size(), 1u);
  EXPECT_EQ(plan->constants.size(), 2u);
  for (const PlanLaunch& launch : plan->launches) {
    std::set<int> read, written;
    const PlanKernel& kernel = plan->kernels[static_cast<size_t>(launch.kernel)];
    ASSERT_EQ(launch.buffers.size(), kernel.writes.size());
    for (size_t i = 0; i < launch.buffers.size(); i++) {
      ASSERT_GE(launch.buffers[i], 0);
      EXPECT_LE(launch.binding_bytes[i], plan->buffers[static_cast<size_t>(launch.buffers[i])]);
      if (kernel.writes[i]) EXPECT_TRUE(written.insert(launch.buffers[i]).second);
      else read.insert(launch.buffers[i]);
    }
    for (int buffer : written) EXPECT_EQ(read.count(buffer), 0u);
  }
  for (const auto* list : {&plan->inputs, &plan->constants, &plan->outputs})
    for (const PlanTensor& t : *list) EXPECT_LE(t.bytes, plan->buffers[static_cast<size_t>(t.buffer)]);
  EXPECT_NE(plan->outputs[0].buffer, plan->outputs[1].buffer);
  EXPECT_GE(plan->memory.pool_bytes, plan->memory.pool_bytes_min);
  EXPECT_LE(plan->memory.pool_bytes, plan->memory.pool_bytes_unshared);
}

TEST(ModelPlan, HearsACancel) {
  // Given a small model, when it is planned or its reference runs under a token that is cancelled, then both end with `cancelled`; with a fresh
  // token both are done.
  Model m = small_model();
  ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
  const Tensors inputs = {{m.graph.inputs[0], random_tensor({1, 3, 8, 8}, 3)}};
  CancelToken fresh, cancelled;
  cancelled.cancel();
  EXPECT_TRUE(plan_model(m.graph, naive_kernels(), &fresh).ok());
  EXPECT_TRUE(reference::reference_run(m.graph, inputs, &fresh).ok());
  const auto plan = plan_model(m.graph, naive_kernels(), &cancelled);
  const auto outputs = reference::reference_run(m.graph, inputs, &cancelled);
  ASSERT_TRUE(!plan.ok() && !outputs.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(outputs.error().code, ErrorCode::kCancelled);
}

// Equal ones in a row, with weights of their own.
Model two_convolutions() {
  Model m;
  ValueId x = m.input("x", {1, 8, 8, 8});
  for (uint64_t i = 0; i < 2; i++)
    x = m.node("Conv", {x, m.weight("w" + std::to_string(i), {8, 8, 3, 3}, i)},
               {{"pads", Ints{1, 1, 1, 1}}, {"kernel_shape", Ints{3, 3}}});
  m.graph.outputs = {x};
  EXPECT_TRUE(graph::prepare_graph(m.graph).ok());
  return m;
}

TEST(ModelPlan, EqualTasksShareOneKernel) {
  // Given two equal convolutions in a row with weights of their own, when the model is planned, then there are two launches of one kernel.
  Model m = two_convolutions();
  int compiled = 0;
  const auto plan = plan_model(m.graph, [&](const te::Task& task) {
    compiled++;
    return naive_kernels()(task);
  });
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(plan->launches.size(), 2u);
  EXPECT_EQ(plan->kernels.size(), 1u);
  EXPECT_EQ(plan->constants.size(), 2u);
}

// Two heads of attention, without what is between the products; and one head's values, turned, as an output.
Model heads_of_attention(int64_t tokens = 6, int64_t head_size = 4) {
  Model m;
  const int64_t width = 2 * head_size;
  const ValueId x = m.input("x", {1, tokens, width});
  const auto ints = [&](const std::string& name, const Ints& values) {
    const auto tensor =
        graph::from_doubles(DType::kI64, {static_cast<int64_t>(values.size())}, {values.begin(), values.end()});
    return m.graph.add_value({name, DType::kI64, tensor.shape, true, true, tensor.bytes});
  };
  const ValueId split = ints("split", {1, tokens, 2, head_size}), joined = ints("joined", {1, tokens, width});
  const auto head = [&](uint64_t seed, const Ints& order) {
    const ValueId product = m.node("MatMul", {x, m.weight("w" + std::to_string(seed), {width, width}, seed)});
    return m.node("Transpose", {m.node("Reshape", {product, split})}, {{"perm", order}});
  };
  const ValueId q = head(1, {0, 2, 1, 3}), k = head(2, {0, 2, 3, 1}), v = head(3, {0, 2, 1, 3});
  const ValueId context = m.node("MatMul", {m.node("MatMul", {q, k}), v});
  const ValueId turned = m.node("Transpose", {context}, {{"perm", Ints{0, 2, 1, 3}}});
  m.graph.outputs = {m.node("MatMul", {m.node("Reshape", {turned, joined}), m.weight("w4", {width, width}, 4)}), v};
  return m;
}

std::vector<std::string> turns_of(const ModelPlan& plan) {
  std::vector<std::string> turns;
  for (const PlanStep& step : plan.steps)
    if (step.name.rfind("transpose", 0) == 0 || step.name.rfind("reshape", 0) == 0) turns.push_back(step.name);
  return turns;
}

void expect_reference_sees_through(const Model& m) {
  const ir::Shape& shape = m.graph.value(m.graph.inputs[0]).shape;
  const Tensors inputs = {{m.graph.inputs[0], random_tensor(shape, 9)}};
  const auto outputs = reference::reference_run(m.graph, inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  const auto expected =
      graph::evaluate_graph(m.graph, {{m.graph.inputs[0], graph::to_doubles(inputs.begin()->second)}});
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  for (size_t i = 0; i < m.graph.outputs.size(); i++) {
    const std::vector<double> got = graph::to_doubles((*outputs)[i]);
    ASSERT_EQ(got.size(), (*expected)[i].size());
    double range = 0;
    for (double e : (*expected)[i]) range = std::max(range, std::abs(e));
    for (size_t e = 0; e < got.size(); e++)
      EXPECT_NEAR(got[e], (*expected)[i][e], 1e-5 * range) << "output " << i << ", element " << e;
  }
}

TEST(ModelPlan, WhatIsTurnedAroundItsInnermostDimensionIsAView) {
  // Given heads of attention, when they are planned, then of their four Transposes the one that moves the innermost dimension alone is a launch; and
  // the reference sees through the others.
  Model m = heads_of_attention();
  ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
  const auto plan = plan_model(m.graph, naive_kernels());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(turns_of(*plan), (std::vector<std::string>{"transpose 1x6x2x4"}));
  EXPECT_EQ(plan->steps.size(), 7u);
  EXPECT_FALSE(plan->outputs[1].layout.row_major());  // as the products lie
  expect_reference_sees_through(m);
}

TEST(ModelPlan, HeadsInBlocksOfTexturesAreViews) {
  // Given heads of attention on textures, when they are planned, then neither what splits and joins them nor their Transposes are launches, but the
  // one that moves the innermost dimension; where a head has no whole texels they are, but for a Transpose by itself. The reference sees through all of them.
  for (const auto& [head_size, turns] : {std::pair<int64_t, size_t>{32, 1}, {6, 7}}) {
    Model m = heads_of_attention(16, head_size);
    m.graph.medium = ir::Medium::kTexture2D;
    ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
    const auto plan = plan_model(m.graph, [](const te::Task& task) {
      const target::Target target = target::webgl_default();
      return compile_kernel(task, *baseline_trace(task, target), target);
    });
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ(turns_of(*plan).size(), turns) << head_size;
    expect_reference_sees_through(m);
  }
}

TEST(ModelPlan, WhatIsComputedAheadIsKept) {
  // Given two convolutions in a row whose kernels transform their weights, when the model is planned, then the launches that do so are ahead, and
  // no other launch writes where they do.
  Model m = two_convolutions();
  const auto plan = plan_model(m.graph, [](const te::Task& task) {
    schedule::Trace trace{.steps = {schedule::variant(task.program.computes.back().name, "winograd2")}};
    return compile_kernel(task, trace, target::webgpu_default());
  });
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  std::vector<int> ahead, others;
  for (const PlanLaunch& launch : plan->launches)
    for (size_t i = 0; i < launch.buffers.size(); i++)
      if (plan->kernels[static_cast<size_t>(launch.kernel)].writes[i])
        (launch.ahead ? ahead : others).push_back(launch.buffers[i]);
  EXPECT_EQ(ahead.size(), 4u);  // rows, then columns, of each convolution's taps
  EXPECT_EQ(others.size(), 14u);
  EXPECT_EQ(std::set<int>(ahead.begin(), ahead.end()).size(), ahead.size());
  for (int buffer : ahead) EXPECT_EQ(std::count(others.begin(), others.end(), buffer), 0);
}

TEST(ModelPlan, AConstantIsUploadedInTheLayoutThatItsKernelWants) {
  // Given kernels of which one wants its weights in panels of 2 columns, when the model is planned, then the weights' bytes lie so.
  Model m;
  const ir::Shape shape{3, 4};
  const ValueId x = m.input("x", {2, 3}), w = m.weight("w", shape, 1);
  m.graph.outputs = {m.node("MatMul", {x, w})};
  ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
  const auto plan = plan_model(m.graph, [](const te::Task& task) {
    const target::Target target = target::webgpu_default();
    schedule::Trace trace = baseline_trace(task, target).value();
    schedule::Step panels;
    panels.primitive = schedule::Primitive::kLayout;
    panels.stage = task.program.inputs[1]->name;
    panels.factors = {1, 2, 2, 0, 1, 3, 1, 1, 2};
    trace.steps.insert(trace.steps.begin(), panels);
    return compile_kernel(task, trace, target);
  });
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->constants.size(), 1u);
  const std::string packed = constant_bytes(m.graph, plan->constants[0]);
  const std::string given(*random_tensor(shape, 1).bytes);
  std::string expected;
  for (size_t panel : {0, 1})
    for (size_t row : {0, 1, 2}) expected += given.substr((row * 4 + panel * 2) * 4, 8);
  EXPECT_EQ(packed.substr(0, expected.size()), expected);
}

// The most layers of a texture in a small model's plan for such a device, each of whose kernels gives what its task says.
int64_t layers_with(int64_t render_targets_max) {
  target::Target target = target::webgl_default();
  target.limits.render_targets_max = render_targets_max;
  Model m = small_model();
  EXPECT_TRUE(graph::prepare_graph(m.graph).ok());
  m.graph.medium = target::stored_in(target.kind);
  m.graph.layers_max = render_targets_max;
  const auto plan = plan_model(m.graph, [&target](const te::Task& task) -> Result<emit::KernelSource> {
    const schedule::Trace trace = baseline_trace(task, target).value();
    HONE_ASSIGN(kernel, lower::lower_kernel(task, trace, target, {}));
    EXPECT_EQ(difference(task, Oracle(task), kernel), "") << task.name;
    return compile_kernel(task, trace, target);
  });
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  int64_t layers = 0;
  for (const PlanTexture& texture : plan->textures) layers = std::max(layers, texture.texture.layers);
  return layers;
}

TEST(ModelPlan, NoTextureHasMoreLayersThanAFragmentWrites) {
  // Given devices whose fragments write four texels, eight and more, when a small model is planned for them, then its largest tensors lie in four
  // layers, in eight, and in eight.
  EXPECT_EQ(layers_with(4), 4);
  EXPECT_EQ(layers_with(8), 8);
  EXPECT_EQ(layers_with(16), 8);
}

// A kernel whose weights are kept as halves where `halves` says so.
KernelOf kernels_with_halves(const target::Target& target, const std::function<bool(const te::Task&)>& halves) {
  return [=](const te::Task& strict) {
    te::Task task = strict;
    te::loosen(task, 4e-3);
    schedule::Trace trace = baseline_trace(task, target).value();
    if (halves(task)) trace.steps.insert(trace.steps.begin(), schedule::precision(task.program.inputs[1]->name, "f16"));
    return compile_kernel(task, trace, target);
  };
}

target::Target with_f16(target::Target target) {
  target.has_f16 = true;
  return target;
}

TEST(ModelPlan, AConstantThatItsKernelReadsAsHalvesHasHalfTheBytes) {
  // Given kernels that read their weights as f16, in buffers and in textures, when the model is planned, then weights and their buffers have half
  // the bytes of those of f32, and are the numbers rounded.
  for (const target::Target& target : {with_f16(target::webgpu_default()), target::webgl_default()}) {
    Model m;
    const ir::Shape shape{32, 64};
    const ValueId x = m.input("x", {4, 32}), w = m.weight("w", shape, 1);
    m.graph.outputs = {m.node("MatMul", {x, w})};
    m.graph.medium = target::stored_in(target.kind);
    ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
    const auto whole = plan_model(m.graph, kernels_with_halves(target, [](const te::Task&) { return false; }));
    const auto halved = plan_model(m.graph, kernels_with_halves(target, [](const te::Task&) { return true; }));
    ASSERT_TRUE(whole.ok() && halved.ok()) << (whole.ok() ? halved : whole).error().message;
    EXPECT_EQ(whole->memory.constant_bytes, 32 * 64 * 4);
    EXPECT_EQ(halved->memory.constant_bytes, 32 * 64 * 2);
    const PlanTensor& constant = halved->constants[0];
    if (!halved->textures.empty()) {
      EXPECT_EQ(halved->textures[static_cast<size_t>(constant.buffer)].stored, DType::kF16);
    }
    const std::string bytes = constant_bytes(m.graph, constant);
    ASSERT_EQ(bytes.size(), size_t{32 * 64 * 2});
    if (target.kind == target::Kind::kWebGpu) {
      EXPECT_EQ(bytes, *converted(random_tensor(shape, 1), DType::kF16).bytes);
    }
  }
}

TEST(ModelPlan, KernelsThatDisagreeOnAConstantHaveACopyEach) {
  // Given two products with one matrix, which one reads as f32 and the other as f16, when the model is planned, then it is uploaded in both forms.
  Model m;
  const ValueId x = m.input("x", {4, 64}), y = m.input("y", {8, 64}), w = m.weight("w", {64, 64}, 1);
  m.graph.outputs = {m.node("MatMul", {x, w}), m.node("MatMul", {y, w})};
  ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
  const auto plan = plan_model(
      m.graph, kernels_with_halves(with_f16(target::webgpu_default()),
                                   [](const te::Task& task) { return task.program.inputs[0]->shape[0] == 8; }));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->constants.size(), 2u);
  EXPECT_EQ(plan->constants[0].stored, DType::kF32);
  EXPECT_EQ(plan->constants[1].stored, DType::kF16);
  EXPECT_EQ(plan->memory.constant_bytes, 64 * 64 * (4 + 2));
}

TEST(ModelPlan, AModelWithoutWorkHandsItsInputOn) {
  // Given a model that only reshapes its input, when it is planned, then nothing is launched and the output shows the input's buffer.
  Model m;
  const ValueId x = m.input("x", {2, 6});
  m.graph.outputs = {m.node("Flatten", {x}, {{"axis", int64_t{0}}})};
  ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
  const auto plan = plan_model(m.graph, naive_kernels());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(plan->launches.empty());
  ASSERT_EQ(plan->inputs.size(), 1u);
  EXPECT_EQ(plan->outputs[0].buffer, plan->inputs[0].buffer);
}

TEST(ReferenceRun, AgreesWithTheEvaluator) {
  // Given a small model, when it runs by its tasks' references, then the outputs are those of the evaluator up to the rounding of f32.
  Model m = small_model();
  ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
  const ValueId x = m.graph.inputs[0];
  const graph::ConstantTensor input = random_tensor(m.graph.value(x).shape, 9);
  const auto outputs = reference::reference_run(m.graph, {{x, input}});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  const auto expected = graph::evaluate_graph(m.graph, {{x, graph::to_doubles(input)}});
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  for (size_t o = 0; o < expected->size(); o++) {
    const std::vector<double> got = graph::to_doubles((*outputs)[o]);
    ASSERT_EQ(got.size(), (*expected)[o].size());
    for (size_t i = 0; i < got.size(); i++) EXPECT_NEAR(got[i], (*expected)[o][i], 1e-6);
  }
}

TEST(PackInputs, RefusesWhatNoDeviceHolds) {
  // Given an input of 64-bit numbers, when one of them does not fit 32 bits, then it is refused; a tensor of small ones is packed, and a
  // missing input named.
  Model m;
  const ValueId x = m.input("x", {2}, DType::kI64);
  m.graph.outputs = {m.node("Add", {x, x})};
  ASSERT_TRUE(graph::prepare_graph(m.graph).ok());
  const auto plan = plan_model(m.graph, naive_kernels());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const auto good = pack_inputs(m.graph, *plan, {{x, graph::from_doubles(DType::kI64, {2}, {-3, 2147483647})}});
  ASSERT_TRUE(good.ok()) << good.error().message;
  EXPECT_EQ((*good)[0].size(), 8u);
  const auto large = pack_inputs(m.graph, *plan, {{x, graph::from_doubles(DType::kI64, {2}, {-3, 2147483648.0})}});
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::kLimitExceeded);
  const auto missing = pack_inputs(m.graph, *plan, {});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kInvalidArgument);
}

TEST(PackTensor, LayoutsAreUndoneByTheirInverse) {
  // Given layouts that turn, split and pad, when a tensor is brought into each and back, then it is unchanged and the padding is zero.
  const ir::Shape shape{2, 3, 4};
  const graph::ConstantTensor tensor = random_tensor(shape, 3);
  const ir::Layout split{{{0, 1, 2}, {2, 1, 4}, {1, 2, 2}, {1, 1, 2}}};  // axis 1 of 3 in blocks of 2: one padded
  for (const ir::Layout& layout : {ir::Layout{}, ir::permuted_layout(shape, {2, 0, 1}), split}) {
    const std::string physical = to_physical(*tensor.bytes, shape, layout);
    EXPECT_EQ(static_cast<int64_t>(physical.size()), physical_bytes(shape, layout));
    EXPECT_EQ(from_physical(physical, shape, layout), *tensor.bytes);
  }
  const std::string padded = to_physical(*tensor.bytes, shape, split);
  EXPECT_EQ(padded.substr(3 * kElementBytes, kElementBytes), std::string(kElementBytes, '\0'));
}

TEST(Compare, TheErrorIsRelativeToTheRangeAndNoNumberIsNoMatch) {
  // Given tensors and references, when compared, then the error is the largest difference over the largest reference; what is no number
  // matches only its like.
  const auto tensor = [](std::vector<double> values) {
    const auto count = static_cast<int64_t>(values.size());
    return graph::from_doubles(DType::kF32, {count}, values);
  };
  EXPECT_DOUBLE_EQ(relative_error(tensor({1, 2.5, -4}), tensor({1, 2, -4})), 0.125);
  EXPECT_DOUBLE_EQ(relative_error(tensor({0.25}), tensor({0})), 0.25);
  EXPECT_EQ(relative_error(tensor({NAN, INFINITY, 1}), tensor({NAN, INFINITY, 1})), 0);
  EXPECT_TRUE(std::isinf(relative_error(tensor({NAN, 1}), tensor({1, 1}))));
  EXPECT_TRUE(std::isinf(relative_error(tensor({-INFINITY}), tensor({INFINITY}))));
}

}  // namespace
}  // namespace hone::package
