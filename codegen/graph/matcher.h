// What recognisers ask of a graph, and how they put one node in the place of several.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/graph/graph.h"
#include "codegen/graph/node_writer.h"

namespace hone::graph {

// numbers and values multiplied: factor · values[0] · values[1] · …
struct Product {
  double factor = 1;
  std::vector<ValueId> values;

  // The values are these, in any order.
  bool is_of(std::vector<ValueId> wanted) const;
};

// Needs: shapes known, constants folded, no dead nodes. Each question takes constant time, so that a recogniser that asks at each node is linear.
class Matcher {
 public:
  explicit Matcher(Graph& graph);

  const Graph& graph() const { return graph_; }
  const Value& value(ValueId id) const { return graph_.value(id); }
  int nodes() const { return static_cast<int>(graph_.nodes.size()); }
  const Node& node(int i) const { return graph_.nodes[static_cast<size_t>(i)]; }

  // The node `op` that makes the value; null for others.
  const Node* made_by(ValueId id, std::string_view op) const;
  // The same, where nothing but one other node reads the value.
  const Node* made_for_one(ValueId id, std::string_view op) const { return is_read_times(id, 1) ? made_by(id, op) : nullptr; }
  // By nodes, once for each of their inputs, and the graph does not hand it out.
  bool is_read_times(ValueId id, size_t times) const;
  // The only node that reads the value; −1 for others.
  int only_reader(ValueId id) const;
  // A constant of one element.
  std::optional<double> number(ValueId id) const;
  // The axes of a reduction that keeps its dimensions, ascending; none where it drops them, or they are not known.
  std::optional<std::vector<int64_t>> kept_axes(const Node& reduction) const;
  // x, when the value is x² and is read once.
  ValueId squared(ValueId id) const;
  // The value as a product: through Mul, Div by a number, and Pow with 2 or 3, as far as what lies between is read once. The value itself may be read more often.
  Product product(ValueId id) const;

  // Node i becomes `op`, with its outputs. What made its former inputs may be dead then.
  void replace(int i, std::string_view op, std::vector<ValueId> inputs, Attributes attributes);

 private:
  void multiply(Product& out, ValueId id, int depth) const;
  std::optional<std::vector<int64_t>> named_axes(const Node& reduction) const;

  Graph& graph_;
  std::vector<int> producers_;
  std::vector<std::vector<int>> consumers_;
  std::vector<bool> leaves_;  // values that the graph hands out
};

// As far apart as numbers of this type are that were rounded, and multiplied some times.
bool is_near(double a, double b, DType dtype);

}  // namespace hone::graph
