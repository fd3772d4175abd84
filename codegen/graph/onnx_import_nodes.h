// Nodes of an ONNX model as nodes of a Graph, one after the other: functions are replaced by their nodes.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/graph/import.h"
#include "codegen/graph/onnx_import_tensor.h"
#include "codegen/graph/onnx_model.h"
#include "codegen/graph/onnx_scope.h"

namespace hone::graph {

class NodeImporter {
 public:
  // `graph` grows; its opset is known. `model` holds views of `file`. All outlive the importer.
  NodeImporter(const OnnxModel& model, SharedBytes file, const ImportOptions& options, Graph& graph);

  // All fail: bad_model, unsupported, limit_exceeded with the node or value; cancelled.
  Status add_initialisers(const OnnxGraph& graph, OnnxScope& scope);
  // Those nodes on whose results `results` depend.
  Status add_nodes(const std::vector<OnnxNode>& nodes, const std::vector<std::string_view>& results, OnnxScope& scope);

  // Null: no name of the scope, nor of those around it.
  static const Meaning* find(const OnnxScope& scope, std::string_view name);
  Status bind(OnnxScope& scope, std::string_view name, Meaning meaning);

 private:
  Status add_node(const OnnxNode& node, const std::vector<OnnxNode>& beside, OnnxScope& scope);
  Status add_known(const OnnxNode& proto, OnnxScope& scope);
  Status add_constant(const OnnxNode& proto, OnnxScope& scope);
  Status add_outputs(const OnnxNode& proto, Node& node, OnnxScope& scope);

  Result<ConstantTensor> content_of(const OnnxTensor& tensor, const std::string& what);
  Result<ConstantTensor> content_of(const OnnxSparseTensor& tensor, const std::string& what);
  Result<ConstantTensor> constant_of(const GivenAttribute& attribute, const std::string& what);
  Status define_constant(std::string_view name, ConstantTensor tensor, OnnxScope& scope);
  Result<ValueId> define(std::string_view name, OnnxScope& scope);

  // Of what stands in the place of an input. An empty name, and what is left out: absent.
  Result<Meaning> input_of(std::string_view name, const std::string& what, const OnnxScope& scope) const;
  Result<ValueId> tensor_of(std::string_view name, const std::string& what, const OnnxScope& scope) const;
  // References to those of a function's call are followed.
  Result<GivenAttributes> attributes_of(const OnnxNode& node, const OnnxScope& scope) const;
  Result<Attribute> read_attribute(const GivenAttribute& attribute, const std::string& what);

  bool is_known(const OnnxNode& node) const;
  std::string others_unknown(const OnnxNode& first, const std::vector<OnnxNode>& beside) const;

  // Functions of the model.
  const OnnxFunction* function_of(const OnnxNode& node) const;
  Status check_call(const OnnxNode& node, const OnnxFunction& function, const OnnxScope& scope) const;
  Status add_call(const OnnxNode& node, const OnnxFunction& function, OnnxScope& scope);

  // Nodes in the place of one: how many there may be, what they are called, and what of them the node hands out.
  Status count_expanded(size_t nodes, const std::string& what);
  Result<OnnxScope> scope_within(const OnnxNode& node, const OnnxScope& around);
  Status hand_out(std::string_view name, Meaning meaning, ValueId first_inside, OnnxScope& scope);
  ValueId add_synthetic(std::string_view op, std::vector<ValueId> inputs, std::map<std::string, Attribute, std::less<>> attributes,
                        std::string name);

  const OnnxModel& model_;
  const ImportOptions& options_;
  Graph& graph_;
  TensorReader tensors_;
  std::unordered_map<std::string, const OnnxFunction*> functions_;
  std::unordered_map<const void*, ConstantTensor> contents_;  // of tensors of the file that were read, so that each is read once
  std::vector<bool> handed_out_;                               // by value: it has the name of a node's output
  size_t expanded_ = 0;
};

}  // namespace hone::graph
