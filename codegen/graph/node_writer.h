// Appends nodes to a graph whose nodes are being written: what stands in the place of an operator that hone takes apart.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/graph/graph.h"

namespace hone::graph {

using Attributes = std::map<std::string, Attribute, std::less<>>;

class NodeWriter {
 public:
  explicit NodeWriter(Graph& graph) : graph_(graph) {}

  // A node with `outputs` new values; inputs may be kNoValue.
  std::vector<ValueId> add_all(std::string_view op, std::vector<ValueId> inputs, Attributes attributes, size_t outputs);
  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {}) { return add_all(op, std::move(inputs), std::move(attributes), 1)[0]; }

  ValueId constant(DType dtype, Shape shape, const std::vector<double>& numbers);
  ValueId number(DType dtype, double value) { return constant(dtype, {}, {value}); }
  // A node: there may be more of them than memory holds, which folding knows.
  ValueId zeros(DType dtype, const Shape& shape) { return add("ConstantOfShape", {list(shape)}, {{"value", from_doubles(dtype, {1}, {0})}}); }
  ValueId list(const std::vector<int64_t>& numbers) { return constant(DType::kI64, {static_cast<int64_t>(numbers.size())}, {numbers.begin(), numbers.end()}); }

  // 0, 1, …, count − 1: a node, as zeros.
  ValueId range(int64_t count) { return add("Range", {number(DType::kI64, 0), number(DType::kI64, static_cast<double>(count)), number(DType::kI64, 1)}); }

  // Elements `begin` to `end` along `axis`; one of them, without that dimension.
  ValueId part(ValueId x, int64_t begin, int64_t end, int64_t axis = 0) { return add("Slice", {x, list({begin}), list({end}), list({axis})}); }
  ValueId row(ValueId x, int64_t i) { return add("Squeeze", {part(x, i, i + 1), list({0})}); }
  ValueId transposed(ValueId x, std::vector<int64_t> order) { return add("Transpose", {x}, {{"perm", std::move(order)}}); }
  ValueId reshaped(ValueId x, const std::vector<int64_t>& shape) { return add("Reshape", {x, list(shape)}); }
  ValueId joined(std::vector<ValueId> parts, int64_t axis) { return parts.size() == 1 ? parts[0] : add("Concat", std::move(parts), {{"axis", axis}}); }

 private:
  Graph& graph_;
};

}  // namespace hone::graph
