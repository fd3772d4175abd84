#include "codegen/graph/definition_reads.h"

#include <map>
#include <set>

#include "codegen/graph/op_table.h"

namespace hone::graph {
namespace {

// The node's program, when it is one Map with one result.
class Definition {
 public:
  Definition(const Graph& graph, const Node& node) : graph_(graph) {
    if (const OpEntry* entry = find_op(node.op); entry && entry->kind == OpKind::kState) return;
    const OpCall call(builder_, graph, node, [this](ValueId id, std::string_view name) { return input(id, name); });
    const auto made = emit_op(call);
    const te::Program& program = builder_.program();
    const bool is_one = node.outputs.size() == 1 && made.ok() && made->size() == 1 && (*made)[0] && program.computes.size() == 1;
    if (is_one && !program.computes[0].reduce && program.computes[0].outputs[0] == (*made)[0]) map_ = &program.computes[0];
  }

  std::optional<ValueId> handed_on() const {
    if (!map_ || map_->value[0]->kind != ir::ExprKind::kLoad || !reads_same_place(map_->value[0])) return std::nullopt;
    const te::Tensor from = map_->value[0]->buffer, to = map_->outputs[0];
    return from->shape == to->shape && from->dtype == to->dtype ? std::optional(values_.at(from)) : std::nullopt;
  }

  bool is_pointwise() const {
    std::set<te::Expr> seen;
    return map_ && reads_same_places(map_->value[0], seen);
  }

 private:
  te::Tensor input(ValueId id, std::string_view name) {
    const te::Tensor tensor = builder_.input(name, graph_.value(id).dtype, graph_.value(id).shape);
    values_[tensor] = id;
    return tensor;
  }

  // The index is that of the result, aligned from the last dimension.
  bool reads_same_place(te::Expr load) const {
    const size_t rank = load->args.size(), more = map_->axes.size() - rank;
    if (load->mask || rank > map_->axes.size()) return false;
    for (size_t d = 0; d < rank; d++)
      if (load->args[d] != map_->axes[more + d].var && load->buffer->shape[d] != 1) return false;
    return true;
  }

  bool reads_same_places(te::Expr e, std::set<te::Expr>& seen) const {
    if (!seen.insert(e).second) return true;
    if (e->kind == ir::ExprKind::kLoad) return reads_same_place(e);
    for (const te::Axis& axis : map_->axes)
      if (e == axis.var) return false;  // it asks where it is
    for (te::Expr a : e->args)
      if (!reads_same_places(a, seen)) return false;
    return true;
  }

  const Graph& graph_;
  te::Builder builder_;
  std::map<te::Tensor, ValueId> values_;
  const te::Compute* map_ = nullptr;
};

}  // namespace

std::optional<ValueId> handed_on(const Graph& graph, const Node& node) { return Definition(graph, node).handed_on(); }

bool is_pointwise(const Graph& graph, const Node& node) { return Definition(graph, node).is_pointwise(); }

}  // namespace hone::graph
