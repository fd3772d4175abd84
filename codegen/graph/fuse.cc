#include "codegen/graph/fuse.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "codegen/graph/choose_layouts.h"
#include "codegen/graph/expression_size.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/loops.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/texel_layout.h"

namespace hone::graph {
namespace {

// Nodes between where a value forks and where its branches meet, and how often they may read a value.
constexpr size_t kBranchNodesMax = 16, kReadersMax = kBranchNodesMax * kBindingsMax;

// The nodes of a group, or of a group with more to join it, and the values that they read from outside.
class Members {
 public:
  explicit Members(const Graph& graph) : graph_(graph) {}
  // bound: what the node reads as tensors. size: of the expression that it computes, with those of earlier ones inlined.
  void add(int i, const std::vector<ValueId>& bound, double size) {
    for (ValueId id : bound)
      if (!made_.count(id)) read_.insert(id);
    for (ValueId id : graph_.nodes[static_cast<size_t>(i)].outputs) made_[id] = size;
    nodes_.push_back(i);
  }
  // Of the expression of a value; what is read from outside is one load.
  double size_of(ValueId id) const {
    const auto it = made_.find(id);
    return it == made_.end() ? 1 : it->second;
  }
  const std::vector<int>& nodes() const { return nodes_; }
  // Tensors that a kernel for these nodes binds, with one node more that reads `bound`.
  size_t bindings_with(const std::vector<ValueId>& bound) const {
    std::set<ValueId> all = read_;
    for (ValueId id : bound)
      if (!made_.count(id)) all.insert(id);
    return all.size() + 1;
  }

 private:
  const Graph& graph_;
  std::vector<int> nodes_;
  std::set<ValueId> read_;
  std::map<ValueId, double> made_;  // with the size of its expression
};

class Fusion {
 public:
  Fusion(const Graph& graph, const Layouts& layouts)
      : graph_(graph),
        layouts_(layouts),
        consumers_(consumers_of(graph)),
        leaves_(marks_of(graph, graph.outputs)),
        loops_(loops_of(graph)),
        grouped_(graph.nodes.size(), false),
        sizes_(graph.nodes.size()) {}
  Result<std::vector<Group>> run(const CancelToken* cancel);

 private:
  const Node& node(int i) const { return graph_.nodes[static_cast<size_t>(i)]; }
  const std::vector<int>& readers(ValueId id) const { return consumers_[static_cast<size_t>(id)]; }
  bool is_row_major(ValueId id) const { return layout_of(graph_, id, layouts_).row_major(); }
  bool is_free(const Node& n) const;
  const ExpressionSize& size_of(int i);
  std::vector<ValueId> bound_by(int i);
  double size_with(const Members& members, int candidate);
  bool runs_as_often(int a, int b) const { return loops_.loop_of[static_cast<size_t>(a)] == loops_.loop_of[static_cast<size_t>(b)]; }
  bool may_join(const Members& members, ValueId tail, int candidate);
  bool closes(const std::vector<int>& nodes, ValueId tail) const;
  std::vector<int> next_members(const Members& group, ValueId tail);
  Group grow(int first);

  const Graph& graph_;
  const Layouts& layouts_;
  std::vector<std::vector<int>> consumers_;
  std::vector<bool> leaves_;  // values that the graph hands out
  const Loops loops_;
  std::vector<bool> grouped_;
  std::vector<std::optional<ExpressionSize>> sizes_;  // of nodes that were asked for
};

bool Fusion::is_free(const Node& n) const {
  if (n.at_boundary || layouts_.views.count(n.outputs[0])) return true;
  const OpEntry* entry = find_op(n.op);
  if (!entry || entry->kind != OpKind::kView) return false;
  const ValueId from = n.inputs[0], to = n.outputs[0];
  if (graph_.medium == ir::Medium::kBuffer) return is_row_major(from) && is_row_major(to);
  return same_texels(graph_.value(from).shape, layout_of(graph_, from, layouts_), graph_.value(to).shape,
                     layout_of(graph_, to, layouts_));
}

const ExpressionSize& Fusion::size_of(int i) {
  std::optional<ExpressionSize>& size = sizes_[static_cast<size_t>(i)];
  if (!size) size = expression_size(graph_, node(i));
  return *size;
}

// What a node reads as tensors. An elementwise node's constants of one element are numbers in its expression (OpCall::operand); what the
// first node of a group makes of its inputs is not looked into.
std::vector<ValueId> Fusion::bound_by(int i) {
  const OpEntry* entry = find_op(node(i).op);
  const bool looked_into = entry && entry->kind == OpKind::kElementwise;
  std::vector<ValueId> out;
  for (size_t k = 0; k < node(i).inputs.size(); k++)
    if (node(i).inputs[k] != kNoValue && (!looked_into || size_of(i).reads[k] > 0)) out.push_back(node(i).inputs[k]);
  return out;
}

// Of the candidate's expression, with those of the members inlined.
double Fusion::size_with(const Members& members, int candidate) {
  const ExpressionSize& size = size_of(candidate);
  double out = size.own;
  for (size_t i = 0; i < size.reads.size(); i++) out += size.reads[i] * members.size_of(node(candidate).inputs[i]);
  return out;
}

bool Fusion::may_join(const Members& members, ValueId tail, int candidate) {
  const Node& n = node(candidate);
  const OpEntry* entry = find_op(n.op);
  if (grouped_[static_cast<size_t>(candidate)] || !entry || entry->kind != OpKind::kElementwise ||
      n.outputs.size() != 1)
    return false;
  if (graph_.value(n.outputs[0]).shape != graph_.value(tail).shape || !runs_as_often(candidate, members.nodes()[0])) return false;
  return members.nodes().size() < kGroupNodesMax && members.bindings_with(bound_by(candidate)) <= kBindingsMax &&
         size_with(members, candidate) <= kGroupExpressionMax;
}

// Whether what `nodes` make from `tail` is read by them alone, except for what the last one makes.
bool Fusion::closes(const std::vector<int>& nodes, ValueId tail) const {
  const auto inside = [&](int reader) { return std::find(nodes.begin(), nodes.end(), reader) != nodes.end(); };
  std::vector<ValueId> hidden = {tail};
  for (size_t i = 0; i + 1 < nodes.size(); i++) hidden.push_back(node(nodes[i]).outputs[0]);
  return std::all_of(hidden.begin(), hidden.end(), [&](ValueId id) {
    return !readers(id).empty() && !leaves_[static_cast<size_t>(id)] &&
           std::all_of(readers(id).begin(), readers(id).end(), inside);
  });
}

// The fewest elementwise nodes after which one value leaves the group again: the one reader of `tail`, or what lies between where a value
// forks and where its branches meet (x · sigmoid(x)). Empty when there are none.
std::vector<int> Fusion::next_members(const Members& group, ValueId tail) {
  Members together = group;
  std::vector<int> found;
  std::set<int> next;  // readers of what is made so far, in the graph's order
  for (ValueId made = tail;;) {
    // Where more read a value than may be found, it cannot close.
    if (leaves_[static_cast<size_t>(made)] || readers(made).size() > kReadersMax) return {};
    next.insert(readers(made).begin(), readers(made).end());
    if (next.empty() || found.size() == kBranchNodesMax) return {};
    const int i = *next.begin();
    next.erase(next.begin());
    if (!may_join(together, tail, i)) return {};
    found.push_back(i);
    together.add(i, bound_by(i), size_with(together, i));
    if (closes(found, tail)) return found;
    made = node(i).outputs[0];
  }
}

Group Fusion::grow(int first) {
  Group group{{first}, is_free(node(first))};
  grouped_[static_cast<size_t>(first)] = true;
  const OpEntry* entry = find_op(node(first).op);
  if (group.free || node(first).outputs.size() != 1 || (entry && entry->kind == OpKind::kState)) return group;
  Members members(graph_);
  members.add(first, bound_by(first), size_with(members, first));
  for (ValueId tail = node(first).outputs[0];;) {
    const std::vector<int> more = next_members(members, tail);
    if (more.empty()) break;
    for (int i : more) {
      members.add(i, bound_by(i), size_with(members, i));
      grouped_[static_cast<size_t>(i)] = true;
    }
    tail = node(more.back()).outputs[0];
  }
  group.nodes = members.nodes();
  return group;
}

Result<std::vector<Group>> Fusion::run(const CancelToken* cancel) {
  std::vector<Group> out;
  for (int i = 0; i < static_cast<int>(graph_.nodes.size()); i++) {
    HONE_TRY(check_cancel(cancel));
    if (!grouped_[static_cast<size_t>(i)]) out.push_back(grow(i));
  }
  // A group runs when its last node would: by then everything its later members read is there.
  std::vector<int> place(graph_.nodes.size());
  const std::vector<int> order = order_of_nodes(graph_, loops_);
  for (size_t i = 0; i < order.size(); i++) place[static_cast<size_t>(order[i])] = static_cast<int>(i);
  std::stable_sort(out.begin(), out.end(), [&](const Group& a, const Group& b) {
    return place[static_cast<size_t>(a.nodes.back())] < place[static_cast<size_t>(b.nodes.back())];
  });
  return out;
}

}  // namespace

Result<std::vector<Group>> fuse(const Graph& graph, const Layouts& layouts, const CancelToken* cancel) {
  return Fusion(graph, layouts).run(cancel);
}

}  // namespace hone::graph
