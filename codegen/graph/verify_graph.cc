#include "codegen/graph/verify_graph.h"

#include "base/cat.h"

namespace hone::graph {
namespace {

class GraphVerifier {
 public:
  GraphVerifier(const Graph& graph, GraphStage stage)
      : graph_(graph), is_shaped_(stage == GraphStage::kShaped), written_(graph.values.size()), defined_(marks_of(graph, graph.inputs)) {}

  Status run() {
    for (const Node& node : graph_.nodes) {
      for (ValueId id : node.inputs) HONE_TRY(check_read(id, node_text(graph_, node)));
      for (ValueId id : node.outputs) HONE_TRY(check_written(id, node));
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
};

}  // namespace

Status verify_graph(const Graph& graph, GraphStage stage) { return GraphVerifier(graph, stage).run(); }

}  // namespace hone::graph
