// Plans of models whose trips a run counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "codegen/compile.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/loops.h"
#include "codegen/graph/model_steps.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/prepare_graph.h"
#include "codegen/lower/pipeline.h"
#include "codegen/package/model_plan.h"
#include "codegen/reference/reference_run.h"

namespace hone::package {
namespace {

using graph::ValueId;
using ir::DType;

// y = relu(x); while the largest of y is less than 10: y = y · w + relu(x). An image, which lies otherwise than row-major outside of the loop.
graph::Graph growing_image() {
  graph::Graph graph;
  graph::NodeWriter nodes(graph);
  const ValueId x = graph.add_value({"x", DType::kF32, {1, 4, 3, 3}, true});
  graph.inputs = {x};
  const ValueId first = nodes.add("Relu", {x}), begins = nodes.constant(DType::kBool, {}, {1});
  const ValueId on = nodes.add("hone.LoopState", {begins}), y = nodes.add("hone.LoopState", {first});
  const ValueId kernel = nodes.constant(DType::kF32, {4, 4, 1, 1}, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2});
  const ValueId grown = nodes.add("Add", {nodes.add("Conv", {y, kernel}), first});
  const ValueId most = nodes.add("ReduceMax", {grown}, {{"keepdims", int64_t{0}}});
  const ValueId more = nodes.add("Less", {most, nodes.number(DType::kF32, 10)});
  const auto left = nodes.add_all("hone.LoopEnd", {on, more, y, grown}, {{"asks", int64_t{1}}, {"trips", int64_t{0}}}, 2);
  graph.outputs = {nodes.add("Neg", {left[1]})};
  EXPECT_TRUE(graph::prepare_graph(graph, {.verify = true}).ok());
  return graph;
}

// Given a loop, when it is planned, then its launches stand together, what it asks and what is read in later trips shares no memory with what its trips write, and a launch reads
// nothing that it writes.
TEST(ModelPlanLoops, KeepWhatLaterTripsRead) {
  const graph::Graph graph = growing_image();
  const target::Target target = target::webgpu_default();
  const auto plan = plan_model(graph, [&](const te::Task& task) { return compile_kernel(task, baseline_trace(task, target).value(), target); });
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->loops.size(), 1u);
  const PlanLoop loop = plan->loops[0];
  ASSERT_TRUE(loop.condition.has_value());
  EXPECT_GT(loop.first, 0);
  EXPECT_LT(loop.first, loop.last);
  EXPECT_LT(loop.last, static_cast<int>(plan->launches.size()));
  std::set<int> written_in_trip;
  for (int i = loop.first; i < loop.last; i++) {
    const PlanLaunch& launch = plan->launches[static_cast<size_t>(i)];
    std::set<int> read, written;
    for (size_t b = 0; b < launch.buffers.size(); b++) (plan->kernels[static_cast<size_t>(launch.kernel)].writes[b] ? written : read).insert(launch.buffers[b]);
    for (int buffer : written) EXPECT_EQ(read.count(buffer), 0u);
    // What was not written before in this trip is a state, or comes from outside.
    for (int buffer : read) EXPECT_TRUE(written_in_trip.count(buffer) > 0 || buffer != *loop.condition);
    written_in_trip.insert(written.begin(), written.end());
  }
  EXPECT_EQ(written_in_trip.count(*loop.condition), 1u);
  EXPECT_GE(plan->memory.pool_bytes, plan->memory.pool_bytes_min);
}

// Given a loop, when its reference runs, then it is what the evaluator gives; with a token that is cancelled it ends.
TEST(ModelPlanLoops, HaveAReference) {
  const graph::Graph graph = growing_image();
  std::vector<double> image;
  for (int i = 0; i < 36; i++) image.push_back(i % 7 - 3);
  const Tensors inputs = {{graph.inputs[0], graph::from_doubles(DType::kF32, {1, 4, 3, 3}, image)}};
  const auto outputs = reference::reference_run(graph, inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  const auto expected = graph::evaluate_graph(graph, {{graph.inputs[0], image}});
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  EXPECT_EQ(graph::to_doubles((*outputs)[0]), (*expected)[0]);
  EXPECT_EQ(*std::min_element((*expected)[0].begin(), (*expected)[0].end()), -21);  // 3, 9, 21
  CancelToken cancelled;
  cancelled.cancel();
  EXPECT_EQ(reference::reference_run(graph, inputs, &cancelled).error().code, ErrorCode::kCancelled);
}

// Given a recurrent layer that runs backwards along more places than are written out, when prepared, then it is one loop over blocks, and what is left behind them; its reference is the
// recurrence.
TEST(ModelPlanLoops, RunAlongSequences) {
  const int64_t places = 3 * graph::kPlacesWritten + 2;
  graph::Graph graph;
  graph::NodeWriter nodes(graph);
  const ValueId x = graph.add_value({"x", DType::kF32, {places, 1, 1}, true});
  graph.inputs = {x};
  const ValueId w = nodes.constant(DType::kF32, {1, 1, 1}, {0.5}), r = nodes.constant(DType::kF32, {1, 1, 1}, {-0.75});
  const ValueId y = static_cast<ValueId>(graph.values.size());
  graph.add_value({"y"});
  graph::Node layer{.op = "RNN", .inputs = {x, w, r}, .outputs = {y}, .attributes = {{"direction", std::string("reverse")}}};
  const auto results = graph::expand_composed(graph, layer);
  ASSERT_TRUE(results.ok()) << results.error().message;
  graph.outputs = {(*results)[0]};
  ASSERT_TRUE(graph::prepare_graph(graph, {.verify = true}).ok());
  const auto steps = graph::steps_of(graph);
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  ASSERT_EQ(steps->loops.size(), 1u);
  EXPECT_EQ(steps->loops[0].trips, 3);
  EXPECT_LT(steps->steps.size(), graph::kPlacesWritten * 3 / 2);
  std::vector<double> input;
  for (int64_t i = 0; i < places; i++) input.push_back(std::sin(static_cast<double>(i)));
  const auto outputs = reference::reference_run(graph, {{x, graph::from_doubles(DType::kF32, {places, 1, 1}, input)}});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  const std::vector<double> got = graph::to_doubles((*outputs)[0]);
  double state = 0;
  for (int64_t i = places; i-- > 0;) {
    state = std::tanh(0.5 * input[static_cast<size_t>(i)] - 0.75 * state);
    ASSERT_NEAR(got[static_cast<size_t>(i)], state, 1e-5) << i;
  }
}

}  // namespace
}  // namespace hone::package
