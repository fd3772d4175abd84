#include "codegen/graph/onnx_import_nodes.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/cat.h"
#include "codegen/graph/onnx_import_names.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/remedies.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

Error unsupported_node(std::string message) { return {ErrorCode::kUnsupported, std::move(message)}; }

// Null where hone does not know the operator.
const OpEntry* entry_of(const OnnxNode& node) { return is_onnx_domain(node.domain) && !is_own(node.op_type) ? find_op(node.op_type) : nullptr; }

bool is_constant(const OnnxNode& node) { return is_onnx_domain(node.domain) && node.op_type == "Constant"; }

// The names that nodes read, also in their subgraphs. Those that a subgraph defines itself are among them, which does no harm.
class NamesRead {
 public:
  explicit NamesRead(const std::vector<std::string_view>& results) : names_(results.begin(), results.end()) {}

  bool has(std::string_view name) const { return names_.count(name) > 0; }
  void add(const OnnxNode& node) {
    for (std::string_view name : node.inputs) add(name);
    for (const OnnxAttribute& a : node.attributes)
      if (a.graph) add(*a.graph);
  }
  size_t asked = 0;  // how many names were added, one several times

 private:
  void add(std::string_view name) {
    asked++;
    if (!name.empty()) names_.insert(name);
  }
  void add(const OnnxGraph& graph) {
    for (const OnnxNode& node : graph.nodes) add(node);
    for (const OnnxValueInfo& output : graph.outputs) add(output.name);
  }

  std::unordered_set<std::string_view> names_;
};

std::string function_key(std::string_view domain, std::string_view name, std::string_view overload) {
  return cat(is_onnx_domain(domain) ? "" : domain, "\n", name, "\n", overload);
}

}  // namespace

NodeImporter::NodeImporter(const OnnxModel& model, SharedBytes file, const ImportOptions& options, Graph& graph)
    : model_(model), options_(options), graph_(graph), tensors_(std::move(file), options.read_part), resolver_(graph, options.cancel) {
  for (const OnnxFunction& f : model.functions) functions_.emplace(function_key(f.domain, f.name, f.overload), &f);
}

const OnnxFunction* NodeImporter::function_of(const OnnxNode& node) const {
  const auto it = functions_.find(function_key(node.domain, node.op_type, node.overload));
  return it == functions_.end() ? nullptr : it->second;
}

bool NodeImporter::is_known(const OnnxNode& node) const {
  return is_constant(node) || entry_of(node) || function_of(node) || replacement_of(full_name(node));
}

const Meaning* NodeImporter::find(const OnnxScope& scope, std::string_view name) {
  for (const OnnxScope* at = &scope; at; at = at->outer)
    if (const auto it = at->names.find(name); it != at->names.end()) return &it->second;
  return nullptr;
}

Status NodeImporter::bind(OnnxScope& scope, std::string_view name, Meaning meaning) {
  if (name.empty()) return te::bad_model("an input or initialiser has no name; the file is damaged");
  HONE_TRY(check_name(name));
  if (scope.names.emplace(name, std::move(meaning)).second) return ok_status();
  return te::bad_model(cat("the value '", name, "' is defined twice"));
}

Result<ValueId> NodeImporter::define(std::string_view name, OnnxScope& scope) {
  const auto next = static_cast<ValueId>(graph_.values.size());
  HONE_TRY(bind(scope, name, {next, nullptr}));
  Value value;
  value.name = cat(scope.prefix, name);
  return graph_.add_value(std::move(value));
}

Status NodeImporter::define_constant(std::string_view name, const void* source,
                                     const std::function<Result<ConstantTensor>()>& read, OnnxScope& scope) {
  HONE_TRY(check_name(name));
  if (const auto it = constants_.find(source); it != constants_.end()) return bind(scope, name, {it->second, nullptr});
  HONE_ASSIGN(tensor, read());
  HONE_ASSIGN(id, define(name, scope));
  constants_[source] = id;
  Value& value = graph_.value(id);
  value.dtype = tensor.dtype;
  value.shape = std::move(tensor.shape);
  value.shape_known = value.constant = true;
  value.bytes = std::move(tensor.bytes);
  return ok_status();
}

Result<ConstantTensor> NodeImporter::content_of(const OnnxTensor& tensor, const std::string& what) {
  if (const auto it = contents_.find(&tensor); it != contents_.end()) return it->second;
  HONE_ASSIGN(content, tensors_.read(tensor, what));
  return contents_[&tensor] = std::move(content);
}

Status NodeImporter::add_initialisers(const OnnxGraph& graph, OnnxScope& scope) {
  for (const OnnxTensor& t : graph.initialisers)
    HONE_TRY(define_constant(t.name, &t, [&] { return tensors_.read(t, cat("initialiser '", t.name, "'")); }, scope));
  for (const OnnxSparseTensor& t : graph.sparse_initialisers)
    HONE_TRY(define_constant(t.values.name, &t, [&] { return tensors_.read(t, cat("sparse initialiser '", t.values.name, "'")); }, scope));
  return ok_status();
}

Result<Meaning> NodeImporter::input_of(std::string_view name, const std::string& what, const OnnxScope& scope) const {
  if (name.empty()) return Meaning{};
  HONE_TRY(check_name(name));
  if (const Meaning* found = find(scope, name)) return *found;
  return undefined(name, what);
}

Error NodeImporter::undefined(std::string_view name, const std::string& who) const {
  if (const auto it = not_computed_.find(name); it != not_computed_.end())
    return unsupported_node(cat(who, " reads '", name, "', an output of ", it->second, " that hone does not compute; export the model without it"));
  return te::bad_model(cat(who, " reads '", name, "', which no earlier node, input or initialiser defines"));
}

Result<ValueId> NodeImporter::tensor_of(std::string_view name, const std::string& what, const OnnxScope& scope) const {
  HONE_ASSIGN(found, input_of(name, what, scope));
  if (!found.list) return found.tensor;
  return te::bad_model(cat(what, " reads '", name, "', which is a sequence; expected a tensor"));
}

Result<GivenAttributes> NodeImporter::attributes_of(const OnnxNode& node, const OnnxScope& scope) const {
  GivenAttributes out;
  for (const OnnxAttribute& a : node.attributes) {
    HONE_TRY(check_name(a.name));
    if (a.ref_name.empty()) {
      out.push_back({a.name, &a});
      continue;
    }
    if (!scope.call)
      return te::bad_model(cat("attribute '", a.name, "' of ", text_of(node), " refers to one of a function, and stands in none"));
    const auto& given = scope.call->attributes;
    const auto it = std::find_if(given.begin(), given.end(), [&](const GivenAttribute& g) { return g.name == a.ref_name; });
    if (it == given.end()) continue;
    if (it->content->graph)
      return unsupported_node(cat("attribute '", a.name, "' of ", text_of(node), " is a graph that a call gives, which hone does not support"));
    out.push_back({a.name, it->content});
  }
  return out;
}

Result<Attribute> NodeImporter::read_attribute(const GivenAttribute& attribute, const std::string& what) {
  const OnnxAttribute& a = *attribute.content;
  switch (a.type) {
    case OnnxAttributeType::kInt:
      return Attribute{a.integer};
    case OnnxAttributeType::kFloat:
      return Attribute{static_cast<double>(a.number)};
    case OnnxAttributeType::kString:
      return Attribute{std::string(a.text)};
    case OnnxAttributeType::kInts:
      return Attribute{a.integers};
    case OnnxAttributeType::kFloats:
      return Attribute{std::vector<double>(a.numbers.begin(), a.numbers.end())};
    case OnnxAttributeType::kStrings:
      return Attribute{std::vector<std::string>(a.texts.begin(), a.texts.end())};
    case OnnxAttributeType::kTensor: {
      if (!a.tensor) break;
      HONE_ASSIGN(content, content_of(*a.tensor, cat("attribute '", attribute.name, "' of ", what)));
      return Attribute{std::move(content)};
    }
    default:
      break;
  }
  return unsupported_node(cat("attribute '", attribute.name, "' of ", what, " is of a kind that hone does not support"));
}

Result<ConstantTensor> NodeImporter::constant_of(const GivenAttribute& attribute, const std::string& what) {
  const OnnxAttribute& a = *attribute.content;
  const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  const auto is = [&](std::string_view name, OnnxAttributeType type) { return attribute.name == name && a.type == type; };
  if (is("value_float", OnnxAttributeType::kFloat)) return ConstantTensor{DType::kF32, {}, raw_bytes(a.number)};
  if (is("value_int", OnnxAttributeType::kInt)) return ConstantTensor{DType::kI64, {}, raw_bytes(a.integer)};
  if (is("value_floats", OnnxAttributeType::kFloats))
    return ConstantTensor{DType::kF32, {count(a.numbers)}, list_bytes<float>(a.numbers)};
  if (is("value_ints", OnnxAttributeType::kInts))
    return ConstantTensor{DType::kI64, {count(a.integers)}, list_bytes<int64_t>(a.integers)};
  if (attribute.name == "value" && a.tensor) return tensors_.read(*a.tensor, what);
  if (attribute.name == "sparse_value" && a.sparse_tensor) return tensors_.read(*a.sparse_tensor, what);
  return unsupported_node(cat(what, " holds '", attribute.name, "', which hone does not support"));
}

Status NodeImporter::add_constant(const OnnxNode& proto, OnnxScope& scope) {
  HONE_ASSIGN(attributes, attributes_of(proto, scope));
  if (proto.outputs.size() != 1 || attributes.size() != 1)
    return te::bad_model(cat("the Constant node '", proto.name, "' needs one attribute and one output"));
  const auto read = [&] { return constant_of(attributes[0], cat("the Constant '", proto.outputs[0], "'")); };
  return define_constant(proto.outputs[0], attributes[0].content, read, scope);
}

Status NodeImporter::add_outputs(const OnnxNode& proto, Node& node, OnnxScope& scope) {
  for (std::string_view name : proto.outputs) {
    if (name.empty()) {
      node.outputs.push_back(kNoValue);
      continue;
    }
    HONE_ASSIGN(id, define(name, scope));
    node.outputs.push_back(id);
  }
  if (std::count(node.outputs.begin(), node.outputs.end(), kNoValue) < static_cast<int64_t>(node.outputs.size()))
    return ok_status();
  return te::bad_model(cat(text_of(proto), " has no output"));
}

Result<Node> NodeImporter::read_node(const OnnxNode& proto, const OnnxScope& scope) {
  Node node;
  node.name = proto.name.empty() ? "" : cat(scope.prefix, proto.name);
  node.op = proto.op_type;
  const std::string what = text_of(proto);
  for (std::string_view name : proto.inputs) {
    HONE_ASSIGN(id, tensor_of(name, what, scope));
    HONE_ASSIGN(input, gated(id));
    node.inputs.push_back(input);
  }
  while (!node.inputs.empty() && node.inputs.back() == kNoValue) node.inputs.pop_back();
  HONE_ASSIGN(attributes, attributes_of(proto, scope));
  for (const GivenAttribute& a : attributes) {
    HONE_ASSIGN(attribute, read_attribute(a, what));
    if (!node.attributes.emplace(a.name, std::move(attribute)).second)
      return te::bad_model(cat("attribute '", a.name, "' of ", what, " is named twice"));
  }
  return node;
}

Status NodeImporter::add_known(const OnnxNode& proto, OnnxScope& scope) {
  HONE_ASSIGN(node, read_node(proto, scope));
  HONE_TRY(add_outputs(proto, node, scope));
  graph_.nodes.push_back(std::move(node));
  return ok_status();
}

namespace {

// The graph has one opset; a function may have another, where that means the same operators.
Status check_entry(const OpEntry& entry, int opset, int of_graph, const std::string& what) {
  if (const Status known = check_definition(entry, of_graph); !known.ok())
    return Error{known.error().code, cat(what, ": ", known.error().message)};
  if (definition_of(entry, opset) == definition_of(entry, of_graph)) return ok_status();
  if (opset < kOpsetMin)
    return unsupported_node(cat(what, ": opset ", opset, " means another ", entry.op, " than opset ", kOpsetMin, ", from which on hone knows them; export the model with a newer one, or convert it: ", kConvertOpset));
  return unsupported_node(cat(what, " stands in a function of opset ", opset, ", which means another ", entry.op,
                              " than the model's opset ", of_graph, "; export both with one opset"));
}

}  // namespace

// An Identity of what is no tensor.
Result<bool> NodeImporter::hands_on_other(const OnnxNode& node, OnnxScope& scope) {
  if (node.op_type != "Identity" || node.inputs.size() != 1 || node.outputs.size() != 1) return false;
  const Meaning* meaning = find(scope, node.inputs[0]);
  if (!meaning || meaning->tensor != kNoValue) return false;
  HONE_TRY(bind(scope, node.outputs[0], *meaning));
  return true;
}

Status NodeImporter::add_node(const OnnxNode& node, const std::vector<OnnxNode>& beside, OnnxScope& scope) {
  for (std::string_view name : {node.name, node.op_type, node.domain}) HONE_TRY(check_name(name));
  if (scope.depth > 0) HONE_TRY(count_contents(node, text_of(node)));
  if (is_constant(node)) return add_constant(node, scope);
  if (const Replace how = replacement_of(full_name(node))) return replace(node, how, scope);
  if (const OpEntry* entry = entry_of(node)) {
    HONE_ASSIGN(hands_on, hands_on_other(node, scope));
    if (hands_on) return ok_status();
    HONE_TRY(check_entry(*entry, scope.opset, graph_.opset, text_of(node)));
    return add_known(node, scope);
  }
  if (const OnnxFunction* function = function_of(node)) return add_call(node, *function, scope);
  return unsupported_node(cat("operator ", full_name(node), " of ", text_of(node), " is not supported",
                              others_unknown(node, beside),
                              "; docs/models.md lists the operators that are, and how to export a model without others"));
}

std::string NodeImporter::others_unknown(const OnnxNode& first, const std::vector<OnnxNode>& beside) const {
  std::set<std::string> names;
  for (const OnnxNode& node : beside)
    if (!is_known(node) && full_name(node).size() <= kNameBytesMax) names.insert(full_name(node));
  names.erase(full_name(first));
  return names.empty() ? "" : cat(", and neither are the model's others: ", name_list(names));
}

// A node whose outputs nobody reads computes nothing: it may be of an operator that hone does not know. Kept, because a loop asks on each trip.
Result<const std::vector<bool>*> NodeImporter::nodes_read(const std::vector<OnnxNode>& nodes, const std::vector<std::string_view>& results,
                                                          const OnnxScope& scope) {
  const auto [it, is_new] = nodes_read_.try_emplace({&nodes, results});
  std::vector<bool>& out = it->second;
  if (!is_new) return static_cast<const std::vector<bool>*>(&out);
  out.resize(nodes.size());
  NamesRead read(results);
  for (size_t i = nodes.size(); i-- > 0;) {
    const auto& outputs = nodes[i].outputs;
    out[i] = std::any_of(outputs.begin(), outputs.end(), [&](std::string_view name) { return read.has(name); });
    if (out[i]) read.add(nodes[i]);
  }
  if (scope.depth > 0) HONE_TRY(count_expanded(read.asked / 64, cat("what reads '", results.empty() ? "" : results[0], "'")));
  return static_cast<const std::vector<bool>*>(&out);
}

Status NodeImporter::add_nodes(const std::vector<OnnxNode>& nodes, const std::vector<std::string_view>& results,
                               OnnxScope& scope) {
  HONE_ASSIGN(read, nodes_read(nodes, results, scope));
  for (size_t i = 0; i < nodes.size(); i++) {
    HONE_TRY(check_cancel(options_.cancel));
    const size_t before = graph_.nodes.size();
    if ((*read)[i]) HONE_TRY(add_node(nodes[i], nodes, scope));
    // What a node of the model's own graph stands for is its own, however deep it was written.
    for (size_t n = before; scope.depth == 0 && n < graph_.nodes.size(); n++) graph_.nodes[n].model_node = static_cast<int>(i);
  }
  return ok_status();
}

}  // namespace hone::graph
