#include "codegen/graph/matcher.h"

#include <algorithm>
#include <cmath>

#include "codegen/graph/limits.h"
#include "codegen/graph/op_arguments.h"

namespace hone::graph {
namespace {

constexpr int kProductDepth = 4;  // of nodes: a GELU's is 3

}  // namespace

bool Product::is_of(std::vector<ValueId> wanted) const {
  return values.size() == wanted.size() && std::is_permutation(values.begin(), values.end(), wanted.begin());
}

Matcher::Matcher(Graph& graph) : graph_(graph), producers_(producers_of(graph)), consumers_(consumers_of(graph)), leaves_(marks_of(graph, graph.outputs)) {}

const Node* Matcher::made_by(ValueId id, std::string_view op) const {
  const bool known = id != kNoValue && static_cast<size_t>(id) < producers_.size();
  const int i = known ? producers_[static_cast<size_t>(id)] : -1;
  return i >= 0 && node(i).op == op ? &node(i) : nullptr;
}

bool Matcher::is_read_times(ValueId id, size_t times) const {
  const auto at = static_cast<size_t>(id);
  return id != kNoValue && at < consumers_.size() && consumers_[at].size() == times && !leaves_[at];
}

int Matcher::only_reader(ValueId id) const { return is_read_times(id, 1) ? consumers_[static_cast<size_t>(id)][0] : -1; }

std::optional<double> Matcher::number(ValueId id) const {
  if (id == kNoValue) return std::nullopt;
  const Value& v = value(id);
  if (!v.constant || !v.bytes || ir::element_count(v.shape) != 1) return std::nullopt;
  return to_doubles({v.dtype, v.shape, v.bytes})[0];
}

// The attribute, or from opset 18 on the second input; none where there is neither, or its contents are not known.
std::optional<std::vector<int64_t>> Matcher::named_axes(const Node& reduction) const {
  const auto it = reduction.attributes.find("axes");
  const auto* named = it == reduction.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&it->second);
  if (named) return *named;
  if (reduction.inputs.size() < 2 || reduction.inputs[1] == kNoValue) return std::nullopt;
  const Value& v = value(reduction.inputs[1]);
  if (!v.constant || !v.bytes || ir::element_count(v.shape) > static_cast<int64_t>(kRankMax)) return std::nullopt;
  std::vector<int64_t> out;
  for (double axis : to_doubles({v.dtype, v.shape, v.bytes})) out.push_back(static_cast<int64_t>(axis));
  return out;
}

std::optional<std::vector<int64_t>> Matcher::kept_axes(const Node& reduction) const {
  const auto keep = reduction.attributes.find("keepdims");
  const auto* kept = keep == reduction.attributes.end() ? nullptr : std::get_if<int64_t>(&keep->second);
  if (kept && *kept == 0) return std::nullopt;
  const auto named = named_axes(reduction);
  if (!named || named->empty()) return std::nullopt;
  auto axes = axes_in(*named, value(reduction.inputs[0]).shape.size());
  if (!axes.ok()) return std::nullopt;
  std::sort(axes->begin(), axes->end());
  return *axes;
}

ValueId Matcher::squared(ValueId id) const {
  if (const Node* pow = made_for_one(id, "Pow")) return number(pow->inputs[1]) == 2.0 ? pow->inputs[0] : kNoValue;
  const Node* mul = made_for_one(id, "Mul");
  return mul && mul->inputs[0] == mul->inputs[1] ? mul->inputs[0] : kNoValue;
}

void Matcher::multiply(Product& out, ValueId id, int depth) const {
  if (const auto factor = number(id)) {
    out.factor *= *factor;
    return;
  }
  const bool looked_into = depth == 0 || (depth < kProductDepth && is_read_times(id, 1));
  if (const Node* mul = looked_into ? made_by(id, "Mul") : nullptr) {
    for (ValueId operand : mul->inputs) multiply(out, operand, depth + 1);
    return;
  }
  const Node* div = looked_into ? made_by(id, "Div") : nullptr;
  if (const auto divisor = div ? number(div->inputs[1]) : std::nullopt) {
    out.factor /= *divisor;
    multiply(out, div->inputs[0], depth + 1);
    return;
  }
  const Node* pow = looked_into ? made_by(id, "Pow") : nullptr;
  const auto exponent = pow ? number(pow->inputs[1]) : std::nullopt;
  const bool is_short = exponent == 2.0 || exponent == 3.0;
  out.values.insert(out.values.end(), is_short ? static_cast<size_t>(*exponent) : 1, is_short ? pow->inputs[0] : id);
}

Product Matcher::product(ValueId id) const {
  Product out;
  multiply(out, id, 0);
  return out;
}

void Matcher::replace(int i, std::string_view op, std::vector<ValueId> inputs, Attributes attributes) {
  Node& replaced = graph_.nodes[static_cast<size_t>(i)];
  for (ValueId id : replaced.inputs) {
    if (id == kNoValue) continue;
    std::vector<int>& readers = consumers_[static_cast<size_t>(id)];
    readers.erase(std::find(readers.begin(), readers.end(), i));
  }
  for (ValueId id : inputs)
    if (id != kNoValue && static_cast<size_t>(id) < consumers_.size()) consumers_[static_cast<size_t>(id)].push_back(i);
  replaced.op = op;
  replaced.inputs = std::move(inputs);
  replaced.attributes = std::move(attributes);
}

bool is_near(double a, double b, DType dtype) {
  constexpr double kRoundings = 4;
  const int fraction_bits = dtype == DType::kBF16 ? 7 : dtype == DType::kF16 ? 10 : 23;
  return std::fabs(a - b) <= kRoundings * std::ldexp(std::fabs(b), -fraction_bits);
}

}  // namespace hone::graph
