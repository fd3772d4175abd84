// Operators whose results have sizes that only contents tell. With contents that are known they are index maps and constants; else results have the size of the most that there
// may be, and a length (lengths.h).
#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/selection.h"

namespace hone::graph {
namespace {

bool is_known(const OpCall& call, size_t i) { return call.value(i).constant && call.value(i).bytes; }

ValueId bounded(NodeWriter& nodes, ValueId x, ValueId length, int64_t axis = 0) { return nodes.add("hone.Bounded", {x, length}, {{"axis", axis}}); }

// The coordinate of each place in a row-major tensor: place / stride mod extent.
ValueId coordinate(NodeWriter& nodes, ValueId places, int64_t stride, int64_t extent) {
  const ValueId divided = stride == 1 ? places : nodes.add("Div", {places, nodes.number(DType::kI64, double(stride))});
  return nodes.add("Mod", {divided, nodes.number(DType::kI64, double(extent))});
}

// What both forms of Compress have in common.
struct Compressed {
  ValueId x = kNoValue;
  int64_t axis = 0, extent = 0;
};

Result<Compressed> compressed(NodeWriter& nodes, const OpCall& call) {
  const Shape shape = call.value(0).shape, condition = call.value(1).shape;  // copies: values are added
  Compressed out{call.id(0), 0, ir::element_count(shape)};
  if (call.has_attribute("axis")) {
    HONE_ASSIGN(axis, axis_in(call.integer("axis", 0), shape.size()));
    out.axis = axis;
    out.extent = shape[static_cast<size_t>(axis)];
  } else {
    out.x = nodes.reshaped(call.id(0), {out.extent});
  }
  if (condition.size() != 1 || condition[0] > out.extent) return bad_node(cat("a condition of shape ", te::shape_text(condition), " does not fit ", out.extent, " elements"));
  return out;
}

// The places of a tensor's elements that are not 0, by dimension.
std::vector<std::vector<double>> known_places(const Shape& shape, const std::vector<double>& numbers) {
  std::vector<std::vector<double>> places(shape.size());
  for (size_t i = 0; i < numbers.size(); i++) {
    if (numbers[i] == 0) continue;
    auto rest = static_cast<int64_t>(i);
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) places[d].push_back(double(rest % shape[d]));
  }
  return places;
}

Expanded known_nonzero(NodeWriter& nodes, const OpCall& call) {
  const Shape shape = call.value(0).shape;
  HONE_ASSIGN(numbers, call.numbers(0));
  std::vector<double> all;
  const auto places = known_places(shape, numbers);
  for (const auto& of_dimension : places) all.insert(all.end(), of_dimension.begin(), of_dimension.end());
  const auto count = static_cast<int64_t>(shape.empty() ? 0 : places[0].size());
  return std::vector<ValueId>{nodes.add("Identity", {nodes.constant(DType::kI64, {static_cast<int64_t>(shape.size()), count}, all)})};
}

}  // namespace

// The elements along an axis, or of all, for which a condition holds.
Expanded expand_compress(NodeWriter& nodes, const OpCall& call) {
  HONE_ASSIGN(c, compressed(nodes, call));
  if (!is_known(call, 1)) {
    const std::vector<ValueId> found = nodes.add_all("hone.Places", {call.id(1)}, {}, 2);
    return std::vector<ValueId>{bounded(nodes, nodes.add("Gather", {c.x, found[0]}, {{"axis", c.axis}}), found[1], c.axis)};
  }
  HONE_ASSIGN(condition, call.numbers(1));
  std::vector<int64_t> chosen;
  for (size_t i = 0; i < condition.size(); i++)
    if (condition[i] != 0) chosen.push_back(static_cast<int64_t>(i));
  return std::vector<ValueId>{nodes.add("Gather", {c.x, nodes.list(chosen)}, {{"axis", c.axis}})};
}

// The places of elements that are not 0: [rank, count], in their order.
Expanded expand_nonzero(NodeWriter& nodes, const OpCall& call) {
  const Shape shape = call.value(0).shape;
  if (is_known(call, 0) || shape.empty()) return known_nonzero(nodes, call);
  const int64_t n = ir::element_count(shape);
  const std::vector<ValueId> found = nodes.add_all("hone.Places", {nodes.reshaped(call.id(0), {n})}, {}, 2);
  std::vector<ValueId> rows;
  int64_t stride = n;
  for (int64_t extent : shape) {
    stride /= std::max<int64_t>(extent, 1);
    rows.push_back(nodes.reshaped(coordinate(nodes, found[0], std::max<int64_t>(stride, 1), std::max<int64_t>(extent, 1)), {1, n}));
  }
  return std::vector<ValueId>{bounded(nodes, nodes.joined(rows, 0), found[1], 1)};
}

namespace {

// What te::Distinct has, of rows that are single whole numbers, or floats that stand for their order as such: [n]. Equal ones stand side by side once they are in order.
class DistinctNumbers {
 public:
  DistinctNumbers(NodeWriter& nodes, ValueId x, int64_t n) : nodes_(nodes), n_(n) {
    const std::vector<ValueId> ordered = nodes.add_all("TopK", {x, nodes.list({n})}, {{"axis", int64_t{0}}, {"largest", int64_t{0}}}, 2);
    const ValueId same = nodes.add("Equal", {nodes.part(ordered[0], 1, n), nodes.part(ordered[0], 0, n - 1)});
    const ValueId begins = nodes.joined({nodes.constant(DType::kBool, {1}, {1}), nodes.add("Not", {same})}, 0), group = numbered(begins);
    const std::vector<ValueId> starts = nodes.add_all("hone.Places", {begins}, {}, 2);
    const ValueId last = nodes.add_all("hone.FindLast", {group}, {{"axis", int64_t{0}}, {"extent", n}}, 2)[0];
    source_ = picked(ordered[1], starts[0]);
    times_ = as(kI64, nodes.add("Add", {nodes.add("Sub", {as(kI32, last), as(kI32, starts[0])}), nodes.number(DType::kI32, 1)}));
    inverse_ = nodes.add("ScatterElements", {nodes.zeros(DType::kI64, {n}), ordered[1], as(kI64, group)});
    count_ = starts[1];
  }

  std::vector<ValueId> by_value() const { return {source_, inverse_, times_, count_}; }
  std::vector<ValueId> by_occurrence() {
    const ValueId is_first = nodes_.add("Equal", {picked(source_, inverse_), nodes_.range(n_)});
    const ValueId source = nodes_.add_all("hone.Places", {is_first}, {}, 2)[0], number = picked(numbered(is_first), source_);
    return {source, as(kI64, picked(number, inverse_)), picked(times_, picked(inverse_, source)), count_};
  }

 private:
  static constexpr int64_t kI32 = 6, kI64 = 7;  // as ONNX numbers types
  ValueId as(int64_t type, ValueId x) { return nodes_.add("Cast", {x}, {{"to", type}}); }
  ValueId picked(ValueId x, ValueId places) { return nodes_.add("Gather", {x, places}, {{"axis", int64_t{0}}}); }
  // How many before each element, and itself, are true, less 1.
  ValueId numbered(ValueId flags) { return nodes_.add("Sub", {nodes_.add("CumSum", {as(kI32, flags), nodes_.number(DType::kI64, 0)}), nodes_.number(DType::kI32, 1)}); }

  NodeWriter& nodes_;
  const int64_t n_;
  ValueId source_ = kNoValue, inverse_ = kNoValue, times_ = kNoValue, count_ = kNoValue;
};

// Whole numbers of 32 bits in the order of floats: −0 is 0, and all that are no number are one, behind all others, as NumPy has them. The bits of a negative
// number but its sign are those of its magnitude.
ValueId in_whole_numbers(NodeWriter& nodes, ValueId x) {
  constexpr int64_t kF32 = 1, kI32 = 6;  // as ONNX numbers types
  constexpr double kMagnitudeBits = 0x7fffffff, kNoNumber = 0x7fc00000;
  x = nodes.add("Cast", {x}, {{"to", kF32}});
  const ValueId bits = nodes.add("BitCast", {x}, {{"to", kI32}}), below = nodes.add("Neg", {nodes.add("BitwiseAnd", {bits, nodes.number(DType::kI32, kMagnitudeBits)})});
  const ValueId ordered = nodes.add("Where", {nodes.add("Less", {bits, nodes.number(DType::kI32, 0)}), below, bits});
  return nodes.add("Where", {nodes.add("IsNaN", {x}), nodes.number(DType::kI32, kNoNumber), ordered});
}

std::vector<ValueId> distinct(NodeWriter& nodes, ValueId rows, int64_t count, bool single, bool sorted) {
  if (!single || count == 0 || count <= kComparisonsMax / count) return nodes.add_all("hone.DistinctRows", {rows}, {{"sorted", int64_t{sorted}}}, 4);
  DistinctNumbers numbers(nodes, nodes.reshaped(rows, {count}), count);
  return sorted ? numbers.by_value() : numbers.by_occurrence();
}

}  // namespace

// The different elements, or parts along an axis: Y, the place of the first of each, for each element its place in Y, how often each is there.
Expanded expand_unique(NodeWriter& nodes, const OpCall& call) {
  const Shape shape = call.value(0).shape;
  const bool has_axis = call.has_attribute("axis"), sorted = call.integer("sorted", 1) != 0;
  const DType dtype = call.value(0).dtype;
  int64_t axis = 0, n = ir::element_count(shape);
  ValueId x = call.id(0), rows = kNoValue;
  if (has_axis) {
    HONE_ASSIGN(named, axis_in(call.integer("axis", 0), shape.size()));
    axis = named;
    std::vector<int64_t> order{axis};
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); d++)
      if (d != axis) order.push_back(d);
    const int64_t count = shape[static_cast<size_t>(axis)];
    rows = nodes.reshaped(nodes.transposed(x, order), {count, count > 0 ? n / count : 0});
  } else {
    x = nodes.reshaped(x, {n});
    rows = nodes.reshaped(x, {n, 1});
  }
  if (ir::is_float(dtype) && n > 0) rows = in_whole_numbers(nodes, rows);
  const int64_t count = has_axis ? shape[static_cast<size_t>(axis)] : n;
  const bool single = count == ir::element_count(shape) && dtype != DType::kBool;
  if (has_axis && !single && count > 0 && count > kRowPairsMax / count)
    return Error{ErrorCode::kLimitExceeded, cat("compares ", count, " rows with each other; hone remembers at most ", kRowPairsMax, " pairs")};
  const std::vector<ValueId> made = distinct(nodes, rows, count, single, sorted);
  const ValueId length = made[3];
  return std::vector<ValueId>{bounded(nodes, nodes.add("Gather", {x, made[0]}, {{"axis", axis}}), length, axis), bounded(nodes, made[0], length), made[1], bounded(nodes, made[2], length)};
}

namespace {

// How many boxes of a class may be taken.
Result<int64_t> boxes_max(const OpCall& call) {
  const Shape& scores = call.value(1).shape;
  if (call.value(0).shape.size() != 3 || scores.size() != 3) return bad_node("boxes and scores are not of rank 3");
  HONE_ASSIGN(wanted, integer_in(call, 2, 0));
  return std::clamp<int64_t>(wanted, 0, scores[2]);
}

}  // namespace

Result<int64_t> suppression_steps(const OpCall& call) { return boxes_max(call); }

// [count, 3]: batch, class and box of those taken: by batch, class and score.
Expanded expand_suppression(NodeWriter& nodes, const OpCall& call) {
  HONE_ASSIGN(steps, boxes_max(call));
  const Shape scores = call.value(1).shape;
  const int64_t classes = scores[1], n = scores[0] * classes * steps;
  if (n == 0) return std::vector<ValueId>{nodes.zeros(DType::kI64, {0, 3})};
  ValueId left = call.id(1);
  if (call.has_input(4)) left = nodes.add("Where", {nodes.add("Greater", {left, call.id(4)}), left, nodes.number(DType::kF32, te::kGoneScore)});
  const ValueId overlap = call.has_input(3) ? call.id(3) : nodes.number(DType::kF32, 0);
  std::vector<ValueId> taken;
  for (int64_t i = 0; i < steps; i++) {
    const std::vector<ValueId> made = nodes.add_all("hone.SuppressStep", {call.id(0), left, overlap}, {{"center_point_box", call.integer("center_point_box", 0)}}, 2);
    left = made[0];
    taken.push_back(made[1]);
  }
  const ValueId all = nodes.reshaped(nodes.joined(taken, 2), {n});
  const std::vector<ValueId> found = nodes.add_all("hone.Places", {nodes.add("GreaterOrEqual", {all, nodes.number(DType::kI64, 0)})}, {}, 2);
  std::vector<ValueId> columns{coordinate(nodes, found[0], classes * steps, scores[0]), coordinate(nodes, found[0], steps, classes), nodes.add("Gather", {all, found[0]}, {{"axis", int64_t{0}}})};
  for (ValueId& column : columns) column = nodes.reshaped(column, {n, 1});
  return std::vector<ValueId>{bounded(nodes, nodes.joined(columns, 1), found[1])};
}

}  // namespace hone::graph
