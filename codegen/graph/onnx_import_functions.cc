// Nodes in the place of one: the bodies of a model's functions, and what all such nodes have in common.
#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/onnx_import_names.h"
#include "codegen/graph/onnx_import_nodes.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

bool stands_within(const OnnxScope& scope, const OnnxFunction& function) {
  for (const OnnxCall* call = scope.call; call; call = call->caller->call)
    if (call->function == &function) return true;
  return false;
}

int opset_of(const OnnxFunction& function, int otherwise) {
  int64_t opset = otherwise;
  for (const OnnxOpset& entry : function.opsets)
    if (is_onnx_domain(entry.domain)) opset = entry.version;
  return static_cast<int>(std::clamp<int64_t>(opset, 0, INT32_MAX));
}

constexpr size_t kLabelBytesMax = 64;

GivenAttributes with_defaults(GivenAttributes given, const OnnxFunction& function) {
  for (const OnnxAttribute& a : function.defaults) {
    const bool is_given = std::any_of(given.begin(), given.end(), [&](const auto& g) { return g.name == a.name; });
    if (!is_given) given.push_back({a.name, &a});
  }
  return given;
}

}  // namespace

// A node with long lists and names is as many as could have been written in their place.
Status NodeImporter::count_contents(const OnnxNode& node, const std::string& what) {
  size_t numbers = node.inputs.size() + node.outputs.size() + node.attributes.size(), text = node.name.size();
  for (std::string_view name : node.outputs) text += name.size();
  for (const OnnxAttribute& a : node.attributes) {
    numbers += a.integers.size() + a.numbers.size();
    text += a.name.size() + a.text.size();
  }
  return count_expanded(numbers / 16 + text / 128, what);
}

Status NodeImporter::count_expanded(size_t nodes, const std::string& what) {
  expanded_ += nodes;
  if (expanded_ <= kExpandedNodesMax) return ok_status();
  return Error{ErrorCode::kLimitExceeded,
               cat("functions, loops and branches of the model have more than ", kExpandedNodesMax,
                   " nodes when they are written out, as far as ", what, "; hone takes no more: cut the model in parts")};
}

Result<OnnxScope> NodeImporter::scope_within(const OnnxNode& node, const OnnxScope& around) {
  HONE_TRY(count_expanded(1, text_of(node)));
  if (around.depth >= kNestingMax)
    return Error{ErrorCode::kLimitExceeded,
                 cat(text_of(node), " stands ", around.depth, " functions and subgraphs deep; expected ", kNestingMax, " at most")};
  OnnxScope inside{.depth = around.depth + 1, .opset = around.opset};
  const std::string_view label = node.name.empty() || node.name.size() > kLabelBytesMax ? node.op_type : node.name;
  inside.prefix = cat(label.size() > kLabelBytesMax ? "call" : label, "#", expanded_, "/");
  return inside;
}

ValueId NodeImporter::add_synthetic(std::string_view op, std::vector<ValueId> inputs,
                                    std::map<std::string, Attribute, std::less<>> attributes, std::string name) {
  Value value;
  value.name = name.empty() ? cat(op, "#", graph_.values.size()) : std::move(name);
  Node node;
  node.op = op;
  node.inputs = std::move(inputs);
  node.outputs = {graph_.add_value(std::move(value))};
  node.attributes = std::move(attributes);
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().outputs[0];
}

void NodeImporter::keep_name(ValueId id) {
  name_kept_.resize(graph_.values.size());
  name_kept_[static_cast<size_t>(id)] = true;
}

ValueId NodeImporter::named(ValueId id, ValueId first_inside, std::string name) {
  name_kept_.resize(graph_.values.size());
  if (id < first_inside || name_kept_[static_cast<size_t>(id)] || graph_.value(id).constant)
    id = add_synthetic("Identity", {id}, {}, std::move(name));
  else
    graph_.value(id).name = std::move(name);
  keep_name(id);
  return id;
}

Status NodeImporter::hand_out(std::string_view name, Meaning meaning, ValueId first_inside, OnnxScope& scope) {
  if (name.empty()) return ok_status();
  HONE_TRY(check_name(name));
  if (meaning.tensor != kNoValue) meaning.tensor = named(meaning.tensor, first_inside, cat(scope.prefix, name));
  return bind(scope, name, std::move(meaning));
}

Status NodeImporter::check_call(const OnnxNode& node, const OnnxFunction& function, const OnnxScope& scope) const {
  if (stands_within(scope, function))
    return te::bad_model(cat("the function ", full_name(node), " of the model calls itself; the file is damaged"));
  if (node.inputs.size() <= function.inputs.size() && node.outputs.size() <= function.outputs.size()) return ok_status();
  return te::bad_model(cat(text_of(node), " has ", node.inputs.size(), " inputs and ", node.outputs.size(),
                           " outputs; the function that it calls has ", function.inputs.size(), " and ",
                           function.outputs.size()));
}

Status NodeImporter::add_call(const OnnxNode& node, const OnnxFunction& function, OnnxScope& scope) {
  HONE_TRY(check_call(node, function, scope));
  const std::string what = text_of(node);
  HONE_TRY(count_expanded(function.nodes.size(), what));
  HONE_ASSIGN(given, attributes_of(node, scope));
  const OnnxCall call{&function, with_defaults(std::move(given), function), &scope};
  HONE_ASSIGN(inside, scope_within(node, scope));
  inside.call = &call;
  inside.opset = opset_of(function, scope.opset);
  for (size_t i = 0; i < function.inputs.size(); i++) {
    HONE_ASSIGN(meaning, input_of(i < node.inputs.size() ? node.inputs[i] : std::string_view(), what, scope));
    HONE_TRY(bind(inside, function.inputs[i], std::move(meaning)));
  }
  std::vector<std::string_view> results;
  for (size_t i = 0; i < node.outputs.size(); i++)
    if (!node.outputs[i].empty()) results.push_back(function.outputs[i]);
  const auto first_inside = static_cast<ValueId>(graph_.values.size());
  HONE_TRY(add_nodes(function.nodes, results, inside));
  for (size_t i = 0; i < node.outputs.size(); i++) {
    if (node.outputs[i].empty()) continue;
    HONE_ASSIGN(meaning, input_of(function.outputs[i], what, inside));
    HONE_TRY(hand_out(node.outputs[i], std::move(meaning), first_inside, scope));
  }
  return ok_status();
}

}  // namespace hone::graph
