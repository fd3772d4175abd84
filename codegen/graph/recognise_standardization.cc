#include <algorithm>

#include "codegen/graph/matcher.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

using Axes = std::vector<int64_t>;

// ReduceMean(of²) + ε
struct Spread {
  ValueId of = kNoValue;
  size_t reads = 0;  // of it, by the square
  Axes axes;
  double epsilon = 0;
};

// What a division by √spread divides: (x − mean) or x.
struct Division {
  ValueId dividend = kNoValue, spread = kNoValue;
};

// x · factor + (bias − mean · factor), as TensorFlow writes it; factor = scale / √spread.
struct Folded {
  ValueId x = kNoValue, mean = kNoValue, factor = kNoValue, bias = kNoValue;
};
struct ScaledRoot {
  ValueId scale = kNoValue, root = kNoValue;
};

class StandardizationMatcher {
 public:
  explicit StandardizationMatcher(Graph& graph) : m_(graph) {}

  void run() {
    for (int i = 0; i < m_.nodes(); i++)
      if (!try_division(i)) try_folded(i);
  }

 private:
  ValueId root_of(ValueId id) const;
  ValueId inverse_root_of(ValueId id) const;
  std::optional<Division> division_at(const Node& node) const;
  std::optional<Spread> spread_of(ValueId id) const;
  const Node* centered(ValueId d, const Axes& axes) const;
  bool is_centered_by(const Division& division, const Spread& spread, ValueId* x) const;
  bool try_division(int last);
  void write_standardization(int last, ValueId x, const Spread& spread);
  bool try_root_mean_square(int last, const Division& division, const Spread& spread);
  bool try_folded(int last);
  ValueId other_factor(const Node& product, ValueId b) const;
  std::optional<Folded> folded_in(const Node& product, const Node& rest) const;
  std::optional<Folded> folded_at(const Node& last) const;
  std::optional<ScaledRoot> scaled_root(ValueId factor) const;
  bool is_parameter(ValueId parameter, ValueId x, const Axes& axes) const;
  // The other operand of the node `op` that alone reads the value, when it is a parameter; its place in `reader`.
  ValueId parameter_behind(ValueId id, std::string_view op, ValueId x, const Axes& axes, int* reader) const;

  Matcher m_;
};

// a, when the value is √a.
ValueId StandardizationMatcher::root_of(ValueId id) const {
  if (const Node* root = m_.made_for_one(id, "Sqrt")) return root->inputs[0];
  const Node* pow = m_.made_for_one(id, "Pow");
  return pow && m_.number(pow->inputs[1]) == 0.5 ? pow->inputs[0] : kNoValue;
}

// a, when the value is 1 / √a. The value itself may be read more often.
ValueId StandardizationMatcher::inverse_root_of(ValueId id) const {
  if (const Node* reciprocal = m_.made_by(id, "Reciprocal")) return root_of(reciprocal->inputs[0]);
  if (const Node* div = m_.made_by(id, "Div")) return m_.number(div->inputs[0]) == 1.0 ? root_of(div->inputs[1]) : kNoValue;
  const Node* pow = m_.made_by(id, "Pow");
  return pow && m_.number(pow->inputs[1]) == -0.5 ? pow->inputs[0] : kNoValue;
}

std::optional<Division> StandardizationMatcher::division_at(const Node& node) const {
  if (node.op == "Div") {
    const ValueId spread = root_of(node.inputs[1]);
    return spread == kNoValue ? std::nullopt : std::optional(Division{node.inputs[0], spread});
  }
  for (size_t side = 0; node.op == "Mul" && side < 2; side++) {
    const ValueId spread = m_.is_read_times(node.inputs[side], 1) ? inverse_root_of(node.inputs[side]) : kNoValue;
    if (spread != kNoValue) return Division{node.inputs[1 - side], spread};
  }
  return std::nullopt;
}

std::optional<Spread> StandardizationMatcher::spread_of(ValueId id) const {
  const Node* add = m_.made_for_one(id, "Add");
  for (size_t side = 0; add && side < 2; side++) {
    const auto epsilon = m_.number(add->inputs[1 - side]);
    const Node* mean = m_.made_for_one(add->inputs[side], "ReduceMean");
    if (!mean || !epsilon || *epsilon < 0) continue;
    const auto axes = m_.kept_axes(*mean);
    const ValueId of = m_.squared(mean->inputs[0]);
    if (!axes || of == kNoValue || m_.value(of).dtype != DType::kF32) return std::nullopt;
    return Spread{of, m_.made_by(mean->inputs[0], "Mul") ? size_t{2} : size_t{1}, *axes, *epsilon};
  }
  return std::nullopt;
}

// x − ReduceMean(x) over these axes.
const Node* StandardizationMatcher::centered(ValueId d, const Axes& axes) const {
  const Node* sub = m_.made_by(d, "Sub");
  const Node* mean = sub ? m_.made_by(sub->inputs[1], "ReduceMean") : nullptr;
  return mean && mean->inputs[0] == sub->inputs[0] && m_.kept_axes(*mean) == axes ? sub : nullptr;
}

// The difference is computed once, or once for each of its two uses; nothing else reads it.
bool StandardizationMatcher::is_centered_by(const Division& division, const Spread& spread, ValueId* x) const {
  const Node *above = centered(division.dividend, spread.axes), *below = centered(spread.of, spread.axes);
  if (!above || !below || above->inputs != below->inputs) return false;
  *x = above->inputs[0];
  const ValueId mean = above->inputs[1];
  if (above == below) return m_.is_read_times(spread.of, spread.reads + 1) && m_.is_read_times(mean, 1);
  return m_.is_read_times(division.dividend, 1) && m_.is_read_times(spread.of, spread.reads) && m_.is_read_times(mean, 2);
}

// One value for each position of the last dimensions, which are the axes.
bool StandardizationMatcher::is_parameter(ValueId parameter, ValueId x, const Axes& axes) const {
  const Shape& shape = m_.value(x).shape;
  const size_t first = shape.size() - axes.size();
  const bool last_ones = axes.front() == static_cast<int64_t>(first);
  return last_ones && m_.value(parameter).constant && m_.value(parameter).dtype == m_.value(x).dtype &&
         m_.value(parameter).shape == Shape(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end());
}

ValueId StandardizationMatcher::parameter_behind(ValueId id, std::string_view op, ValueId x, const Axes& axes, int* reader) const {
  const int i = m_.only_reader(id);
  if (i < 0 || m_.node(i).op != op) return kNoValue;
  *reader = i;
  for (ValueId other : m_.node(i).inputs)
    if (other != id && is_parameter(other, x, axes)) return other;
  return kNoValue;
}

void StandardizationMatcher::write_standardization(int last, ValueId x, const Spread& spread) {
  int scaled = last, moved = last;
  const ValueId scale = parameter_behind(m_.node(last).outputs[0], "Mul", x, spread.axes, &scaled);
  if (scale == kNoValue) return m_.replace(last, "MeanVarianceNormalization", {x}, {{"axes", spread.axes}, {"epsilon", spread.epsilon}});
  const ValueId bias = parameter_behind(m_.node(scaled).outputs[0], "Add", x, spread.axes, &moved);
  std::vector<ValueId> inputs{x, scale};
  if (bias != kNoValue) inputs.push_back(bias);
  m_.replace(bias == kNoValue ? scaled : moved, "LayerNormalization", inputs, {{"axis", spread.axes.front()}, {"epsilon", spread.epsilon}});
}

bool StandardizationMatcher::try_root_mean_square(int last, const Division& division, const Spread& spread) {
  if (division.dividend != spread.of) return false;
  int scaled = last;
  const ValueId scale = parameter_behind(m_.node(last).outputs[0], "Mul", spread.of, spread.axes, &scaled);
  if (scale == kNoValue) return false;
  m_.replace(scaled, "RMSNormalization", {spread.of, scale}, {{"axis", spread.axes.front()}, {"epsilon", spread.epsilon}});
  return true;
}

bool StandardizationMatcher::try_division(int last) {
  const auto division = division_at(m_.node(last));
  const auto spread = division ? spread_of(division->spread) : std::nullopt;
  if (!spread) return false;
  ValueId x = kNoValue;
  if (!is_centered_by(*division, *spread, &x)) return try_root_mean_square(last, *division, *spread);
  write_standardization(last, x, *spread);
  return true;
}

// product = a · b, where b is this value.
ValueId StandardizationMatcher::other_factor(const Node& product, ValueId b) const {
  return product.inputs[0] == b ? product.inputs[1] : product.inputs[1] == b ? product.inputs[0] : kNoValue;
}

std::optional<Folded> StandardizationMatcher::folded_in(const Node& product, const Node& rest) const {
  const Node* shift = m_.made_for_one(rest.inputs[1], "Mul");
  for (size_t i = 0; shift && i < 2; i++) {
    const ValueId factor = product.inputs[i], mean = other_factor(*shift, factor);
    if (m_.is_read_times(factor, 2) && m_.made_by(mean, "ReduceMean")) return Folded{product.inputs[1 - i], mean, factor, rest.inputs[0]};
  }
  return std::nullopt;
}

std::optional<Folded> StandardizationMatcher::folded_at(const Node& last) const {
  for (size_t side = 0; last.op == "Add" && side < 2; side++) {
    const Node *product = m_.made_for_one(last.inputs[side], "Mul"), *rest = m_.made_for_one(last.inputs[1 - side], "Sub");
    if (const auto folded = product && rest ? folded_in(*product, *rest) : std::nullopt) return folded;
  }
  return std::nullopt;
}

std::optional<ScaledRoot> StandardizationMatcher::scaled_root(ValueId factor) const {
  const Node* product = m_.made_by(factor, "Mul");
  for (size_t side = 0; product && side < 2; side++) {
    const ValueId root = m_.is_read_times(product->inputs[side], 1) ? inverse_root_of(product->inputs[side]) : kNoValue;
    if (root != kNoValue) return ScaledRoot{product->inputs[1 - side], root};
  }
  return std::nullopt;
}

bool StandardizationMatcher::try_folded(int last) {
  const auto folded = folded_at(m_.node(last));
  const auto scaled = folded ? scaled_root(folded->factor) : std::nullopt;
  const auto spread = scaled ? spread_of(scaled->root) : std::nullopt;
  const Node* below = spread ? centered(spread->of, spread->axes) : nullptr;
  if (!below || below->inputs != std::vector<ValueId>{folded->x, folded->mean}) return false;
  const bool is_alone = m_.is_read_times(spread->of, spread->reads) && m_.is_read_times(folded->mean, 2);
  if (!is_alone || !is_parameter(scaled->scale, folded->x, spread->axes) || !is_parameter(folded->bias, folded->x, spread->axes)) return false;
  m_.replace(last, "LayerNormalization", {folded->x, scaled->scale, folded->bias}, {{"axis", spread->axes.front()}, {"epsilon", spread->epsilon}});
  return true;
}

}  // namespace

void recognise_standardization(Graph& graph) { StandardizationMatcher(graph).run(); }

}  // namespace hone::graph
