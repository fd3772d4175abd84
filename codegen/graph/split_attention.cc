#include <algorithm>
#include <cmath>
#include <map>

#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/matcher.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

// [batch, heads, sequence, features], or with heads and features as one dimension: of queries, keys and values alike.
struct Heads {
  int64_t count = 0, features = 0;
  bool joined = false;
};

class AttentionSplitter {
 public:
  explicit AttentionSplitter(Graph& graph) : graph_(graph), producers_(producers_of(graph)), writer_(graph) {}

  void run() {
    std::swap(nodes_, graph_.nodes);
    for (Node& node : nodes_) {
      if (node.op == "Attention" && is_plain(node)) split(node);
      else graph_.nodes.push_back(node);
    }
  }

 private:
  const Shape& shape(ValueId id) const { return graph_.value(id).shape; }
  Heads heads_of(const OpCall& call) const;
  double scale_of(const OpCall& call) const;
  bool is_plain(const Node& node);
  bool sees_all(const OpCall& call) const;
  bool is_bias(const OpCall& call);
  bool is_finite(ValueId id);
  bool is_finite_constant(ValueId id);
  void split(const Node& node);
  ValueId apart(ValueId x, const Heads& heads);
  ValueId weighted(const OpCall& call, const Heads& heads);

  Graph& graph_;
  const std::vector<int> producers_;
  NodeWriter writer_;
  std::vector<Node> nodes_;          // as they were
  std::map<ValueId, bool> finite_;   // constants that were asked for: many layers share a mask
};

OpCall call_of(te::Builder& builder, const Graph& graph, const Node& node) {
  return {builder, graph, node, [](ValueId, std::string_view) { return nullptr; }};
}

Heads AttentionSplitter::heads_of(const OpCall& call) const {
  const Shape& q = call.value(0).shape;
  if (q.size() == 4) return {q[1], q[3], false};
  const int64_t count = std::max<int64_t>(call.integer("q_num_heads", 0), 1);
  return {count, q[2] / count, true};
}

double AttentionSplitter::scale_of(const OpCall& call) const {
  const double given = call.number("scale", 0);
  return given != 0 ? given : 1 / std::sqrt(double(heads_of(call).features));
}

bool AttentionSplitter::sees_all(const OpCall& call) const {
  return !call.has_input(4) && !call.has_input(5) && !call.has_input(6) && call.integer("is_causal", 0) == 0 && call.number("softcap", 0) == 0 &&
         call.integer("left_window_size", -1) == -1 && call.integer("right_window_size", -1) == -1;
}

bool AttentionSplitter::is_finite_constant(ValueId id) {
  const Value& v = graph_.value(id);
  if (!v.constant || !v.bytes || !ir::is_float(v.dtype)) return false;
  const auto [known, is_new] = finite_.try_emplace(id, false);
  if (!is_new) return known->second;
  const std::vector<double> numbers = to_doubles({v.dtype, v.shape, v.bytes});
  return known->second = std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

// A row of −∞ gives zeros in the whole, and no number in the parts.
bool AttentionSplitter::is_finite(ValueId id) {
  const int maker = producers_[static_cast<size_t>(id)];
  if (maker < 0 || nodes_[static_cast<size_t>(maker)].op != "Where") return is_finite_constant(id);
  const std::vector<ValueId>& arms = nodes_[static_cast<size_t>(maker)].inputs;
  return is_finite_constant(arms[1]) && is_finite_constant(arms[2]);
}

// A mask that is added, for each key.
bool AttentionSplitter::is_bias(const OpCall& call) {
  const Value& mask = call.value(3);
  const int64_t keys = call.value(1).shape[call.value(1).shape.size() - 2];
  return mask.dtype == call.value(0).dtype && !mask.shape.empty() && mask.shape.back() == keys && is_finite(call.id(3));
}

bool AttentionSplitter::is_plain(const Node& node) {
  te::Builder builder;
  const OpCall call = call_of(builder, graph_, node);
  const Value &q = call.value(0), &k = call.value(1);
  const bool same_heads = q.shape.size() == 4 ? q.shape[1] == k.shape[1] : call.integer("q_num_heads", 0) == call.integer("kv_num_heads", 0);
  if (node.outputs.size() != 1 || !same_heads || k.constant || !sees_all(call) || (call.has_input(3) && !is_bias(call))) return false;
  // Lengths follow dimensions that stay as they are.
  const bool is_whole = std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return id == kNoValue || graph_.value(id).lengths.empty(); });
  const int64_t keys = k.shape[k.shape.size() - 2];
  const double scale = scale_of(call), rounded = to_doubles(from_doubles(q.dtype, {}, {scale}))[0];
  return is_whole && keys > 0 && heads_of(call).features > 0 && is_near(rounded, scale, DType::kF32);
}

// [batch, sequence, heads, features] where they are joined.
ValueId AttentionSplitter::apart(ValueId x, const Heads& heads) {
  const Shape s = shape(x);
  return heads.joined ? writer_.reshaped(x, {s[0], s[1], heads.count, s[2] / heads.count}) : x;
}

ValueId AttentionSplitter::weighted(const OpCall& call, const Heads& heads) {
  const std::vector<int64_t> front{0, 2, 1, 3};
  ValueId q = apart(call.id(0), heads), k = apart(call.id(1), heads), v = apart(call.id(2), heads);
  if (heads.joined) q = writer_.transposed(q, front), v = writer_.transposed(v, front);
  k = writer_.transposed(k, heads.joined ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 1, 3, 2});
  ValueId scores = writer_.add("Mul", {writer_.add("MatMul", {q, k}), writer_.number(call.value(0).dtype, scale_of(call))});
  if (call.has_input(3)) scores = writer_.add("Add", {scores, call.id(3)});
  const ValueId y = writer_.add("MatMul", {writer_.add("Softmax", {scores}, {{"axis", int64_t{-1}}}), v});
  return heads.joined ? writer_.transposed(y, front) : y;
}

void AttentionSplitter::split(const Node& node) {
  te::Builder builder;
  const OpCall call = call_of(builder, graph_, node);
  const Heads heads = heads_of(call);
  const size_t first = graph_.nodes.size();
  const ValueId y = weighted(call, heads);
  if (heads.joined) writer_.reshaped(y, shape(node.outputs[0]));
  graph_.nodes.back().outputs = node.outputs;
  for (size_t i = first; i < graph_.nodes.size(); i++) {
    graph_.nodes[i].model_node = node.model_node;
    const Status inferred = infer_node(graph_, graph_.nodes[i]);
    CHECK(inferred.ok(), inferred.error().message);
  }
}

}  // namespace

void split_attention(Graph& graph) { AttentionSplitter(graph).run(); }

}  // namespace hone::graph
