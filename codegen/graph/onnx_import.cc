#include "codegen/graph/onnx_import.h"

#include <algorithm>
#include <iterator>

#include "base/cat.h"
#include "codegen/graph/onnx_import_inputs.h"
#include "codegen/graph/onnx_import_names.h"
#include "codegen/graph/onnx_import_nodes.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/remedies.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

Error no_graph() { return te::bad_model("the model holds no graph; the file is empty or damaged"); }

Result<int> opset_of(const OnnxModel& model) {
  int64_t opset = 0;
  for (const OnnxOpset& entry : model.opsets)
    if (is_onnx_domain(entry.domain)) opset = entry.version;
  if (opset == 0 && !model.opsets.empty())
    opset = kOpsetMax;  // its operators are of other domains, and refused one by one
  if (opset == 0)
    return te::bad_model("the model names no version of ONNX's operators (opset_import); the file is damaged");
  if (opset < 1 || opset > kOpsetMax)
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
    // Models from before are taken as far as their operators have not changed since.
    scope_.opset = opset;
    graph_.opset = std::max(opset, kOpsetMin);
    HONE_TRY(nodes_.add_initialisers(proto_, scope_));
    HONE_TRY(add_inputs());
    first_computed_ = static_cast<ValueId>(graph_.values.size());
    HONE_TRY(nodes_.add_nodes(proto_.nodes, result_names(proto_), scope_));
    HONE_TRY(add_outputs());
    for (const OnnxNode& node : proto_.nodes) graph_.model_nodes.push_back({name_of(node), std::string(node.op_type), result_of(node)});
    drop_resolved_nodes(graph_);
    return std::move(graph_);
  }

 private:
  Status add_inputs() {
    InputReader reader(proto_, options_);
    for (const OnnxValueInfo& input : inputs_without_initialisers(proto_)) {
      HONE_ASSIGN(values, reader.read(input));
      std::vector<ValueId> ids;
      for (Value& value : values) {
        const bool fixed = options_.dims.count(value.name) > 0 && value.constant;
        ids.push_back(graph_.add_value(std::move(value)));
        if (!fixed) graph_.inputs.push_back(ids.back());
      }
      HONE_TRY(nodes_.bind(scope_, input.name, meaning_of(input.type, std::move(ids))));
    }
    return reader.check_sizes();
  }

  static Meaning meaning_of(const OnnxType& type, std::vector<ValueId> ids) {
    const bool is_optional = type.kind == OnnxType::kOptional;
    if (is_optional && ids.empty()) return {};
    const OnnxType& present = is_optional ? *type.element : type;
    if (present.kind == OnnxType::kTensor) return {ids[0], nullptr};
    return {kNoValue, std::make_shared<const std::vector<ValueId>>(std::move(ids))};
  }

  static std::string_view first_output(const OnnxNode& node) {
    const auto first = std::find_if(node.outputs.begin(), node.outputs.end(), [](std::string_view name) { return !name.empty(); });
    return first == node.outputs.end() ? std::string_view() : *first;
  }
  static std::string name_of(const OnnxNode& node) { return std::string(node.name.empty() ? first_output(node) : node.name); }
  ValueId result_of(const OnnxNode& node) const {
    const Meaning* meaning = NodeImporter::find(scope_, first_output(node));
    return meaning ? meaning->tensor : kNoValue;
  }

  // A sequence is handed out as its elements: 'parts.0', 'parts.1', …
  Status add_output(const Meaning& meaning, const std::string& name) {
    if (meaning.is_absent())
      return Error{ErrorCode::kUnsupported, cat("output '", name, "' is an optional without an element; export the model without it")};
    if (!meaning.list) return graph_.outputs.push_back(meaning.tensor), ok_status();
    for (size_t i = 0; i < meaning.list->size(); i++)
      graph_.outputs.push_back(nodes_.named((*meaning.list)[i], first_computed_, cat(name, ".", i)));
    return ok_status();
  }

  Status add_outputs() {
    std::vector<const Meaning*> meanings;
    for (const OnnxValueInfo& output : proto_.outputs) {
      HONE_TRY(check_name(output.name));
      meanings.push_back(NodeImporter::find(scope_, output.name));
      if (!meanings.back()) {
        const Error undefined = nodes_.undefined(output.name, "the model's list of outputs");
        return undefined.code == ErrorCode::kUnsupported ? undefined : te::bad_model(cat("output '", output.name, "' is defined by no node"));
      }
      if (meanings.back()->tensor != kNoValue) nodes_.keep_name(meanings.back()->tensor);
    }
    for (size_t i = 0; i < meanings.size(); i++) HONE_TRY(add_output(*meanings[i], std::string(proto_.outputs[i].name)));
    return graph_.outputs.empty() ? Status(te::bad_model("the model has no outputs")) : ok_status();
  }

  const OnnxGraph& proto_;
  const ImportOptions& options_;
  Graph graph_;
  OnnxScope scope_;
  NodeImporter nodes_;
  ValueId first_computed_ = 0;
};

}  // namespace

Result<Graph> graph_from_onnx(SharedBytes file, const ImportOptions& options) {
  HONE_ASSIGN(model, parse_onnx_model(*file));
  if (!model.graph) return no_graph();
  HONE_ASSIGN(opset, opset_of(model));
  return Importer(model, file, options).import(opset);
}

Result<Graph> graph_from_onnx(std::string_view bytes, const ImportOptions& options) {
  return graph_from_onnx(shared_bytes(std::string(bytes)), options);
}

Result<std::vector<Value>> inputs_of_onnx(std::string_view bytes, const ImportOptions& options) {
  HONE_ASSIGN(model, parse_onnx_model(bytes));
  if (!model.graph) return no_graph();
  InputReader reader(*model.graph, options);
  std::vector<Value> out;
  for (const OnnxValueInfo& input : inputs_without_initialisers(*model.graph)) {
    HONE_ASSIGN(values, reader.read(input));
    std::move(values.begin(), values.end(), std::back_inserter(out));
  }
  return out;
}

std::set<std::string> open_dims_of(std::string_view bytes) {
  const auto model = parse_onnx_model(bytes);
  return model.ok() && model->graph ? open_dims(*model->graph) : std::set<std::string>();
}

}  // namespace hone::graph
