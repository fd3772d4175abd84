// An ensemble of decision trees: for each leaf the decisions on the way to it, all of them at once. A row of features reaches the leaves of which it takes all decisions.
#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

// nodes_modes of ai.onnx.ml's TreeEnsemble: how a feature is compared with the node's number.
enum Mode : int64_t { kLeq, kLt, kGte, kGt, kEq, kNeq, kMember };

struct Decision {
  int64_t feature = 0, mode = kLeq;
  double split = 0;
  bool taken = true;           // whether the way goes where it holds
  bool holds_for_nan = false;
};
struct Leaf {
  std::vector<Decision> way;
  double weight = 0;
  int64_t target = 0;
};

struct Trees {
  std::vector<int64_t> roots, features, true_nodes, false_nodes, true_leaves, false_leaves, targets, missing;
  std::vector<double> modes, splits, weights, members;
  std::vector<std::vector<double>> member_sets;  // of each node that asks for one, in order
  std::vector<size_t> set_of;                    // by node
};

Result<std::vector<double>> tensor_of(const OpCall& call, std::string_view name) {
  const auto it = call.node.attributes.find(name);
  const auto* tensor = it == call.node.attributes.end() ? nullptr : std::get_if<ConstantTensor>(&it->second);
  if (!tensor) return bad_node(cat("lacks ", name));
  return to_doubles(*tensor);
}

// Sets end with a NaN each.
void split_members(Trees& t) {
  std::vector<double> set;
  for (double member : t.members) {
    if (!std::isnan(member)) {
      set.push_back(member);
      continue;
    }
    t.member_sets.push_back(std::move(set));
    set.clear();
  }
  size_t next = 0;
  for (double mode : t.modes) t.set_of.push_back(mode == kMember ? next++ : 0);
}

Status check_trees(const Trees& t) {
  const size_t n = t.features.size();
  const bool fits = t.modes.size() == n && t.splits.size() == n && t.true_nodes.size() == n && t.false_nodes.size() == n && t.true_leaves.size() == n && t.false_leaves.size() == n;
  if (!fits || t.weights.size() != t.targets.size() || t.roots.empty() || (!t.missing.empty() && t.missing.size() != n)) return bad_node("its lists of nodes, or of leaves, have different lengths");
  for (size_t i = 0; i < n; i++) {
    if (!(t.modes[i] >= kLeq && t.modes[i] <= kMember)) return bad_node(cat("mode ", t.modes[i], " is not defined; expected 0 to 6"));
    if (t.modes[i] == kMember && t.set_of[i] >= t.member_sets.size()) return bad_node("membership_values has fewer sets than nodes ask for");
  }
  return ok_status();
}

Result<Trees> read_trees(const OpCall& call) {
  Trees t{.roots = call.integers("tree_roots"), .features = call.integers("nodes_featureids"), .true_nodes = call.integers("nodes_truenodeids"), .false_nodes = call.integers("nodes_falsenodeids"),
          .true_leaves = call.integers("nodes_trueleafs"), .false_leaves = call.integers("nodes_falseleafs"), .targets = call.integers("leaf_targetids"), .missing = call.integers("nodes_missing_value_tracks_true")};
  HONE_ASSIGN(modes, tensor_of(call, "nodes_modes"));
  HONE_ASSIGN(splits, tensor_of(call, "nodes_splits"));
  HONE_ASSIGN(weights, tensor_of(call, "leaf_weights"));
  t.modes = std::move(modes), t.splits = std::move(splits), t.weights = std::move(weights);
  if (call.has_attribute("membership_values")) {
    HONE_ASSIGN(members, tensor_of(call, "membership_values"));
    t.members = std::move(members);
  }
  split_members(t);
  HONE_TRY(check_trees(t));
  return t;
}

// Decisions of all ways together, each 32 bytes here. A thousand trees of 255 leaves behind twelve decisions have three million.
constexpr size_t kDecisionsMax = size_t{1} << 22;

// Walks all ways of all trees.
class Ways {
 public:
  explicit Ways(const Trees& trees) : t_(trees) {}
  Result<std::vector<Leaf>> all() {
    for (int64_t root : t_.roots) HONE_TRY(walk(root, false));
    return std::move(leaves_);
  }

 private:
  Status add_leaf(int64_t leaf) {
    if (leaf < 0 || leaf >= static_cast<int64_t>(t_.weights.size())) return bad_node(cat("names the leaf ", leaf, " of ", t_.weights.size()));
    decisions_ += way_.size() + 1;
    if (decisions_ > kDecisionsMax) return Error{ErrorCode::kLimitExceeded, cat("its ways have more than ", kDecisionsMax, " decisions")};
    leaves_.push_back({way_, t_.weights[static_cast<size_t>(leaf)], t_.targets[static_cast<size_t>(leaf)]});
    return ok_status();
  }
  Status walk(int64_t id, bool is_leaf) {
    if (is_leaf) return add_leaf(id);
    const auto node = static_cast<size_t>(id);
    if (id < 0 || node >= t_.features.size()) return bad_node(cat("names the node ", id, " of ", t_.features.size()));
    if (way_.size() >= kNestingMax) return Error{ErrorCode::kLimitExceeded, cat("a tree is deeper than ", kNestingMax, " decisions, or has a cycle")};
    if (t_.modes[node] == kMember) return walk_members(node);
    HONE_TRY(step(node, static_cast<int64_t>(t_.modes[node]), t_.splits[node], true));
    return step(node, static_cast<int64_t>(t_.modes[node]), t_.splits[node], false);
  }
  Status step(size_t node, int64_t mode, double split, bool taken) {
    way_.push_back({t_.features[node], mode, split, taken, !t_.missing.empty() && t_.missing[node] != 0});
    const Status walked = taken ? walk(t_.true_nodes[node], t_.true_leaves[node] != 0) : walk(t_.false_nodes[node], t_.false_leaves[node] != 0);
    way_.pop_back();
    return walked;
  }
  // One way for each member; the other passes all of them.
  Status walk_members(size_t node) {
    const std::vector<double>& set = t_.member_sets[t_.set_of[node]];
    for (double member : set) HONE_TRY(step(node, kEq, member, true));
    const size_t before = way_.size();
    for (double member : set) way_.push_back({t_.features[node], kEq, member, false, false});
    const Status walked = before + set.size() >= kNestingMax ? Status(Error{ErrorCode::kLimitExceeded, "a set has too many members"}) : walk(t_.false_nodes[node], t_.false_leaves[node] != 0);
    way_.resize(before);
    return walked;
  }

  const Trees& t_;
  std::vector<Decision> way_;
  std::vector<Leaf> leaves_;
  size_t decisions_ = 0;
};

// The decisions of all leaves as columns, those of shorter ways filled up with one that all take: [leaves · depth].
struct Columns {
  int64_t leaves = 0, depth = 1;
  std::vector<double> feature, mode, split, taken, holds_for_nan;
};

Columns columns_of(const std::vector<Leaf>& leaves) {
  Columns out{.leaves = static_cast<int64_t>(leaves.size())};
  for (const Leaf& leaf : leaves) out.depth = std::max(out.depth, static_cast<int64_t>(leaf.way.size()));
  for (const Leaf& leaf : leaves) {
    for (int64_t d = 0; d < out.depth; d++) {
      const bool is_there = d < static_cast<int64_t>(leaf.way.size());
      const Decision decision = is_there ? leaf.way[static_cast<size_t>(d)] : Decision{};
      out.feature.push_back(double(decision.feature));
      out.mode.push_back(double(decision.mode));
      out.split.push_back(decision.split);
      out.taken.push_back(is_there ? decision.taken : 2);
      out.holds_for_nan.push_back(decision.holds_for_nan);
    }
  }
  return out;
}

// Writes the nodes of one ensemble over rows x: [n, features] f32.
class TreeWriter {
 public:
  TreeWriter(NodeWriter& nodes, ValueId x, int64_t rows, const Columns& columns) : nodes_(nodes), x_(x), rows_(rows), c_(columns) {}

  // [n, leaves]: 1 for those that a row reaches.
  ValueId reached() {
    const int64_t all = c_.leaves * c_.depth;
    const ValueId feature = nodes_.add("Gather", {x_, nodes_.constant(DType::kI64, {all}, c_.feature)}, {{"axis", int64_t{1}}});
    ValueId holds = compared(feature);
    if (has(c_.holds_for_nan, 1)) holds = nodes_.add("Or", {holds, nodes_.add("And", {nodes_.add("IsNaN", {feature}), mask(c_.holds_for_nan, 1)})});
    const ValueId goes = nodes_.add("Or", {nodes_.add("Equal", {holds, mask(c_.taken, 1)}), mask(c_.taken, 2)});
    const ValueId ways = nodes_.reshaped(nodes_.add("Cast", {goes}, {{"to", int64_t{1}}}), {rows_, c_.leaves, c_.depth});
    return nodes_.add("ReduceMin", {ways, nodes_.list({2})}, {{"keepdims", int64_t{0}}});
  }

 private:
  static bool has(const std::vector<double>& column, double value) { return std::find(column.begin(), column.end(), value) != column.end(); }
  ValueId mask(const std::vector<double>& column, double value) {
    std::vector<double> equal;
    for (double v : column) equal.push_back(v == value);
    return nodes_.constant(DType::kBool, {static_cast<int64_t>(column.size())}, equal);
  }
  // Whether each decision holds: by each mode that occurs.
  ValueId compared(ValueId feature) {
    static constexpr std::string_view kOps[] = {"LessOrEqual", "Less", "GreaterOrEqual", "Greater", "Equal", "Equal"};
    const ValueId split = nodes_.constant(DType::kF32, {static_cast<int64_t>(c_.split.size())}, c_.split);
    ValueId holds = kNoValue;
    for (int64_t mode = kLeq; mode <= kNeq; mode++) {
      if (!has(c_.mode, double(mode))) continue;
      ValueId of_mode = nodes_.add(kOps[mode], {feature, split});
      if (mode == kNeq) of_mode = nodes_.add("Not", {of_mode});
      holds = holds == kNoValue ? of_mode : nodes_.add("Where", {mask(c_.mode, double(mode)), of_mode, holds});
    }
    return holds;
  }

  NodeWriter& nodes_;
  ValueId x_;
  int64_t rows_;
  const Columns& c_;
};

// What leaves add to each target: [leaves, targets].
Result<std::vector<double>> leaf_matrix(const std::vector<Leaf>& leaves, int64_t targets, double factor) {
  std::vector<double> out(leaves.size() * static_cast<size_t>(targets));
  for (size_t i = 0; i < leaves.size(); i++) {
    HONE_TRY(check_range("leaf_targetids", leaves[i].target, 0, targets - 1));
    out[i * static_cast<size_t>(targets) + static_cast<size_t>(leaves[i].target)] = leaves[i].weight * factor;
  }
  return out;
}

}  // namespace

Expanded expand_tree_ensemble(NodeWriter& nodes, const OpCall& call) {
  const Shape x = call.value(0).shape;
  const DType dtype = call.value(0).dtype;
  if (x.size() != 2 || !ir::is_float(dtype)) return bad_node(cat("an input of shape ", te::shape_text(x), " has no rows of features"));
  const int64_t targets = call.integer("n_targets", 1), aggregate = call.integer("aggregate_function", 1);
  HONE_TRY(check_range("n_targets", targets, 1, kFoldElementsMax));
  if (call.integer("post_transform", 0) != 0) return Error{ErrorCode::kUnsupported, "post_transform is not supported; write it as a node of its own"};
  if (aggregate != 0 && aggregate != 1) return Error{ErrorCode::kUnsupported, cat("aggregate_function ", aggregate, " is not supported; hone knows average (0) and sum (1)")};
  HONE_ASSIGN(trees, read_trees(call));
  HONE_ASSIGN(leaves, Ways(trees).all());
  for (const Leaf& leaf : leaves)
    for (const Decision& d : leaf.way) HONE_TRY(check_range("nodes_featureids", d.feature, 0, x[1] - 1));
  const Columns columns = columns_of(leaves);
  const double elements = double(columns.leaves) * double(std::max(targets, columns.depth));
  if (elements > double(kFoldElementsMax)) return Error{ErrorCode::kLimitExceeded, cat("its ", leaves.size(), " leaves are too many")};
  HONE_ASSIGN(matrix, leaf_matrix(leaves, targets, aggregate == 0 ? 1.0 / double(trees.roots.size()) : 1.0));
  const ValueId rows = nodes.add("Cast", {call.id(0)}, {{"to", int64_t{1}}});
  const ValueId reached = TreeWriter(nodes, rows, x[0], columns).reached();
  const ValueId y = nodes.add("MatMul", {reached, nodes.constant(DType::kF32, {columns.leaves, targets}, matrix)});
  return std::vector<ValueId>{nodes.add("CastLike", {y, call.id(0)})};
}

}  // namespace hone::graph
