#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/passes.h"
#include "codegen/te/ops/scatter.h"

namespace hone::graph {
namespace {

// Updates up to which each element looks at all of them: a search among 16 keys looks at seven, in two Computes, behind a sort.
constexpr int64_t kUpdatesMax = 16;

// A scatter whose updates come to whole rows: the elements along an axis, or, of tuples, the rows of a matrix along its first dimension.
struct Rows {
  ValueId x = kNoValue, updates = kNoValue, indices = kNoValue;  // indices: behind their other dimensions one for each of `extents`
  int64_t axis = 0, count = 0, extent = 0;                       // along the axis: updates, and rows
  Shape extents, keys;                                           // of what a tuple of indices counts through; of the rows' numbers, one for each update
  bool tuples = false;
};

// The numbers of the updates' rows in order, i64, −1: to none, and where their updates are. At most `most_equal` are one number.
struct Order {
  ValueId keys = kNoValue, places = kNoValue;
  int64_t most_equal = 0;
};

// As te::row_numbers.
double row_number(const double* indices, const Shape& extents) {
  double number = 0;
  for (size_t q = 0; q < extents.size(); q++) {
    const double extent = static_cast<double>(extents[q]), place = indices[q] < 0 ? indices[q] + extent : indices[q];
    if (place < 0 || place >= extent) return -1;
    number = number * extent + place;
  }
  return number;
}

// The keys along one line of a tensor, in order.
struct Line {
  std::vector<double> keys, places;

  explicit Line(const std::vector<double>& given) : keys(given.size()), places(given.size()) {
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](double l, double r) { return given[static_cast<size_t>(l)] < given[static_cast<size_t>(r)]; });
    std::transform(places.begin(), places.end(), keys.begin(), [&](double place) { return given[static_cast<size_t>(place)]; });
  }
  int64_t most_equal() const {
    ptrdiff_t most = 0;
    for (auto begin = keys.begin(); begin != keys.end();) {
      const auto end = std::upper_bound(begin, keys.end(), *begin);
      if (*begin >= 0) most = std::max(most, end - begin);
      begin = end;
    }
    return most;
  }
};

bool is_scatter(std::string_view op) { return op == "Scatter" || op == "ScatterElements" || op == "ScatterND"; }

class UpdateOrderer {
 public:
  UpdateOrderer(Graph& graph, int64_t comparisons_max) : graph_(graph), writer_(graph), comparisons_max_(comparisons_max) {}

  void run() {
    std::vector<Node> nodes;
    std::swap(nodes, graph_.nodes);
    for (Node& node : nodes) {
      if (is_scatter(node.op) && is_worth_it(node)) put_in_order(node);
      else graph_.nodes.push_back(std::move(node));
    }
  }

 private:
  Shape shape(ValueId id) const { return graph_.value(id).shape; }

  static std::string join_of(const Node& node) {
    const auto it = node.attributes.find("reduction");
    return it == node.attributes.end() ? "none" : std::get<std::string>(it->second);
  }
  int64_t axis_of(const Node& node) const {
    const auto it = node.attributes.find("axis");
    const int64_t axis = it == node.attributes.end() ? 0 : std::get<int64_t>(it->second);
    return axis < 0 ? axis + static_cast<int64_t>(shape(node.inputs[0]).size()) : axis;
  }

  bool is_worth_it(const Node& node) const {
    for (ValueId id : node.inputs)
      if (!graph_.value(id).lengths.empty()) return false;
    const Shape x = shape(node.inputs[0]), indices = shape(node.inputs[1]);
    int64_t updates = 0, lookers = ir::element_count(x);
    if (node.op == "ScatterND") {
      updates = ir::element_count(indices) / std::max<int64_t>(indices.back(), 1);
      if (join_of(node) == "none") lookers = ir::element_count({x.begin(), x.begin() + indices.back()});
    } else {
      const auto along = static_cast<size_t>(axis_of(node));
      updates = indices[along];
      Shape wanted = x;
      wanted[along] = updates;
      if (wanted != indices) return false;
    }
    return updates > kUpdatesMax && lookers > comparisons_max_ / updates;
  }

  Rows rows_of_tuples(const Node& node) {
    const Shape x = shape(node.inputs[0]), indices = shape(node.inputs[1]);
    const int64_t parts = indices.back(), count = ir::element_count(indices) / parts;
    const Shape leading(x.begin(), x.begin() + parts);
    const int64_t rows = ir::element_count(leading), width = ir::element_count({x.begin() + parts, x.end()});
    return {writer_.reshaped(node.inputs[0], {rows, width}), writer_.reshaped(node.inputs[2], {count, width}), node.inputs[1], 0, count, rows, leading, {count}, true};
  }

  Rows rows_of_elements(const Node& node) {
    const int64_t axis = axis_of(node);
    const auto along = static_cast<size_t>(axis);
    const Shape x = shape(node.inputs[0]), indices = shape(node.inputs[1]);
    return {node.inputs[0], node.inputs[2], node.inputs[1], axis, indices[along], x[along], {x[along]}, indices, false};
  }

  Order order_of(const Rows& rows) {
    const Value& indices = graph_.value(rows.indices);
    if (indices.constant && indices.bytes) return known_order(rows, to_doubles({indices.dtype, indices.shape, indices.bytes}));
    Shape tuples = rows.keys;
    tuples.push_back(static_cast<int64_t>(rows.extents.size()));
    const ValueId numbers = writer_.add("hone.RowNumbers", {writer_.reshaped(rows.indices, tuples)}, {{"extents", rows.extents}});
    const std::vector<ValueId> sorted = writer_.add_all("TopK", {numbers, writer_.list({rows.count})}, {{"axis", rows.axis}, {"largest", int64_t{0}}}, 2);
    return {sorted[0], sorted[1], rows.count};
  }

  Order known_order(const Rows& rows, const std::vector<double>& indices) {
    const auto along = static_cast<size_t>(rows.axis);
    const int64_t inner = ir::element_count({rows.keys.begin() + rows.axis + 1, rows.keys.end()}), count = rows.keys[along], all = ir::element_count(rows.keys);
    std::vector<double> keys(static_cast<size_t>(all)), places = keys, line(static_cast<size_t>(count));
    Order out;
    for (int64_t i = 0; i < all / count; i++) {
      const auto at = [&](int64_t k) { return static_cast<size_t>((i / inner * count + k) * inner + i % inner); };
      for (int64_t k = 0; k < count; k++) line[static_cast<size_t>(k)] = row_number(&indices[at(k) * rows.extents.size()], rows.extents);
      const Line sorted(line);
      for (int64_t k = 0; k < count; k++) keys[at(k)] = sorted.keys[static_cast<size_t>(k)], places[at(k)] = sorted.places[static_cast<size_t>(k)];
      out.most_equal = std::max(out.most_equal, sorted.most_equal());
    }
    out.keys = writer_.constant(DType::kI64, rows.keys, keys);
    out.places = writer_.constant(DType::kI64, rows.keys, places);
    return out;
  }

  ValueId picked(const Rows& rows, ValueId x, ValueId places) {
    return writer_.add(rows.tuples ? "Gather" : "GatherElements", {x, places}, {{"axis", rows.axis}});
  }
  // As many elements as there are `extent` rows, beside the rows' own.
  ValueId beside(const Rows& rows, ValueId x, int64_t extent) { return rows.tuples ? writer_.reshaped(x, {extent, 1}) : x; }

  // Updates in the order of their rows; the last one for a row becomes what all of them join to.
  ValueId folded(const Rows& rows, ValueId updates, const Order& order, const std::string& join) {
    if (join == "none") return updates;
    const ValueId keys = beside(rows, order.keys, rows.count);
    for (int64_t stride = 1; stride < order.most_equal; stride *= te::kFoldWays)
      updates = writer_.add("hone.FoldEquals", {updates, keys}, {{"axis", rows.axis}, {"stride", stride}, {"reduction", join}});
    return updates;
  }

  ValueId joined(const std::string& join, DType dtype, ValueId x, ValueId there, ValueId update) {
    if (join == "none") return writer_.add("Where", {there, update, x});
    const bool extreme = join == "max" || join == "min";
    const ValueId nothing = extreme ? x : writer_.number(dtype, join == "mul" ? 1 : 0);
    const ValueId own = writer_.add("Where", {there, update, nothing});
    return writer_.add(join == "add" ? "Add" : join == "mul" ? "Mul" : join == "max" ? "Max" : "Min", {x, own});
  }

  void put_in_order(const Node& node) {
    const size_t first = graph_.nodes.size();
    const Rows rows = node.op == "ScatterND" ? rows_of_tuples(node) : rows_of_elements(node);
    const std::string join = join_of(node);
    const Order order = order_of(rows);
    const std::vector<ValueId> last = writer_.add_all("hone.FindLast", {order.keys}, {{"axis", rows.axis}, {"extent", rows.extent}}, 2);
    const ValueId all = folded(rows, picked(rows, rows.updates, order.places), order, join);
    const ValueId y = joined(join, graph_.value(node.inputs[0]).dtype, rows.x, beside(rows, last[1], rows.extent), picked(rows, all, last[0]));
    writer_.reshaped(y, shape(node.inputs[0]));
    graph_.nodes.back().outputs = node.outputs;
    for (size_t i = first; i < graph_.nodes.size(); i++) {
      graph_.nodes[i].model_node = node.model_node;
      const Status inferred = infer_node(graph_, graph_.nodes[i]);
      CHECK(inferred.ok(), inferred.error().message);
    }
  }

  Graph& graph_;
  NodeWriter writer_;
  const int64_t comparisons_max_;
};

}  // namespace

void order_updates(Graph& graph, int64_t comparisons_max) { UpdateOrderer(graph, comparisons_max).run(); }

void order_updates(Graph& graph) { order_updates(graph, kComparisonsMax); }

}  // namespace hone::graph
