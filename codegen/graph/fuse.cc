#include "codegen/graph/fuse.h"

#include <algorithm>
#include <set>

#include "codegen/graph/choose_layouts.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/texel_layout.h"

namespace hone::graph {
namespace {

class Fusion {
 public:
  Fusion(const Graph& graph, const std::vector<bool>& channels_last)
      : graph_(graph), channels_last_(channels_last), consumers_(consumers_of(graph)), grouped_(graph.nodes.size(), false) {}
  std::vector<Group> run();

 private:
  const Node& node(int i) const { return graph_.nodes[static_cast<size_t>(i)]; }
  bool is_row_major(ValueId id) const {
    return !channels_last_[static_cast<size_t>(id)] || channels_last(graph_.value(id).shape).row_major();
  }
  bool is_free(const Node& n) const;
  bool may_join(const Group& group, ValueId tail, int candidate) const;
  int bindings(const std::vector<int>& nodes) const;
  bool closes(const std::vector<int>& nodes, ValueId tail) const;
  std::vector<int> next_members(const Group& group, ValueId tail) const;
  Group grow(int first);

  const Graph& graph_;
  const std::vector<bool>& channels_last_;
  std::vector<std::vector<int>> consumers_;
  std::vector<bool> grouped_;
};

bool Fusion::is_free(const Node& n) const {
  if (n.at_boundary) return true;
  const OpEntry* entry = find_op(n.op);
  if (!entry || entry->kind != OpKind::kView) return false;
  const ValueId from = n.inputs[0], to = n.outputs[0];
  if (graph_.medium == ir::Medium::kBuffer) return is_row_major(from) && is_row_major(to);
  return same_texels(graph_.value(from).shape, layout_of(graph_, from, channels_last_), graph_.value(to).shape, layout_of(graph_, to, channels_last_));
}

// Tensors a kernel for these nodes binds. Constants that become numbers are counted, too: an upper bound is enough.
int Fusion::bindings(const std::vector<int>& nodes) const {
  std::set<ValueId> read, made;
  for (int i : nodes)
    for (ValueId id : node(i).outputs) made.insert(id);
  for (int i : nodes)
    for (ValueId id : node(i).inputs)
      if (id != kNoValue && !made.count(id)) read.insert(id);
  return static_cast<int>(read.size()) + 1;
}

bool Fusion::may_join(const Group& group, ValueId tail, int candidate) const {
  const Node& n = node(candidate);
  const OpEntry* entry = find_op(n.op);
  if (grouped_[static_cast<size_t>(candidate)] || !entry || entry->kind != OpKind::kElementwise || n.outputs.size() != 1) return false;
  if (graph_.value(n.outputs[0]).shape != graph_.value(tail).shape) return false;
  std::vector<int> together = group.nodes;
  together.push_back(candidate);
  return bindings(together) <= kBindingsMax;
}

// Whether what `nodes` make from `tail` is read by them alone, except for what the last one makes.
bool Fusion::closes(const std::vector<int>& nodes, ValueId tail) const {
  const auto inside = [&](int reader) { return std::find(nodes.begin(), nodes.end(), reader) != nodes.end(); };
  std::vector<ValueId> hidden = {tail};
  for (size_t i = 0; i + 1 < nodes.size(); i++) hidden.push_back(node(nodes[i]).outputs[0]);
  return std::all_of(hidden.begin(), hidden.end(), [&](ValueId id) {
    const std::vector<int>& readers = consumers_[static_cast<size_t>(id)];
    return !readers.empty() && !is_graph_output(graph_, id) && std::all_of(readers.begin(), readers.end(), inside);
  });
}

// The fewest elementwise nodes after which one value leaves the group again: the one reader of `tail`, or what lies between where a value
// forks and where its branches meet (x · sigmoid(x)). Empty when there are none.
std::vector<int> Fusion::next_members(const Group& group, ValueId tail) const {
  constexpr size_t kBranchNodesMax = 16;
  std::vector<int> found;
  std::set<ValueId> made = {tail};
  if (consumers_[static_cast<size_t>(tail)].empty()) return {};
  for (int i = consumers_[static_cast<size_t>(tail)][0]; i < static_cast<int>(graph_.nodes.size()) && found.size() < kBranchNodesMax; i++) {
    const Node& n = node(i);
    if (std::none_of(n.inputs.begin(), n.inputs.end(), [&](ValueId id) { return made.count(id) > 0; })) continue;
    Group together = group;
    together.nodes.insert(together.nodes.end(), found.begin(), found.end());
    if (!may_join(together, tail, i)) return {};
    found.push_back(i);
    made.insert(n.outputs[0]);
    if (closes(found, tail)) return found;
  }
  return {};
}

Group Fusion::grow(int first) {
  Group group{{first}, is_free(node(first))};
  grouped_[static_cast<size_t>(first)] = true;
  if (group.free || node(first).outputs.size() != 1) return group;
  for (ValueId tail = node(first).outputs[0];;) {
    const std::vector<int> members = next_members(group, tail);
    if (members.empty()) return group;
    for (int i : members) {
      group.nodes.push_back(i);
      grouped_[static_cast<size_t>(i)] = true;
    }
    tail = node(members.back()).outputs[0];
  }
}

std::vector<Group> Fusion::run() {
  std::vector<Group> out;
  for (int i = 0; i < static_cast<int>(graph_.nodes.size()); i++)
    if (!grouped_[static_cast<size_t>(i)]) out.push_back(grow(i));
  // A group runs when its last node would: by then everything its later members read is there.
  std::stable_sort(out.begin(), out.end(), [](const Group& a, const Group& b) { return a.nodes.back() < b.nodes.back(); });
  return out;
}

}  // namespace

std::vector<Group> fuse(const Graph& graph, const std::vector<bool>& channels_last) { return Fusion(graph, channels_last).run(); }

}  // namespace hone::graph
