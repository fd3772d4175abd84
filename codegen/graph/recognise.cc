#include "codegen/graph/passes.h"

#include <algorithm>
#include <optional>

#include "codegen/graph/limits.h"
#include "codegen/graph/op_arguments.h"

namespace hone::graph {
namespace {

class Matcher {
 public:
  explicit Matcher(Graph& graph) : graph_(graph), producers_(producers_of(graph)), consumers_(consumers_of(graph)), leaves_(marks_of(graph, graph.outputs)) {}

  // Rewrites `root` when it ends the pattern.
  void try_at(int root);

 private:
  Node& node(int i) { return graph_.nodes[static_cast<size_t>(i)]; }
  // The node `op` that makes the value; null for others.
  Node* made_by(ValueId id, std::string_view op) {
    const int i = id == kNoValue ? -1 : producers_[static_cast<size_t>(id)];
    return i >= 0 && node(i).op == op ? &node(i) : nullptr;
  }
  bool read_times(ValueId id, size_t times) const {
    return consumers_[static_cast<size_t>(id)].size() == times && !leaves_[static_cast<size_t>(id)];
  }
  std::optional<double> scalar(ValueId id) const {
    const Value& v = graph_.value(id);
    if (!v.constant || !v.bytes || ir::element_count(v.shape) != 1) return std::nullopt;
    return to_doubles({v.dtype, v.shape, v.bytes})[0];
  }
  std::vector<int64_t> named_axes(const Node& mean) const;
  std::optional<std::vector<int64_t>> mean_axes(const Node& mean) const;
  // x, when `id` is x².
  ValueId squared(ValueId id);
  // The node reads `inputs` from now on.
  void rewire(int i, std::vector<ValueId> inputs);

  Graph& graph_;
  std::vector<int> producers_;
  std::vector<std::vector<int>> consumers_;
  std::vector<bool> leaves_;  // values that the graph hands out
};

// The attribute, or from opset 18 on the second input; empty where there is none, or its contents are not known.
std::vector<int64_t> Matcher::named_axes(const Node& mean) const {
  const auto it = mean.attributes.find("axes");
  const auto* named = it == mean.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&it->second);
  if (named) return *named;
  if (mean.inputs.size() < 2 || mean.inputs[1] == kNoValue) return {};
  const Value& v = graph_.value(mean.inputs[1]);
  if (!v.constant || !v.bytes || ir::element_count(v.shape) > static_cast<int64_t>(kRankMax)) return {};
  std::vector<int64_t> out;
  for (double axis : to_doubles({v.dtype, v.shape, v.bytes})) out.push_back(static_cast<int64_t>(axis));
  return out;
}

// The reduced axes of a ReduceMean that keeps its dimensions.
std::optional<std::vector<int64_t>> Matcher::mean_axes(const Node& mean) const {
  const auto keep = mean.attributes.find("keepdims");
  if (const auto* kept = keep == mean.attributes.end() ? nullptr : std::get_if<int64_t>(&keep->second);
      kept && *kept == 0)
    return std::nullopt;
  const std::vector<int64_t> named = named_axes(mean);
  if (named.empty()) return std::nullopt;
  auto axes = axes_in(named, graph_.value(mean.inputs[0]).shape.size());
  if (!axes.ok()) return std::nullopt;
  std::sort(axes->begin(), axes->end());
  return *axes;
}

ValueId Matcher::squared(ValueId id) {
  if (!read_times(id, 1)) return kNoValue;
  if (const Node* pow = made_by(id, "Pow")) return scalar(pow->inputs[1]) == 2.0 ? pow->inputs[0] : kNoValue;
  const Node* mul = made_by(id, "Mul");
  return mul && mul->inputs[0] == mul->inputs[1] ? mul->inputs[0] : kNoValue;
}

void Matcher::rewire(int i, std::vector<ValueId> inputs) {
  for (ValueId id : node(i).inputs) {
    std::vector<int>& readers = consumers_[static_cast<size_t>(id)];
    readers.erase(std::find(readers.begin(), readers.end(), i));
  }
  for (ValueId id : inputs) consumers_[static_cast<size_t>(id)].push_back(i);
  node(i).inputs = std::move(inputs);
}

void Matcher::try_at(int root) {
  Node& div = node(root);
  if (div.op != "Div") return;
  const ValueId centered = div.inputs[0];
  const Node *sub = made_by(centered, "Sub"), *root_of = made_by(div.inputs[1], "Sqrt");
  if (!sub || !root_of || !read_times(div.inputs[1], 1)) return;
  const Node *mean = made_by(sub->inputs[1], "ReduceMean"), *add = made_by(root_of->inputs[0], "Add");
  if (!mean || !add || mean->inputs[0] != sub->inputs[0] || !read_times(sub->inputs[1], 1) ||
      !read_times(root_of->inputs[0], 1))
    return;
  for (size_t side = 0; side < 2; side++) {
    const Node* variance = made_by(add->inputs[side], "ReduceMean");
    const auto epsilon = scalar(add->inputs[1 - side]);
    if (!variance || !epsilon || *epsilon < 0 || !read_times(add->inputs[side], 1)) continue;
    const auto axes = mean_axes(*mean), same = mean_axes(*variance);
    const ValueId x = squared(variance->inputs[0]);
    const bool by_itself = x == centered && read_times(centered, made_by(variance->inputs[0], "Mul") ? 3 : 2);
    if (!axes || axes != same || !by_itself || graph_.value(x).dtype != DType::kF32) continue;
    div.op = "MeanVarianceNormalization";
    rewire(root, {mean->inputs[0]});
    div.attributes = {{"axes", *axes}, {"epsilon", *epsilon}};
    return;
  }
}

}  // namespace

void recognise_standardization(Graph& graph) {
  Matcher matcher(graph);
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); i++) matcher.try_at(i);
}

}  // namespace hone::graph
