#include "codegen/graph/verify_graph.h"

#include <set>

#include "base/cat.h"
#include "codegen/graph/loops.h"

namespace hone::graph {
namespace {

class GraphVerifier {
 public:
  GraphVerifier(const Graph& graph, GraphStage stage)
      : graph_(graph), is_shaped_(stage == GraphStage::kShaped), written_(graph.values.size()), defined_(marks_of(graph, graph.inputs)) {}

  Status run() {
    for (const Node& node : graph_.nodes) {
      for (ValueId id : node.inputs) HONE_TRY(check_read(id, node_text(graph_, node)));
      if (is_shaped_ && is_loop_end(node)) HONE_TRY(check_loop(node));
      for (ValueId id : node.outputs) HONE_TRY(check_written(id, node));
      if (node.op == "hone.LoopState" && node.outputs[0] != kNoValue) states_.insert(node.outputs[0]);
    }
    for (ValueId id : graph_.outputs) HONE_TRY(check_read(id, "the graph"));
    return ok_status();
  }

 private:
  static Error wrong(const std::string& what) { return {ErrorCode::kInternal, what}; }
  bool is_value(ValueId id) const { return id >= 0 && static_cast<size_t>(id) < graph_.values.size(); }

  Status check_read(ValueId id, const std::string& reader) const {
    if (id == kNoValue) return ok_status();
    if (!is_value(id)) return wrong(cat(reader, " reads value ", id, " of ", graph_.values.size()));
    if (!is_shaped_) return ok_status();
    const Value& value = graph_.value(id);
    if (!value.constant && !defined_[static_cast<size_t>(id)]) return wrong(cat(reader, " reads '", value.name, "' before it is defined"));
    if (!value.shape_known) return wrong(cat(reader, " reads '", value.name, "', whose shape is not known"));
    const int64_t bytes = ir::element_count(value.shape) * ir::size_bytes(value.dtype);
    if (value.bytes && static_cast<int64_t>(value.bytes->size()) != bytes)
      return wrong(cat("'", value.name, "' has ", value.bytes->size(), " bytes; its shape takes ", bytes));
    return ok_status();
  }

  // States, each with what follows it, of the same form; the first one is the condition where it is asked for.
  Status check_loop(const Node& node) const {
    const auto is_alike = [&](ValueId a, ValueId b) { return b != kNoValue && graph_.value(a).dtype == graph_.value(b).dtype && graph_.value(a).shape == graph_.value(b).shape; };
    if (node.inputs.size() < 2 || node.inputs.size() % 2 != 0 || node.outputs.size() > node.inputs.size() / 2) return wrong(cat(node_text(graph_, node), " has a state that nothing follows"));
    for (size_t i = 0; i < node.inputs.size(); i += 2)
      if (!states_.count(node.inputs[i]) || !is_alike(node.inputs[i], node.inputs[i + 1])) return wrong(cat(node_text(graph_, node), ": its input ", i, " is no state, or another than what follows it"));
    const auto number = [&](std::string_view name) {
      const auto it = node.attributes.find(name);
      const auto* found = it == node.attributes.end() ? nullptr : std::get_if<int64_t>(&it->second);
      return found ? *found : -1;
    };
    const Value& first = graph_.value(node.inputs[0]);
    const bool asks = number("asks") == 1, is_condition = first.dtype == DType::kBool && ir::element_count(first.shape) == 1;
    return number("trips") >= 0 && number("asks") >= 0 && (!asks || is_condition) ? ok_status() : Status(wrong(cat(node_text(graph_, node), " neither counts nor asks")));
  }

  Status check_written(ValueId id, const Node& node) {
    if (id == kNoValue) return ok_status();
    if (!is_value(id)) return wrong(cat(node_text(graph_, node), " writes value ", id, " of ", graph_.values.size()));
    if (written_[static_cast<size_t>(id)]) return wrong(cat(node_text(graph_, node), " writes '", graph_.value(id).name, "' a second time"));
    written_[static_cast<size_t>(id)] = defined_[static_cast<size_t>(id)] = true;
    return ok_status();
  }

  const Graph& graph_;
  const bool is_shaped_;
  std::vector<bool> written_, defined_;
  std::set<ValueId> states_;  // of loops, so far
};

}  // namespace

Status verify_graph(const Graph& graph, GraphStage stage) { return GraphVerifier(graph, stage).run(); }

}  // namespace hone::graph
