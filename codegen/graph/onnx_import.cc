#include "codegen/graph/onnx_import.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/cat.h"
#include "base/shell_quoted.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/onnx_import_tensor.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/graph/remedies.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

Error unsupported(std::string message) { return {ErrorCode::kUnsupported, std::move(message)}; }

// Names stand in messages and in task names.
Status check_name(const std::string& name) {
  if (name.size() <= kNameBytesMax) return ok_status();
  return Error{ErrorCode::kLimitExceeded, cat("the name '", name.substr(0, 32), "…' has ", name.size(),
                                              " bytes; expected ", kNameBytesMax, " at most")};
}

bool is_onnx_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

bool is_constant(const onnx::NodeProto& node) { return is_onnx_domain(node.domain()) && node.op_type() == "Constant"; }

// Null where hone does not know the operator.
const OpEntry* entry_of(const onnx::NodeProto& node) {
  return is_onnx_domain(node.domain()) ? find_op(node.op_type()) : nullptr;
}
std::string full_name(const onnx::NodeProto& node) {
  return is_onnx_domain(node.domain()) ? node.op_type() : cat(node.domain(), ".", node.op_type());
}

// Names of one kind that one message has: sizes left open, operators that are not known.
constexpr size_t kNamesToldMax = 256;

// A dimension of an input that the model gives no size.
struct Dimension {
  std::string name;  // as --dim has it: the model's, or hone's own "INPUT.PLACE"
  std::string input;
  int place = 0;
  bool has_name = true;
};

// Some exporters write −1 for a size that they do not know.
bool is_fixed(const onnx::TensorShapeProto::Dimension& dim) { return dim.has_dim_value() && dim.dim_value() >= 0; }

std::string open_dim_name(const onnx::TensorShapeProto::Dimension& dim, const std::string& input, int place) {
  return dim.dim_param().empty() ? cat(input, ".", place) : dim.dim_param();
}

// Also of inputs that an initialiser replaces.
std::set<std::string> open_dims(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& input : graph.input())
    for (int place = 0; place < input.type().tensor_type().shape().dim_size(); place++) {
      const auto& dim = input.type().tensor_type().shape().dim(place);
      if (!is_fixed(dim)) names.insert(open_dim_name(dim, input.name(), place));
    }
  return names;
}

// "a, b, c", as many as a message may have.
std::string name_list(const std::set<std::string>& names) {
  std::string out;
  size_t told = 0;
  for (const std::string& name : names) {
    out += cat(out.empty() ? "" : ", ", name);
    if (++told == kNamesToldMax) return out + ", …";
  }
  return out;
}

// The word as one may type it.
std::string shell_word(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || std::strchr("._-=/+,", c));
  });
  return plain ? word : shell_quoted(word);
}

class Importer {
 public:
  Importer(const onnx::ModelProto& model, const ImportOptions& options)
      : model_(model), proto_(model.graph()), options_(options) {}
  Result<Graph> import();

 private:
  Status check_opset();
  Status add_initialisers();
  Status add_inputs();
  Status add_input(const onnx::ValueInfoProto& input);
  Result<int64_t> extent_of(const onnx::TensorShapeProto::Dimension& dim, const std::string& input, int place);
  Status check_dims_known() const;
  Status check_bound() const;
  Status add_nodes();
  Status add_node(const onnx::NodeProto& proto);
  bool is_function(const onnx::NodeProto& proto) const;
  std::string others_unknown(const onnx::NodeProto& first) const;
  Status add_constant_node(const onnx::NodeProto& proto);
  Result<Attribute> read_attribute(const onnx::AttributeProto& a, const std::string& what);
  Status add_outputs();
  Result<ValueId> define(const std::string& name);
  Status define_constant(const std::string& name, ConstantTensor tensor);

  const onnx::ModelProto& model_;
  const onnx::GraphProto& proto_;
  const ImportOptions& options_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> values_;
  std::unordered_set<std::string> unbound_names_;  // of all inputs
  std::vector<Dimension> unbound_;                 // one for each name, as far as they are told
};

// A node whose outputs nobody reads computes nothing: it may be of an operator that hone does not know.
std::vector<bool> nodes_read(const onnx::GraphProto& graph) {
  std::unordered_set<std::string_view> read;
  for (const auto& output : graph.output()) read.insert(output.name());
  std::vector<bool> out(static_cast<size_t>(graph.node_size()), false);
  for (int i = graph.node_size() - 1; i >= 0; i--) {
    const auto& outputs = graph.node(i).output();
    if (std::none_of(outputs.begin(), outputs.end(), [&](const std::string& name) { return read.count(name) > 0; }))
      continue;
    out[static_cast<size_t>(i)] = true;
    for (const std::string& name : graph.node(i).input())
      if (!name.empty()) read.insert(name);
  }
  return out;
}

Status Importer::check_opset() {
  int64_t opset = 0;
  for (const auto& entry : model_.opset_import())
    if (is_onnx_domain(entry.domain())) opset = entry.version();
  if (opset == 0 && model_.opset_import_size() > 0)
    opset = kOpsetMax;  // its operators are of other domains, and refused one by one
  if (opset == 0)
    return te::bad_model("the model names no version of ONNX's operators (opset_import); the file is damaged");
  if (opset < kOpsetMin || opset > kOpsetMax)
    return unsupported(cat("the model uses opset ", opset, " of ONNX's operators; hone knows opsets ", kOpsetMin,
                           " to ", kOpsetMax, ": export it with one of these, or convert it: ", kConvertOpset));
  graph_.opset = static_cast<int>(opset);
  return ok_status();
}

Result<ValueId> Importer::define(const std::string& name) {
  if (name.empty()) return te::bad_model("an input or initialiser has no name; the file is damaged");
  HONE_TRY(check_name(name));
  if (values_.count(name)) return te::bad_model(cat("the value '", name, "' is defined twice"));
  Value value;
  value.name = name;
  return values_[name] = graph_.add_value(std::move(value));
}

Status Importer::define_constant(const std::string& name, ConstantTensor tensor) {
  HONE_ASSIGN(id, define(name));
  Value& value = graph_.value(id);
  value.dtype = tensor.dtype;
  value.shape = std::move(tensor.shape);
  value.shape_known = value.constant = true;
  value.bytes = std::move(tensor.bytes);
  return ok_status();
}

Status Importer::add_initialisers() {
  if (proto_.sparse_initializer_size() > 0) return unsupported("sparse initialisers are not supported");
  for (const auto& t : proto_.initializer()) {
    HONE_TRY(check_name(t.name()));
    HONE_ASSIGN(tensor, read_tensor(t, cat("initialiser '", t.name(), "'")));
    HONE_TRY(define_constant(t.name(), std::move(tensor)));
  }
  return ok_status();
}

// Those that options.dims lacks are kept in unbound_, with extent 1 for now.
Result<int64_t> Importer::extent_of(const onnx::TensorShapeProto::Dimension& dim, const std::string& input, int place) {
  if (is_fixed(dim)) return dim.dim_value();
  const std::string name = open_dim_name(dim, input, place);
  HONE_TRY(check_name(name));
  if (const auto it = options_.dims.find(name); it != options_.dims.end()) return it->second;
  if (unbound_names_.insert(name).second && unbound_.size() < kNamesToldMax)
    unbound_.push_back({name, input, place, !dim.dim_param().empty()});
  return 1;
}

// A name that binds nothing is a slip of the pen, and the size that was meant stays what it is.
Status Importer::check_dims_known() const {
  if (options_.dims.empty()) return ok_status();
  const std::set<std::string> open = open_dims(proto_);
  for (const auto& [name, extent] : options_.dims)
    if (!open.count(name))
      return te::bad_model(cat("no size of the model's inputs is called '", name, "'; ",
                               open.empty() ? "all of them are fixed" : cat("those left open are ", name_list(open)),
                               "; leave out --dim ", shell_word(cat(name, "=", extent))));
  return ok_status();
}

// The options come first: a long message is cut at its end.
Status Importer::check_bound() const {
  if (unbound_.empty()) return ok_status();
  std::string which, bindings;
  for (const Dimension& d : unbound_) {
    which += cat(which.empty() ? "" : ", ", "'", d.name, "' is dimension ", d.place, " of input '", d.input, "'",
                 d.has_name ? "" : " and has no name in the model");
    bindings += cat(" --dim ", shell_word(d.name + "=1"));
  }
  const size_t count = unbound_names_.size();
  if (count > unbound_.size()) bindings += " …";
  return te::bad_model(cat("the model leaves ", count == 1 ? "a size" : cat(count, " sizes"),
                           " open, and hone needs every size when it compiles; add", bindings, ", or the ",
                           count == 1 ? "size" : "sizes", " you need: ", which));
}

Status Importer::add_input(const onnx::ValueInfoProto& input) {
  HONE_TRY(check_name(input.name()));
  if (!input.type().has_tensor_type()) return unsupported(cat("input '", input.name(), "' is not a tensor"));
  const auto& type = input.type().tensor_type();
  DType dtype;
  if (!dtype_of_onnx(type.elem_type(), &dtype))
    return unsupported(cat("input '", input.name(), "' has element type ", onnx_type_name(type.elem_type()),
                           ", which hone does not support"));
  if (!type.has_shape())
    return te::bad_model(cat("input '", input.name(), "' has no shape; hone needs every size when it compiles"));
  Shape shape;
  for (const auto& dim : type.shape().dim()) {
    HONE_ASSIGN(extent, extent_of(dim, input.name(), static_cast<int>(shape.size())));
    shape.push_back(extent);
  }
  HONE_TRY(check_shape(shape, cat("input '", input.name(), "'")));
  HONE_ASSIGN(id, define(input.name()));
  Value& value = graph_.value(id);
  value.dtype = dtype;
  value.shape = std::move(shape);
  value.shape_known = true;
  graph_.inputs.push_back(id);
  return ok_status();
}

Status Importer::add_inputs() {
  for (const auto& input : proto_.input())
    if (const auto it = values_.find(input.name()); it == values_.end() || !graph_.value(it->second).constant)
      HONE_TRY(add_input(input));  // up to IR version 3 weights are inputs, too
  HONE_TRY(check_dims_known());
  return check_bound();
}

Result<Attribute> Importer::read_attribute(const onnx::AttributeProto& a, const std::string& what) {
  switch (a.type()) {
    case onnx::AttributeProto::INT:
      return Attribute{a.i()};
    case onnx::AttributeProto::FLOAT:
      return Attribute{static_cast<double>(a.f())};
    case onnx::AttributeProto::STRING:
      return Attribute{a.s()};
    case onnx::AttributeProto::INTS:
      return Attribute{std::vector<int64_t>(a.ints().begin(), a.ints().end())};
    case onnx::AttributeProto::FLOATS:
      return Attribute{std::vector<double>(a.floats().begin(), a.floats().end())};
    case onnx::AttributeProto::TENSOR: {
      HONE_ASSIGN(tensor, read_tensor(a.t(), cat("attribute '", a.name(), "' of ", what)));
      return Attribute{std::move(tensor)};
    }
    default:
      return unsupported(cat("attribute '", a.name(), "' of ", what, " is of a kind that hone does not support"));
  }
}

Status Importer::add_constant_node(const onnx::NodeProto& proto) {
  if (proto.output_size() != 1 || proto.attribute_size() != 1)
    return te::bad_model(cat("the Constant node '", proto.name(), "' needs one attribute and one output"));
  const auto& a = proto.attribute(0);
  HONE_TRY(check_name(proto.output(0)));
  HONE_TRY(check_name(a.name()));
  const std::string what = cat("the Constant '", proto.output(0), "'");
  const auto list = [&](DType dtype, Shape shape, std::string bytes) {
    return define_constant(proto.output(0),
                           {dtype, std::move(shape), std::make_shared<const std::string>(std::move(bytes))});
  };
  if (a.name() == "value_float") return list(DType::kF32, {}, raw_bytes(a.f()));
  if (a.name() == "value_int") return list(DType::kI64, {}, raw_bytes(int64_t{a.i()}));
  if (a.name() == "value_floats") return list(DType::kF32, {a.floats_size()}, typed_bytes<float>(a.floats()));
  if (a.name() == "value_ints") return list(DType::kI64, {a.ints_size()}, typed_bytes<int64_t>(a.ints()));
  if (a.name() != "value" || !a.has_t())
    return unsupported(cat(what, " holds '", a.name(), "', which hone does not support"));
  HONE_ASSIGN(tensor, read_tensor(a.t(), what));
  return define_constant(proto.output(0), std::move(tensor));
}

Status Importer::add_node(const onnx::NodeProto& proto) {
  for (const std::string* name : {&proto.name(), &proto.op_type(), &proto.domain()}) HONE_TRY(check_name(*name));
  if (is_constant(proto)) return add_constant_node(proto);
  Node node;
  node.name = proto.name();
  node.op = proto.op_type();
  const std::string what = !proto.name().empty() ? cat("node '", proto.name(), "' (", proto.op_type(), ")")
                           : proto.output_size() > 0
                               ? cat("the ", proto.op_type(), " node that makes '", proto.output(0), "'")
                               : cat("a ", proto.op_type(), " node");
  const OpEntry* entry = entry_of(proto);
  if (!entry && is_function(proto))
    return unsupported(
        cat(what, " calls a function of the model, which hone does not support; put its nodes in the calls' places: ",
            kInlineFunctions));
  if (!entry)
    return unsupported(cat("operator ", full_name(proto), " of ", what, " is not supported", others_unknown(proto),
                           "; docs/models.md lists the operators that are, and how to export a model without others"));
  if (const Status known = check_definition(*entry, graph_.opset); !known.ok())
    return Error{known.error().code, cat(what, ": ", known.error().message)};
  for (const std::string& name : proto.input()) {
    HONE_TRY(check_name(name));
    const auto it = values_.find(name);
    if (!name.empty() && it == values_.end())
      return te::bad_model(cat(what, " reads '", name, "', which no earlier node, input or initialiser defines"));
    node.inputs.push_back(name.empty() ? kNoValue : it->second);
  }
  while (!node.inputs.empty() && node.inputs.back() == kNoValue) node.inputs.pop_back();
  for (const auto& a : proto.attribute()) {
    HONE_TRY(check_name(a.name()));
    HONE_ASSIGN(attribute, read_attribute(a, what));
    if (!node.attributes.emplace(a.name(), std::move(attribute)).second)
      return te::bad_model(cat("attribute '", a.name(), "' of ", what, " is named twice"));
  }
  for (const std::string& name : proto.output()) {
    if (name.empty()) {
      node.outputs.push_back(kNoValue);
      continue;
    }
    HONE_ASSIGN(id, define(name));
    node.outputs.push_back(id);
  }
  if (std::count(node.outputs.begin(), node.outputs.end(), kNoValue) == static_cast<int64_t>(node.outputs.size()))
    return te::bad_model(cat(what, " has no output"));
  graph_.nodes.push_back(std::move(node));
  return ok_status();
}

std::string Importer::others_unknown(const onnx::NodeProto& first) const {
  std::set<std::string> names;
  const std::vector<bool> read = nodes_read(proto_);
  for (int i = 0; i < proto_.node_size(); i++) {
    const onnx::NodeProto& node = proto_.node(i);
    const bool known = is_constant(node) || entry_of(node);
    if (read[static_cast<size_t>(i)] && !known && full_name(node).size() <= kNameBytesMax)
      names.insert(full_name(node));
  }
  names.erase(full_name(first));
  return names.empty() ? "" : cat(", and neither are the model's others: ", name_list(names));
}

bool Importer::is_function(const onnx::NodeProto& proto) const {
  return std::any_of(model_.functions().begin(), model_.functions().end(), [&](const onnx::FunctionProto& f) {
    return f.name() == proto.op_type() && f.domain() == proto.domain();
  });
}

Status Importer::add_nodes() {
  const std::vector<bool> read = nodes_read(proto_);
  for (int i = 0; i < proto_.node_size(); i++) {
    HONE_TRY(check_cancel(options_.cancel));
    if (read[static_cast<size_t>(i)]) HONE_TRY(add_node(proto_.node(i)));
  }
  return ok_status();
}

Status Importer::add_outputs() {
  for (const auto& output : proto_.output()) {
    HONE_TRY(check_name(output.name()));
    const auto it = values_.find(output.name());
    if (it == values_.end()) return te::bad_model(cat("output '", output.name(), "' is defined by no node"));
    graph_.outputs.push_back(it->second);
  }
  return graph_.outputs.empty() ? Status(te::bad_model("the model has no outputs")) : ok_status();
}

Result<Graph> Importer::import() {
  if (!model_.has_graph()) return te::bad_model("the model holds no graph; the file is empty or damaged");
  HONE_TRY(check_name(proto_.name()));
  graph_.name = proto_.name();
  HONE_TRY(check_opset());
  HONE_TRY(add_initialisers());
  HONE_TRY(add_inputs());
  HONE_TRY(add_nodes());
  HONE_TRY(add_outputs());
  return std::move(graph_);
}

}  // namespace

Result<Graph> graph_from_onnx(std::string_view bytes, const ImportOptions& options) {
  onnx::ModelProto model;
  if (!parse(bytes, model))
    return te::bad_model(
        cat("these ", bytes.size(), " bytes are not a complete ONNX model; export or download the file again"));
  return Importer(model, options).import();
}

std::set<std::string> open_dims_of(std::string_view bytes) {
  onnx::ModelProto model;
  return parse(bytes, model) ? open_dims(model.graph()) : std::set<std::string>();
}

}  // namespace hone::graph
