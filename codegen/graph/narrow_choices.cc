#include <algorithm>

#include "base/check.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

// Elements of a segment: kSegment, one for each thread of the largest workgroup that every WebGPU device has (maxComputeInvocationsPerWorkgroup); more where more are chosen, so that at most one of kShare
// is left each time, and all times together take a third more than the first. Only of kShare segments and more: each time is some launches.
constexpr int64_t kSegment = 256, kShare = 4;

int64_t number(const Node& node, std::string_view name, int64_t otherwise) {
  const auto it = node.attributes.find(name);
  return it == node.attributes.end() ? otherwise : std::get<int64_t>(it->second);
}

class ChoiceNarrower {
 public:
  ChoiceNarrower(Graph& graph, int64_t comparisons_max) : graph_(graph), writer_(graph), comparisons_max_(comparisons_max) {}

  void run() {
    std::vector<Node> nodes;
    std::swap(nodes, graph_.nodes);
    for (Node& node : nodes) {
      if (node.op == "TopK" && graph_.value(node.inputs[0]).lengths.empty()) narrow(std::move(node));
      else graph_.nodes.push_back(std::move(node));
    }
  }

 private:
  // What is chosen among, and the places of those elements (i64) among all; kNoValue: they are all.
  struct Candidates {
    ValueId values, places;
  };

  Shape shape(ValueId id) const { return graph_.value(id).shape; }

  // What a node writes, with its shape.
  ValueId known(ValueId id, size_t first) {
    for (size_t i = first; i < graph_.nodes.size(); i++) {
      const Status inferred = infer_node(graph_, graph_.nodes[i]);
      CHECK(inferred.ok(), inferred.error().message);
    }
    return id;
  }

  // The best `count` of each segment of `size`, and what is left behind the last one (in order where `is_sorted`), along the axis.
  Candidates best_of_segments(const Node& node, ValueId x, int64_t axis, int64_t count, int64_t size, bool is_sorted) {
    const auto along = static_cast<size_t>(axis);
    const Shape all = shape(x);
    const int64_t segments = all[along] / size, cut = segments * size;
    Shape apart = all, together = all, offset(all.size() + 1, 1);
    apart[along] = size;
    apart.insert(apart.begin() + axis, segments);
    together[along] = segments * count;
    offset[along] = segments;
    std::vector<double> begins;
    for (int64_t s = 0; s < segments; s++) begins.push_back(static_cast<double>(s * size));
    const ValueId whole = cut == all[along] ? x : writer_.part(x, 0, cut, axis);
    const std::vector<ValueId> best = writer_.add_all("TopK", {writer_.reshaped(whole, apart), writer_.list({count})}, {{"axis", axis + 1}, {"largest", number(node, "largest", 1)}}, 2);
    Candidates out{writer_.reshaped(best[0], together), writer_.reshaped(writer_.add("Add", {best[1], writer_.constant(DType::kI64, offset, begins)}), together)};
    if (cut == all[along]) return out;
    const Candidates rest = is_sorted ? sorted_rest(node, x, axis, cut) : rest_behind(x, axis, cut);
    return {writer_.joined({out.values, rest.values}, axis), writer_.joined({out.places, rest.places}, axis)};
  }

  Candidates rest_behind(ValueId x, int64_t axis, int64_t cut) {
    const auto along = static_cast<size_t>(axis);
    Shape rest = shape(x), row(rest.size(), 1);
    const int64_t extent = rest[along];
    rest[along] = row[along] = extent - cut;
    std::vector<double> numbers;
    for (int64_t i = cut; i < extent; i++) numbers.push_back(static_cast<double>(i));
    return {writer_.part(x, cut, extent, axis), writer_.add("Expand", {writer_.constant(DType::kI64, row, numbers), writer_.list(rest)})};
  }

  Candidates sorted_rest(const Node& node, ValueId x, int64_t axis, int64_t cut) {
    const int64_t extent = shape(x)[static_cast<size_t>(axis)];
    const std::vector<ValueId> best = writer_.add_all("TopK", {writer_.part(x, cut, extent, axis), writer_.list({extent - cut})}, {{"axis", axis}, {"largest", number(node, "largest", 1)}}, 2);
    return {best[0], writer_.add("Add", {best[1], writer_.number(DType::kI64, static_cast<double>(cut))})};
  }

  static int64_t segment_of(int64_t count) { return std::max(kSegment, kShare * count); }
  static bool is_long(int64_t extent, int64_t count) { return count > 0 && extent > kShare * segment_of(count); }

  // The node chooses among candidates then.
  void narrow(Node node) {
    const auto rank = static_cast<int64_t>(shape(node.inputs[0]).size());
    const int64_t given = number(node, "axis", -1), axis = given < 0 ? given + rank : given;
    const ValueId made = *std::find_if(node.outputs.begin(), node.outputs.end(), [](ValueId id) { return id != kNoValue; });
    const int64_t count = shape(made)[static_cast<size_t>(axis)];
    const size_t begin = graph_.nodes.size();
    const int model_node = node.model_node;
    if (is_sort(shape(node.inputs[0]), axis, count)) return sort(std::move(node), axis, count);
    Candidates among{node.inputs[0], kNoValue};
    while (is_long(shape(among.values)[static_cast<size_t>(axis)], count)) {
      const size_t first = graph_.nodes.size();
      const Candidates best = best_of_segments(node, among.values, axis, count, segment_of(count), false);
      const ValueId places = among.places == kNoValue ? best.places : writer_.add("GatherElements", {among.places, best.places}, {{"axis", axis}});
      among = {known(best.values, first), places};
    }
    node.inputs[0] = among.values;
    choose(std::move(node), among.places, axis);
    for (size_t i = begin; i < graph_.nodes.size(); i++) graph_.nodes[i].model_node = model_node;
  }

  // Are so many asked for that all are put in order, and are these too many to be compared with each other?
  bool is_sort(const Shape& x, int64_t axis, int64_t count) const {
    const int64_t extent = x[static_cast<size_t>(axis)];
    return count > 0 && !is_long(extent, count) && extent > kShare * kSegment && extent > comparisons_max_ / ir::element_count(x);
  }

  // Segments are put in order, then twice as long ones each time.
  void sort(Node node, int64_t axis, int64_t count) {
    const size_t first = graph_.nodes.size();
    const int64_t extent = shape(node.inputs[0])[static_cast<size_t>(axis)];
    Candidates runs = best_of_segments(node, node.inputs[0], axis, kSegment, kSegment, true);
    for (int64_t run = kSegment; run < extent; run *= 2) {
      const std::vector<ValueId> merged = writer_.add_all("hone.MergeRuns", {runs.values, runs.places}, {{"axis", axis}, {"run", run}, {"largest", number(node, "largest", 1)}}, 2);
      runs = {merged[0], merged[1]};
    }
    const ValueId made[] = {runs.values, runs.places};
    for (size_t i = 0; i < node.outputs.size(); i++) {
      if (node.outputs[i] == kNoValue) continue;
      writer_.part(made[i], 0, count, axis);
      graph_.nodes.back().outputs = {node.outputs[i]};
    }
    for (size_t i = first; i < graph_.nodes.size(); i++) graph_.nodes[i].model_node = node.model_node;
    known(runs.values, first);
  }

  // Places among the candidates become those among all.
  void choose(Node node, ValueId places, int64_t axis) {
    const ValueId wanted = places != kNoValue && node.outputs.size() > 1 ? node.outputs[1] : kNoValue;
    if (wanted != kNoValue) {
      Value found = graph_.value(wanted);
      found.name += ".among";
      node.outputs[1] = graph_.add_value(std::move(found));
    }
    const ValueId found = wanted == kNoValue ? kNoValue : node.outputs[1];
    graph_.nodes.push_back(std::move(node));
    if (wanted == kNoValue) return;
    writer_.add("GatherElements", {places, found}, {{"axis", axis}});
    graph_.nodes.back().outputs = {wanted};
  }

  Graph& graph_;
  NodeWriter writer_;
  const int64_t comparisons_max_;
};

}  // namespace

void narrow_choices(Graph& graph, int64_t comparisons_max) { ChoiceNarrower(graph, comparisons_max).run(); }

void narrow_choices(Graph& graph) { narrow_choices(graph, kComparisonsMax); }

}  // namespace hone::graph
