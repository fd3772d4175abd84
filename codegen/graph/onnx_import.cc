#include "codegen/graph/onnx_import.h"

#include "base/cat.h"
#include "codegen/graph/onnx_import_inputs.h"
#include "codegen/graph/onnx_import_names.h"
#include "codegen/graph/onnx_import_nodes.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/remedies.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

Result<int> opset_of(const OnnxModel& model) {
  int64_t opset = 0;
  for (const OnnxOpset& entry : model.opsets)
    if (is_onnx_domain(entry.domain)) opset = entry.version;
  if (opset == 0 && !model.opsets.empty())
    opset = kOpsetMax;  // its operators are of other domains, and refused one by one
  if (opset == 0)
    return te::bad_model("the model names no version of ONNX's operators (opset_import); the file is damaged");
  if (opset < kOpsetMin || opset > kOpsetMax)
    return Error{ErrorCode::kUnsupported,
                 cat("the model uses opset ", opset, " of ONNX's operators; hone knows opsets ", kOpsetMin, " to ",
                     kOpsetMax, ": export it with one of these, or convert it: ", kConvertOpset)};
  return static_cast<int>(opset);
}

class Importer {
 public:
  Importer(const OnnxModel& model, const SharedBytes& file, const ImportOptions& options)
      : proto_(*model.graph), options_(options), nodes_(model, file, options, graph_) {}

  Result<Graph> import(int opset) {
    HONE_TRY(check_name(proto_.name));
    graph_.name = proto_.name;
    graph_.opset = scope_.opset = opset;
    HONE_TRY(nodes_.add_initialisers(proto_, scope_));
    HONE_TRY(add_inputs());
    HONE_TRY(nodes_.add_nodes(proto_.nodes, result_names(proto_), scope_));
    HONE_TRY(add_outputs());
    return std::move(graph_);
  }

 private:
  Status add_inputs() {
    InputReader reader(proto_, options_);
    for (const OnnxValueInfo& input : proto_.inputs) {
      const Meaning* same = NodeImporter::find(scope_, input.name);
      if (same && graph_.value(same->tensor).constant) continue;  // up to IR version 3 weights are inputs, too
      HONE_ASSIGN(value, reader.read(input));
      graph_.inputs.push_back(graph_.add_value(std::move(value)));
      HONE_TRY(nodes_.bind(scope_, input.name, {graph_.inputs.back(), nullptr}));
    }
    return reader.check_sizes();
  }

  Status add_outputs() {
    for (const OnnxValueInfo& output : proto_.outputs) {
      HONE_TRY(check_name(output.name));
      const Meaning* found = NodeImporter::find(scope_, output.name);
      if (!found) return te::bad_model(cat("output '", output.name, "' is defined by no node"));
      if (found->tensor == kNoValue)
        return Error{ErrorCode::kUnsupported, cat("output '", output.name, "' is not a tensor")};
      graph_.outputs.push_back(found->tensor);
    }
    return graph_.outputs.empty() ? Status(te::bad_model("the model has no outputs")) : ok_status();
  }

  const OnnxGraph& proto_;
  const ImportOptions& options_;
  Graph graph_;
  OnnxScope scope_;
  NodeImporter nodes_;
};

}  // namespace

Result<Graph> graph_from_onnx(SharedBytes file, const ImportOptions& options) {
  HONE_ASSIGN(model, parse_onnx_model(*file));
  if (!model.graph) return te::bad_model("the model holds no graph; the file is empty or damaged");
  HONE_ASSIGN(opset, opset_of(model));
  return Importer(model, file, options).import(opset);
}

Result<Graph> graph_from_onnx(std::string_view bytes, const ImportOptions& options) {
  return graph_from_onnx(shared_bytes(std::string(bytes)), options);
}

std::set<std::string> open_dims_of(std::string_view bytes) {
  const auto model = parse_onnx_model(bytes);
  return model.ok() && model->graph ? open_dims(*model->graph) : std::set<std::string>();
}

}  // namespace hone::graph
