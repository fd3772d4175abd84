#include "codegen/graph/passes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/cat.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/op_table.h"
#include "codegen/te/evaluate.h"
#include "codegen/te/interval.h"

namespace hone::graph {
namespace {

class Folder {
 public:
  Folder(Graph& graph, const CancelToken* cancel, double& work_left)
      : graph_(graph),
        cancel_(cancel),
        work_left_(work_left),
        leaves_(marks_of(graph, graph.outputs)),
        stands_for_(graph.values.size()) {
    std::iota(stands_for_.begin(), stands_for_.end(), 0);
  }
  Status run();

 private:
  Result<bool> is_needed(Node& node);
  Result<bool> evaluate(const Node& node);
  bool is_affordable(const te::Program& program);
  void set_contents(const Node& node, const std::vector<te::Tensor>& made,
                    const std::vector<std::vector<double>>& results);
  bool leaves(const Node& node) const {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId id) { return id != kNoValue && leaves_[static_cast<size_t>(id)]; });
  }

  Graph& graph_;
  const CancelToken* cancel_;
  double& work_left_;
  const std::vector<bool> leaves_;
  std::vector<ValueId> stands_for_;  // what is read in a value's stead
};

bool is_known(const Value& value) { return value.constant && value.bytes; }

// Whole numbers that doubles, in which nodes are computed here, do not have. The ends of a type, which exporters write for "all", stay what they are.
enum class Beyond : uint8_t { kNone, kEnds, kNumbers };

Beyond beyond_doubles(ir::DType dtype, const std::vector<double>& numbers) {
  Beyond out = Beyond::kNone;
  if (!te::is_wide(dtype)) return out;
  for (double v : numbers) {
    const double size = std::fabs(v);
    if (size > 0x1p53) out = std::max(out, size == 0x1p63 || size == 0x1p64 ? Beyond::kEnds : Beyond::kNumbers);
  }
  return out;
}

Beyond beyond_doubles(const Graph& graph, const Node& node) {
  Beyond out = Beyond::kNone;
  for (ValueId id : node.inputs) {
    if (id == kNoValue || !te::is_wide(graph.value(id).dtype) || !is_known(graph.value(id))) continue;
    const Value& value = graph.value(id);
    out = std::max(out, beyond_doubles(value.dtype, to_doubles({value.dtype, value.shape, value.bytes})));
  }
  return out;
}

bool Folder::is_affordable(const te::Program& program) {
  const te::EvaluationCost cost = te::evaluation_cost(program);
  const double work = cost.nodes + cost.elements;
  if (work <= static_cast<double>(kFoldSmallWork)) return true;
  if (cost.elements > static_cast<double>(kFoldStorageElementsMax) || work > static_cast<double>(kFoldWorkMax))
    return false;
  if (work > work_left_) return false;
  work_left_ -= work;
  return true;
}

void Folder::set_contents(const Node& node, const std::vector<te::Tensor>& made,
                          const std::vector<std::vector<double>>& results) {
  size_t next = 0;
  for (size_t i = 0; i < node.outputs.size() && i < made.size(); i++) {
    if (!made[i]) continue;
    const std::vector<double>& elements = results[next++];
    if (node.outputs[i] == kNoValue) continue;
    Value& value = graph_.value(node.outputs[i]);
    value.bytes = from_doubles(value.dtype, value.shape, elements).bytes;
    value.constant = true;
  }
}

// Computes the node's outputs when its definition reads constants only (or, as for shapes, nothing). False: it reads more, or takes more
// work than folding is worth.
Result<bool> Folder::evaluate(const Node& node) {
  if (find_op(node.op)->kind == OpKind::kState) return false;
  te::Builder builder;
  std::vector<ValueId> read;
  const OpCall call(builder, graph_, node, [&](ValueId id, std::string_view name) {
    read.push_back(id);
    return builder.input(name, graph_.value(id).dtype, graph_.value(id).shape);
  });
  HONE_ASSIGN(made, emit_op(call));
  if (!std::all_of(read.begin(), read.end(), [&](ValueId id) { return is_known(graph_.value(id)); })) return false;
  for (te::Tensor t : made)
    if (t && ir::element_count(t->shape) > kFoldElementsMax) return false;
  if (std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return id != kNoValue && !graph_.value(id).lengths.empty(); })) return false;
  if (!is_affordable(builder.program())) return false;
  std::vector<std::vector<double>> inputs;
  for (ValueId id : read) {
    const Value& v = graph_.value(id);
    inputs.push_back(to_doubles({v.dtype, v.shape, v.bytes}));
  }
  const Beyond given = beyond_doubles(graph_, node);
  if (given == Beyond::kNumbers) return false;
  for (te::Tensor t : made)
    if (t) builder.output(t);
  HONE_ASSIGN(results, te::evaluate(builder.program(), std::move(inputs), cancel_));
  for (size_t i = 0; i < results.size() && given == Beyond::kNone; i++)
    if (beyond_doubles(builder.program().outputs[i]->dtype, results[i]) != Beyond::kNone) return false;
  set_contents(node, made, results);
  return true;
}

bool hands_on(const Node& node) { return node.op == "Identity" || (node.op == "Dropout" && node.outputs.size() == 1); }

Result<bool> Folder::is_needed(Node& node) {
  for (ValueId& id : node.inputs)
    if (id != kNoValue) id = stands_for_[static_cast<size_t>(id)];
  HONE_TRY(infer_node(graph_, node));
  HONE_ASSIGN(known, evaluate(node));
  if (leaves(node)) return true;
  if (!known && hands_on(node)) {
    stands_for_[static_cast<size_t>(node.outputs[0])] = node.inputs[0];
    return false;
  }
  return !known;
}

Status Folder::run() {
  std::vector<Node> kept;
  for (Node& node : graph_.nodes) {
    HONE_TRY(check_cancel(cancel_));
    HONE_ASSIGN(needed, is_needed(node));
    if (needed) kept.push_back(std::move(node));
  }
  graph_.nodes = std::move(kept);
  return ok_status();
}

}  // namespace

Status fold_constants(Graph& graph, const CancelToken* cancel, double& work_left) {
  HONE_TRY(Folder(graph, cancel, work_left).run());
  drop_dead_nodes(graph);
  return ok_status();
}

Status fold_constants(Graph& graph, const CancelToken* cancel) {
  double work_left = static_cast<double>(kFoldModelWorkMax);
  return fold_constants(graph, cancel, work_left);
}

}  // namespace hone::graph
