#include <gtest/gtest.h>

#include "codegen/graph/pass_graphs.h"

namespace hone::graph {
namespace {

struct Wanted {
  std::vector<ValueId> more;  // inputs behind the third
  Attributes attributes;
  int64_t key_heads = 2;
};
std::string left_of(const std::function<Wanted(PassGraph&)>& wanted) {
  PassGraph g;
  const ValueId q = g.input("q", {1, 2, 3, 4});
  const Wanted w = wanted(g);
  std::vector<ValueId> inputs{q, g.input("k", {1, w.key_heads, 5, 4}), g.input("v", {1, w.key_heads, 5, 6})};
  inputs.insert(inputs.end(), w.more.begin(), w.more.end());
  g.output(g.op("Attention", inputs, w.attributes));
  return ops_of(after_pass(g, split_attention));
}

// Given attention to all keys, when split, then it is two products and a Softmax, as an exporter writes it.
TEST(SplitAttention, ToAllKeys) {
  EXPECT_EQ(left_of([](PassGraph&) { return Wanted{}; }), "Transpose MatMul Mul Softmax MatMul");
  EXPECT_EQ(left_of([](PassGraph&) { return Wanted{.attributes = {{"scale", 0.3}}}; }), "Transpose MatMul Mul Softmax MatMul");
  EXPECT_EQ(left_of([](PassGraph& g) { return Wanted{.more = {g.weights("mask", {3, 5})}}; }), "Transpose MatMul Mul Add Softmax MatMul");
  EXPECT_EQ(left_of([](PassGraph& g) {
              const ValueId padded = g.op("Where", {g.input("seen", {1, 1, 1, 5}, DType::kBool), g.number(0), g.number(-10000)});
              return Wanted{.more = {padded}};
            }),
            "Where Transpose MatMul Mul Add Softmax MatMul");
}

// Given heads that lie in one dimension, when split, then they are views before and behind.
TEST(SplitAttention, JoinedHeads) {
  PassGraph g;
  const ValueId q = g.input("q", {2, 3, 8}), k = g.input("k", {2, 5, 8}), v = g.input("v", {2, 5, 12});
  g.output(g.op("Attention", {q, k, v}, {{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{2}}}));
  EXPECT_EQ(ops_of(after_pass(g, split_attention)), "Reshape Reshape Reshape Transpose Transpose Transpose MatMul Mul Softmax MatMul Transpose Reshape");
}

// Given attention that hides keys, caps scores, shares heads or takes a mask that may have rows of −∞, when looked at, then it stays whole.
TEST(SplitAttention, OthersStay) {
  EXPECT_EQ(left_of([](PassGraph&) { return Wanted{.attributes = {{"is_causal", int64_t{1}}}}; }), "Attention");
  EXPECT_EQ(left_of([](PassGraph&) { return Wanted{.attributes = {{"softcap", 2.0}}}; }), "Attention");
  EXPECT_EQ(left_of([](PassGraph&) { return Wanted{.attributes = {{"left_window_size", int64_t{1}}}}; }), "Attention");
  EXPECT_EQ(left_of([](PassGraph&) { return Wanted{.key_heads = 1}; }), "Attention");
  EXPECT_EQ(left_of([](PassGraph& g) { return Wanted{.more = {g.input("mask", {3, 5})}}; }), "Attention");
  EXPECT_EQ(left_of([](PassGraph& g) { return Wanted{.more = {g.constant("mask", {5}, {0, 0, 0, 0, -INFINITY})}}; }), "Attention");
  EXPECT_EQ(left_of([](PassGraph& g) { return Wanted{.more = {g.weights("mask", {3, 4})}}; }), "Attention");
  EXPECT_EQ(left_of([](PassGraph& g) { return Wanted{.more = {g.input("seen", {3, 5}, DType::kBool)}}; }), "Attention");
}

}  // namespace
}  // namespace hone::graph
