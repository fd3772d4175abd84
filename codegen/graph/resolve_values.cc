#include "codegen/graph/resolve_values.h"

#include <algorithm>
#include <map>
#include <set>

#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

// Some nodes of a graph as one of their own, with what is known of the values that they read.
class PartOfGraph {
 public:
  PartOfGraph(const Graph& whole, const std::vector<int>& nodes, ValueId wanted) {
    part.opset = whole.opset;
    for (int n : nodes) {
      const Node& node = whole.nodes[static_cast<size_t>(n)];
      part.nodes.push_back(node);
      for (auto* ids : {&part.nodes.back().inputs, &part.nodes.back().outputs})
        for (ValueId& id : *ids)
          if (id != kNoValue) id = own_id(whole, id);
    }
    part.outputs = {own_id(whole, wanted)};
  }

  void tell(Graph& whole) const {
    std::map<ValueId, ValueId> theirs_of;
    for (const auto& [theirs, own] : ids_) theirs_of.emplace(own, theirs);
    for (const auto& [theirs, own] : ids_) {
      const Value& found = part.value(own);
      Value& value = whole.value(theirs);
      if (value.shape_known || !found.shape_known) continue;
      value.dtype = found.dtype;
      value.shape = found.shape;
      value.bytes = found.bytes;
      value.constant = found.constant;
      value.shape_known = true;
      for (ValueId length : found.lengths) value.lengths.push_back(length == kNoValue ? kNoValue : theirs_of.at(length));
    }
  }

  Graph part;

 private:
  ValueId own_id(const Graph& whole, ValueId theirs) {
    const auto it = ids_.find(theirs);
    if (it != ids_.end()) return it->second;
    const ValueId own = part.add_value(whole.value(theirs));
    ids_[theirs] = own;
    if (part.value(own).shape_known && !part.value(own).constant) part.inputs.push_back(own);
    std::vector<ValueId> lengths;
    for (ValueId length : whole.value(theirs).lengths) lengths.push_back(length == kNoValue ? kNoValue : own_id(whole, length));
    part.value(own).lengths = std::move(lengths);
    return own;
  }

  std::map<ValueId, ValueId> ids_;
};

}  // namespace

// In the graph's order, as far as what they read is not known yet.
std::vector<int> ValueResolver::nodes_behind(ValueId wanted) {
  producers_.resize(graph_.values.size(), -1);
  for (; nodes_seen_ < graph_.nodes.size(); nodes_seen_++)
    for (ValueId id : graph_.nodes[nodes_seen_].outputs)
      if (id != kNoValue) producers_[static_cast<size_t>(id)] = static_cast<int>(nodes_seen_);
  std::set<int> found;
  for (std::vector<ValueId> open{wanted}; !open.empty();) {
    const ValueId id = open.back();
    open.pop_back();
    const int node = producers_[static_cast<size_t>(id)];
    if (graph_.value(id).shape_known || node < 0 || !found.insert(node).second) continue;
    for (ValueId input : graph_.nodes[static_cast<size_t>(node)].inputs)
      if (input != kNoValue) open.push_back(input);
  }
  return {found.begin(), found.end()};
}

Status ValueResolver::resolve(ValueId wanted) {
  if (graph_.value(wanted).shape_known) return ok_status();
  PartOfGraph behind(graph_, nodes_behind(wanted), wanted);
  drop_unread_outputs(behind.part);
  split_variadic(behind.part);
  HONE_TRY(fold_constants(behind.part, cancel_, work_left_));
  behind.tell(graph_);
  return ok_status();
}

void drop_resolved_nodes(Graph& graph) {
  const std::vector<bool> leaves = marks_of(graph, graph.outputs);
  const auto is_needed = [&](ValueId id) {
    return id != kNoValue && (!graph.value(id).constant || leaves[static_cast<size_t>(id)]);
  };
  graph.nodes.erase(std::remove_if(graph.nodes.begin(), graph.nodes.end(),
                                   [&](const Node& node) { return std::none_of(node.outputs.begin(), node.outputs.end(), is_needed); }),
                    graph.nodes.end());
}

}  // namespace hone::graph
