// Operators that stand for others: numbers that are drawn, looked up, decided, and made of matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

std::string with_number(const std::string& name, double value) { return cat("attribute { name: '", name, "' type: FLOAT f: ", value, " } "); }
std::string with_integers(const std::string& name, const std::vector<int64_t>& values) {
  std::string out = cat("attribute { name: '", name, "' type: INTS ");
  for (int64_t v : values) out += cat("ints: ", v, " ");
  return out + "} ";
}
std::string with_numbers(const std::string& name, const std::vector<double>& values) {
  std::string out = cat("attribute { name: '", name, "' type: TENSOR t { data_type: 1 dims: ", values.size(), " ");
  for (double v : values) out += cat("float_data: ", std::isnan(v) ? std::string("nan") : cat(v), " ");
  return out + "} } ";
}

std::vector<double> drawn(const std::string& node_text) {
  auto graph = graph_from_onnx(model_bytes(node_text + output("y"), 22), {});
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  if (!graph.ok() || !prepare_graph(*graph, {.verify = true}).ok()) return {};
  const Value& y = graph->value(graph->outputs[0]);
  return y.bytes ? to_doubles({y.dtype, y.shape, y.bytes}) : std::vector<double>();
}

// Given seeds, when numbers are drawn, then one seed gives the same numbers each time, and others give others; they have the range, mean and spread that was asked for.
TEST(Random, FollowsTheSeed) {
  const std::string shape = with_integers("shape", {100, 50});
  const auto uniform = [&](double seed) { return drawn(node("RandomUniform", {}, "y", shape + with_number("seed", seed) + with_number("low", 2) + with_number("high", 4))); };
  const std::vector<double> first = uniform(1);
  ASSERT_EQ(first.size(), 5000u);
  EXPECT_EQ(first, uniform(1));
  EXPECT_NE(first, uniform(2));
  EXPECT_GE(*std::min_element(first.begin(), first.end()), 2);
  EXPECT_LE(*std::max_element(first.begin(), first.end()), 4);
  const std::vector<double> normal = drawn(node("RandomNormal", {}, "y", shape + with_number("seed", 3) + with_number("mean", 5) + with_number("scale", 2)));
  double sum = 0, squares = 0;
  for (double v : normal) sum += v, squares += (v - 5) * (v - 5);
  // Five standard errors of 5000 numbers.
  EXPECT_NEAR(sum / 5000, 5, 5 * 2 / std::sqrt(5000.0));
  EXPECT_NEAR(squares / 5000, 4, 5 * 4 * std::sqrt(2 / 5000.0));
}

// Given two nodes without a seed, when numbers are drawn, then each has its own, and a second reading has them again.
TEST(Random, WithoutASeedEachNodeHasItsOwn) {
  const std::string shape = with_integers("shape", {3}), both = node("RandomUniform", {}, "a", shape) + node("RandomUniform", {}, "b", shape);
  const std::string text = both + node("Sub", {"a", "b"}, "y");
  const std::vector<double> difference = drawn(text);
  ASSERT_EQ(difference.size(), 3u);
  EXPECT_NE(difference[0], 0);
  EXPECT_EQ(difference, drawn(text));
}

// Given nodes that draw more numbers in all than a model may hold, and one that draws too many, when read, then each is refused in a sentence.
TEST(Random, NotMoreThanAModelMayHold) {
  std::string many;
  for (int i = 0; i < 5; i++) many += node("RandomUniform", {}, cat("r", i), with_integers("shape", {4096, 4096}));
  EXPECT_SAYS(message_of(model_bytes(many + node("Sum", {"r0", "r1", "r2", "r3", "r4"}, "y") + output("y"), 22), ErrorCode::kLimitExceeded), "elements; expected at most 67108864");
  EXPECT_SAYS(message_of(model_bytes(node("RandomUniform", {}, "y", with_integers("shape", {1 << 20, 1 << 10})) + output("y"), 22), ErrorCode::kLimitExceeded), "draws 1073741824 numbers");
}

// Given probabilities of 0 and 1, and weights of which one class has all, when drawn by them, then nothing is left to chance.
TEST(Random, CertainProbabilities) {
  const std::string p = "initializer { name: 'p' data_type: 1 dims: 2 float_data: 0 float_data: 1 } ";
  EXPECT_EQ(drawn(p + node("Bernoulli", {"p"}, "y")), (std::vector<double>{0, 1}));
  const std::string w = "initializer { name: 'w' data_type: 1 dims: 1 dims: 3 float_data: -100 float_data: 100 float_data: -100 } ";
  EXPECT_EQ(drawn(w + node("Multinomial", {"w"}, "y", with_integer("sample_size", 4))), (std::vector<double>{1, 1, 1, 1}));
}

// Given keys and values, when labels are looked up, then those that no key equals have the default.
TEST(Labels, OfWholeNumbersAndFloats) {
  const std::string domain = "domain: 'ai.onnx.ml' ", keys = with_integers("keys_int64s", {3, 1});
  EXPECT_EQ(results_of(model_bytes(input("x", dim(4), 7) + node("LabelEncoder", {"x"}, "y", domain + keys + with_integers("values_int64s", {30, 10}) + with_integer("default_int64", 7)) + output("y"))), "y=10,7,30,7,");
  const std::string floats = "attribute { name: 'values_floats' type: FLOATS floats: 0.5 floats: 1.5 } ";
  EXPECT_EQ(results_of(model_bytes(input("x", dim(4), 7) + node("LabelEncoder", {"x"}, "y", domain + keys + floats) + output("y"))), "y=1.5,0,0.5,0,");
  EXPECT_SAYS(message_of(model_bytes(input("x", dim(4), 7) + node("LabelEncoder", {"x"}, "y", domain + keys) + output("y")), ErrorCode::kUnsupported), "has no values that are numbers");
}

std::string tree(const std::string& rest) {
  return model_bytes(input("x", dim(2) + dim(2)) + node("TreeEnsemble", {"x"}, "y", "domain: 'ai.onnx.ml' " + rest) + output("y"));
}

// Given two trees, x0 ≤ 2 ? (x1 in {2, 5} ? a : b) : c and x1 > 3 ? a : c, when rows (1, 2) and (3, 4) go through them, then each row has the sums, or means, of the leaves that it reaches.
TEST(Trees, SumsOfLeaves) {
  const std::string nodes = with_integers("tree_roots", {0, 2}) + with_integers("nodes_featureids", {0, 1, 1}) + with_integers("nodes_truenodeids", {1, 0, 0}) + with_integers("nodes_falsenodeids", {2, 1, 2}) +
                            with_integers("nodes_trueleafs", {0, 1, 1}) + with_integers("nodes_falseleafs", {1, 1, 1}) + with_numbers("nodes_modes", {0, 6, 3}) + with_numbers("nodes_splits", {2, 0, 3}) +
                            with_numbers("membership_values", {2, 5, NAN}) + with_integers("leaf_targetids", {0, 1, 1}) + with_numbers("leaf_weights", {10, 20, 40}) + with_integer("n_targets", 2);
  EXPECT_EQ(results_of(tree(nodes)), "y=10,40,10,40,");
  EXPECT_EQ(results_of(tree(nodes + with_integer("aggregate_function", 0))), "y=5,20,5,20,");
}

// Given a tree that goes round in a circle, or names what is not there, when read, then it is refused in a sentence.
TEST(Trees, HostileOnes) {
  const auto said = [](int64_t next, int64_t feature, int64_t target) {
    return message_of(tree(with_integers("tree_roots", {0}) + with_integers("nodes_featureids", {feature}) + with_integers("nodes_truenodeids", {next}) + with_integers("nodes_falsenodeids", {0}) +
                           with_integers("nodes_trueleafs", {next == 0 ? 1 : 0}) + with_integers("nodes_falseleafs", {1}) + with_numbers("nodes_modes", {0}) + with_numbers("nodes_splits", {2}) +
                           with_integers("leaf_targetids", {target}) + with_numbers("leaf_weights", {10})),
                      ErrorCode::kBadModel);
  };
  EXPECT_SAYS(said(7, 0, 0), "names the node 7 of 1");
  EXPECT_SAYS(said(-1, 0, 0), "names the node -1 of 1");
  EXPECT_SAYS(said(0, 2, 0), "nodes_featureids");
  EXPECT_SAYS(said(0, 0, 1), "leaf_targetids");
  const std::string circle = with_integers("tree_roots", {0}) + with_integers("nodes_featureids", {0, 0}) + with_integers("nodes_truenodeids", {1, 0}) + with_integers("nodes_falsenodeids", {1, 0}) +
                             with_integers("nodes_trueleafs", {0, 0}) + with_integers("nodes_falseleafs", {0, 0}) + with_numbers("nodes_modes", {0, 0}) + with_numbers("nodes_splits", {2, 2}) +
                             with_integers("leaf_targetids", {0}) + with_numbers("leaf_weights", {10});
  EXPECT_SAYS(message_of(tree(circle), ErrorCode::kLimitExceeded), "has a cycle");
}

// Given matrices 1 2 / 3 4 and one without an inverse, when their determinants are asked for, then a row that moves to the top changes the sign.
TEST(Determinant, OfSmallMatrices) {
  EXPECT_EQ(results_of(model_bytes(input("x", dim(2) + dim(2)) + node("Det", {"x"}, "y") + output("y"))), "y=-2,");
  EXPECT_EQ(results_of(model_bytes(input("x", dim(3) + dim(3)) + node("Det", {"x"}, "y") + output("y"))), "y=0,");
  EXPECT_SAYS(message_of(model_bytes(input("x", dim(2) + dim(3)) + node("Det", {"x"}, "y") + output("y")), ErrorCode::kBadModel), "have no determinant");
}

// Given a bank of bands, when its matrix is made, then each band rises to its centre and falls behind it, and no bin outside has weight.
TEST(Mel, BandsRiseAndFall) {
  const auto number = [](const std::string& name, int type, const std::string& value) { return cat("initializer { name: '", name, "' data_type: ", type, type == 7 ? " int64_data: " : " float_data: ", value, " } "); };
  const std::vector<double> weights = drawn(number("bands", 7, "4") + number("length", 7, "64") + number("rate", 7, "8000") + number("low", 1, "0") + number("high", 1, "4000") +
                                            node("MelWeightMatrix", {"bands", "length", "rate", "low", "high"}, "y"));
  ASSERT_EQ(weights.size(), 33u * 4);
  for (size_t band = 0; band < 4; band++) {
    size_t peak = 0;
    for (size_t bin = 0; bin < 33; bin++)
      if (weights[bin * 4 + band] > weights[peak * 4 + band]) peak = bin;
    EXPECT_EQ(weights[peak * 4 + band], 1) << band;
    for (size_t bin = 1; bin <= peak; bin++) EXPECT_GE(weights[bin * 4 + band], weights[(bin - 1) * 4 + band]) << band;
    for (size_t bin = peak + 1; bin < 33; bin++) EXPECT_LE(weights[bin * 4 + band], weights[(bin - 1) * 4 + band]) << band;
  }
}

// Given a sequence whose tensors have different sizes, when they are given, then each element has its own; a plain input's open sizes follow from what is given, too.
TEST(GivenInputs, TellOpenSizes) {
  const std::string list = "input { name: 's' type { sequence_type { elem_type { tensor_type { elem_type: 1 shape { dim { dim_param: 'N' } } } } } } } ";
  const std::string text = model_bytes(list + integers("i", {1}) + node("SequenceAt", {"s", "i"}, "y") + output("y"));
  ImportOptions options;
  options.shapes = {{"s.0", {2}}, {"s.1", {3}}};
  EXPECT_EQ(results_of(text, options), "y=1,2,3,");
  const std::string open = model_bytes("input { name: 'x' type { tensor_type { elem_type: 1 shape { dim { dim_param: 'N' } } } } } " + node("Neg", {"x"}, "y") + output("y"));
  options.shapes = {{"x", {2}}};
  EXPECT_EQ(results_of(open, options), "y=-1,-2,");
  options.shapes = {{"x", {2, 2}}};
  EXPECT_SAYS(results_of(open, options), "the model expects 1 dimensions");
}

}  // namespace
}  // namespace hone::graph
