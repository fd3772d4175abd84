// Recurrent operators of ONNX, written out, against loops written by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/onnx_import_models.h"
#include "codegen/graph/prepare_graph.h"

namespace hone::graph {
namespace {

using Values = std::vector<double>;
constexpr int64_t kBatch = 2, kFeatures = 3, kUnits = 2;

Values drawn(int64_t count, uint64_t seed) {
  Values out;
  for (int64_t i = 0; i < count; i++) out.push_back(uniform_at(seed, static_cast<uint64_t>(i)) - 0.5);
  return out;
}

std::string dims_of(const Shape& shape) {
  std::string out;
  for (int64_t extent : shape) out += dim(extent);
  return out;
}

struct Given {
  std::string name;
  Shape shape;
  int type = 1;
};

// The results of one node over these inputs, which are all inputs of the model.
std::vector<Values> results_of(const std::string& op, const std::vector<Given>& inputs, const std::vector<Values>& values, int outputs, const std::string& attributes) {
  std::string text, names;
  for (const Given& g : inputs) {
    names += cat("input: '", g.name, "' ");
    if (!g.name.empty()) text += input(g.name, dims_of(g.shape), g.type);
  }
  for (int i = 0; i < outputs; i++) names += cat("output: 'out", i, "' "), text += output(cat("out", i));
  auto graph = graph_from_onnx(model_bytes(cat("node { op_type: '", op, "' ", names, attributes, "} ", text), 22), {});
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  if (!graph.ok()) return {};
  const Status prepared = prepare_graph(*graph, {.verify = true});
  EXPECT_TRUE(prepared.ok()) << (prepared.ok() ? "" : prepared.error().message);
  ValueMap map;
  for (size_t i = 0; i < values.size(); i++) map[graph->inputs[i]] = values[i];
  const auto results = evaluate_graph(*graph, map);
  EXPECT_TRUE(results.ok()) << (results.ok() ? "" : results.error().message);
  return results.ok() ? *results : std::vector<Values>{};
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double clipped(double x, double clip) { return std::max(-clip, std::min(clip, x)); }

// One LSTM direction over sequences of the batch, each of its own length; from the end where `reverse`.
struct LongShortLoop {
  Values x, w, r, bias, peepholes;
  std::vector<int64_t> lengths;
  double clip = 1e9;
  bool reverse = false, coupled = false;
  int64_t time = 0;
  Values y = Values(static_cast<size_t>(time * kBatch * kUnits), 0), h = Values(kBatch * kUnits, 0), c = h;

  double gate(int64_t t, int64_t n, int64_t g) const {
    double sum = bias[static_cast<size_t>(g)] + bias[static_cast<size_t>(4 * kUnits + g)];
    for (int64_t i = 0; i < kFeatures; i++) sum += x[static_cast<size_t>((t * kBatch + n) * kFeatures + i)] * w[static_cast<size_t>(g * kFeatures + i)];
    for (int64_t i = 0; i < kUnits; i++) sum += h[static_cast<size_t>(n * kUnits + i)] * r[static_cast<size_t>(g * kUnits + i)];
    return sum;
  }
  void step(int64_t t, int64_t n) {
    Values hidden, cell;
    for (int64_t u = 0; u < kUnits; u++) {
      const double old = c[static_cast<size_t>(n * kUnits + u)];
      const auto peep = [&](int64_t which, double state) { return peepholes[static_cast<size_t>(which * kUnits + u)] * state; };
      const double in = sigmoid(clipped(gate(t, n, u) + peep(0, old), clip));
      const double forget = coupled ? 1 - in : sigmoid(clipped(gate(t, n, 2 * kUnits + u) + peep(2, old), clip));
      const double now = forget * old + in * std::tanh(clipped(gate(t, n, 3 * kUnits + u), clip));
      cell.push_back(now);
      hidden.push_back(sigmoid(clipped(gate(t, n, kUnits + u) + peep(1, now), clip)) * std::tanh(now));
    }
    for (int64_t u = 0; u < kUnits; u++) {
      const auto at = static_cast<size_t>(n * kUnits + u);
      c[at] = cell[static_cast<size_t>(u)];
      y[static_cast<size_t>(t * kBatch * kUnits) + at] = h[at] = hidden[static_cast<size_t>(u)];
    }
  }
  void run() {
    for (int64_t n = 0; n < kBatch; n++)
      for (int64_t i = 0; i < lengths[static_cast<size_t>(n)]; i++) step(reverse ? lengths[static_cast<size_t>(n)] - 1 - i : i, n);
  }
};

void expect_close(const Values& got, const Values& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); i++) EXPECT_NEAR(got[i], expected[i], 1e-6) << "element " << i;
}

// Given an LSTM with peepholes, biases, a clip and coupled gates over sequences of different lengths, written out or in a loop, when it runs forward and from the end, then each
// sequence ends where its length says: results behind it are 0, and the states are those of its last element.
TEST(Recurrent, LongShortOverLengths) {
  const int64_t long_time = 2 * kPlacesWritten + 3;
  for (const auto& [time, last] : std::vector<std::pair<int64_t, int64_t>>{{4, 2}, {long_time, kPlacesWritten + 1}})
    for (const bool reverse : {false, true})
      for (const bool coupled : {false, true}) {
        LongShortLoop loop{drawn(time * kBatch * kFeatures, 1), drawn(4 * kUnits * kFeatures, 2), drawn(4 * kUnits * kUnits, 3), drawn(8 * kUnits, 4), drawn(3 * kUnits, 5), {time, last}, 0.3, reverse, coupled, time};
        loop.run();
        const std::vector<Given> inputs{{"X", {time, kBatch, kFeatures}}, {"W", {1, 4 * kUnits, kFeatures}}, {"R", {1, 4 * kUnits, kUnits}}, {"B", {1, 8 * kUnits}}, {"L", {kBatch}, 6}, {"", {}}, {"", {}}, {"P", {1, 3 * kUnits}}};
        const std::string attributes = cat(with_integer("hidden_size", kUnits), with_text("direction", reverse ? "reverse" : "forward"), with_integer("input_forget", coupled), "attribute { name: 'clip' type: FLOAT f: 0.3 } ");
        const auto got = results_of("LSTM", inputs, {loop.x, loop.w, loop.r, loop.bias, {double(time), double(last)}, loop.peepholes}, 3, attributes);
        ASSERT_EQ(got.size(), 3u);
        expect_close(got[0], loop.y);
        expect_close(got[1], loop.h);
        expect_close(got[2], loop.c);
      }
}

// Given a long sequence for an RNN in both directions, when it runs, then each direction passes on what it left from block to block: the states are its last results, and each
// result follows from the one before.
TEST(Recurrent, BlocksPassTheirStatesOn) {
  const int64_t time = 3 * kPlacesWritten + 5;
  const Values x = drawn(time, 7), w{0.75, -0.5}, r{0.5, 0.875};
  const auto got = results_of("RNN", {{"X", {time, 1, 1}}, {"W", {2, 1, 1}}, {"R", {2, 1, 1}}}, {x, w, r}, 2, cat(with_text("direction", "bidirectional"), with_integer("hidden_size", 1)));
  ASSERT_EQ(got.size(), 2u);
  Values y(static_cast<size_t>(2 * time)), last{0, 0};
  for (size_t d = 0; d < 2; d++)
    for (int64_t i = 0; i < time; i++) {
      const auto at = static_cast<size_t>(d == 0 ? i : time - 1 - i);
      y[2 * at + d] = last[d] = std::tanh(w[d] * x[at] + r[d] * last[d]);
    }
  expect_close(got[0], y);
  expect_close(got[1], last);
}

// Given linear attention with decay and rate over a long sequence, when it runs, then the state follows the gated delta rule from block to block.
TEST(Recurrent, AssociationsAlongALongSequence) {
  const int64_t time = 2 * kPlacesWritten + 1;
  const auto at = [](const Values& v, int64_t i) { return v[static_cast<size_t>(i)]; };
  const Values q = drawn(2 * time, 1), k = drawn(2 * time, 2), v = drawn(time, 3), decay = drawn(time, 4), rate = drawn(time, 5);
  const std::vector<Given> inputs{{"Q", {1, time, 2}}, {"K", {1, time, 2}}, {"V", {1, time, 1}}, {"", {}}, {"D", {1, time, 1}}, {"R", {1, time, 1}}};
  const auto got = results_of("LinearAttention", inputs, {q, k, v, decay, rate}, 2, cat(with_integer("q_num_heads", 1), with_integer("kv_num_heads", 1), "attribute { name: 'scale' type: FLOAT f: 1 } "));
  ASSERT_EQ(got.size(), 2u);
  Values y, state{0, 0};
  for (int64_t t = 0; t < time; t++) {
    for (double& s : state) s *= std::exp(at(decay, t));
    const double told = at(rate, t) * (at(v, t) - state[0] * at(k, 2 * t) - state[1] * at(k, 2 * t + 1));
    for (int64_t i = 0; i < 2; i++) state[static_cast<size_t>(i)] += at(k, 2 * t + i) * told;
    y.push_back(state[0] * at(q, 2 * t) + state[1] * at(q, 2 * t + 1));
  }
  expect_close(got[0], y);
  expect_close(got[1], state);
}

// Given an RNN in two directions with functions of their own, when it runs, then the first parameter is that of the first function that takes one.
TEST(Recurrent, FunctionsOfEachDirection) {
  const std::vector<Given> inputs{{"X", {2, 1, 1}}, {"W", {2, 1, 1}}, {"R", {2, 1, 1}}};
  const std::string functions = "attribute { name: 'activations' type: STRINGS strings: 'Relu' strings: 'LeakyRelu' } attribute { name: 'activation_alpha' type: FLOATS floats: 0.5 } ";
  const auto got = results_of("RNN", inputs, {{1, -3}, {1, 1}, {2, 4}}, 2, cat(functions, with_text("direction", "bidirectional"), with_integer("hidden_size", 1)));
  ASSERT_EQ(got.size(), 2u);
  // Forward: relu(1) = 1, relu(−3 + 2) = 0. From the end: leaky(−3) = −1.5, leaky(1 − 6) = −2.5.
  expect_close(got[0], {1, -2.5, 0, -1.5});
  expect_close(got[1], {0, -2.5});
}

// Given weights that do not fit, an unknown function or too few functions, when the model is read, then one sentence names the node.
TEST(Recurrent, RefusesWhatDoesNotFit) {
  const auto message = [](const std::string& attributes, int64_t units) {
    const std::string text = cat("node { op_type: 'RNN' name: 'r' input: 'X' input: 'W' input: 'R' output: 'y' ", attributes, "} ", input("X", dims_of({2, 1, 3})), input("W", dims_of({1, units, 3})),
                                 input("R", dims_of({1, 2, 2})), output("y"));
    const auto tasks = tasks_from_onnx(model_bytes(text, 22));
    return tasks.ok() ? std::string("accepted") : tasks.error().message;
  };
  EXPECT_EQ(message("", 2), "accepted");
  EXPECT_SAYS(message("", 3), "node 'r' (RNN): inputs and weights of shapes 2x1x3, 1x3x3 and 1x2x2 do not fit");
  EXPECT_SAYS(message("attribute { name: 'activations' type: STRINGS strings: 'Sine' } ", 2), "the activation 'Sine' is not supported");
  EXPECT_SAYS(message(cat(with_text("direction", "bidirectional")), 2), "do not fit 2 direction(s)");
  EXPECT_SAYS(message("attribute { name: 'activations' type: STRINGS strings: 'Tanh' strings: 'Tanh' } ", 2), "has 2 activations; expected 1");
}

}  // namespace
}  // namespace hone::graph
