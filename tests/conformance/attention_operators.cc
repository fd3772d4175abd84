// Attention, and losses over classes.
#include "tests/conformance/one_node.h"
#include "tests/conformance/operators.h"

namespace hone::conformance {
namespace {

using graph::Graph;
using enum Values;
using enum Match;

struct AttentionShapes {
  int64_t batch, heads, sharing, queries, keys, past, features, value_features;
};

AttentionShapes attention_shapes(Draw& d) {
  AttentionShapes s{d.between(1, 2), d.between(1, 2), d.between(1, 2), d.extent(7), d.extent(8), d.coin() ? d.extent(5) : 0, d.extent(8), d.extent(8)};
  if (d.role() == Role::kDeep) (d.coin() ? s.keys : s.features) = d.between(2048, 2060), s.queries = 2, s.heads = 1;
  if (d.role() == Role::kUnit) s.queries = 1;
  if (d.role() == Role::kEmpty) (d.coin() ? s.queries : s.batch) = 0;
  return s;
}

Shape operand(int64_t batch, int64_t heads, int64_t sequence, int64_t features, bool joined) {
  return joined ? Shape{batch, sequence, heads * features} : Shape{batch, heads, sequence, features};
}

Graph attention(std::string_view op, Draw& d) {
  const AttentionShapes s = attention_shapes(d);
  const bool joined = d.coin(), has_past = s.past > 0, has_lengths = !has_past && d.below(3) == 0;
  const int64_t heads = s.heads * s.sharing, total = s.past + s.keys;
  OneNode node(op, 25);
  node.input(operand(s.batch, heads, s.queries, s.features, joined)).input(operand(s.batch, s.heads, s.keys, s.features, joined));
  node.input(operand(s.batch, s.heads, s.keys, s.value_features, joined));
  if (joined) node.set("q_num_heads", heads).set("kv_num_heads", s.heads);
  if (d.coin()) node.no_input();
  else node.input(d.coin() ? Shape{s.queries, d.between(1, total)} : Shape{s.batch, 1, s.queries, total}, d.coin() ? DType::kBool : DType::kF32);
  if (has_past) node.input({s.batch, s.heads, s.past, s.features}).input({s.batch, s.heads, s.past, s.value_features});
  if (has_lengths) node.no_input().no_input().input({s.batch}, DType::kI64);
  node.set("is_causal", d.coin());
  if (d.below(3) == 0) node.set("softcap", 2.0);
  if (d.below(3) == 0) node.set("left_window_size", d.between(0, 3)).set("right_window_size", d.between(-1, 2));
  if (d.coin()) return node;
  return node.set("qk_matmul_output_mode", d.any_of({0, 1, 3})).with_outputs(4);
}

Graph class_loss(std::string_view op, Draw& d) {
  Shape x = d.shape(2, 4);
  if (x[1] == 0) x[1] = 1;
  Shape labels = x;
  labels.erase(labels.begin() + 1);
  OneNode node(op);
  node.input(x).input(labels, d.any_of({DType::kI64, DType::kI32}));
  if (d.coin()) node.weights({x[1]});
  if (d.coin()) node.set("ignore_index", d.between(-1, 3));
  return node.set("reduction", d.any_of({"none", "sum", "mean"}));
}

}  // namespace

std::vector<Operator> attention_operators() {
  return {
      {"Attention", attention, kRounded, kAll, -1, 1},
      {"NegativeLogLikelihoodLoss", class_loss},
      {"SoftmaxCrossEntropyLoss", class_loss},
  };
}

}  // namespace hone::conformance
