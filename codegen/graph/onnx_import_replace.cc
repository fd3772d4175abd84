// Nodes that are replaced while a model is read: which they are, and what replacing them has in common.
#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/onnx_import_names.h"
#include "codegen/graph/onnx_import_nodes.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

Result<const OnnxAttribute*> attribute_of(const OnnxSite& site, std::string_view name, OnnxAttributeType type) {
  for (const GivenAttribute& a : site.attributes) {
    if (a.name != name) continue;
    if (a.content->type == type) return a.content;
    return te::bad_model(cat(site.what, ": its attribute '", name, "' is of another kind than the operator's"));
  }
  return static_cast<const OnnxAttribute*>(nullptr);
}

}  // namespace

Result<int64_t> OnnxSite::integer(std::string_view name, int64_t otherwise) const {
  HONE_ASSIGN(found, attribute_of(*this, name, OnnxAttributeType::kInt));
  return found ? found->integer : otherwise;
}

Result<std::vector<int64_t>> OnnxSite::integers(std::string_view name) const {
  HONE_ASSIGN(found, attribute_of(*this, name, OnnxAttributeType::kInts));
  return found ? found->integers : std::vector<int64_t>{};
}

Result<const OnnxGraph*> OnnxSite::graph(std::string_view name) const {
  HONE_ASSIGN(found, attribute_of(*this, name, OnnxAttributeType::kGraph));
  if (found && found->graph) return static_cast<const OnnxGraph*>(found->graph.get());
  return te::bad_model(cat(what, " has no graph '", name, "'; the file is damaged"));
}

NodeImporter::Replace NodeImporter::replacement_of(std::string_view op) {
  static const std::unordered_map<std::string_view, Replace> kReplacements = {
      {"If", &NodeImporter::replace_if},
      {"Loop", &NodeImporter::replace_loop},
      {"Scan", &NodeImporter::replace_scan},
      {"SequenceMap", &NodeImporter::replace_sequence_map},
      {"SequenceConstruct", &NodeImporter::replace_sequence_construct},
      {"SequenceEmpty", &NodeImporter::replace_sequence_construct},
      {"SequenceAt", &NodeImporter::replace_sequence_at},
      {"SequenceInsert", &NodeImporter::replace_sequence_insert},
      {"SequenceErase", &NodeImporter::replace_sequence_erase},
      {"SequenceLength", &NodeImporter::replace_sequence_length},
      {"SplitToSequence", &NodeImporter::replace_split_to_sequence},
      {"ConcatFromSequence", &NodeImporter::replace_concat_from_sequence},
      {"Optional", &NodeImporter::replace_optional},
      {"OptionalGetElement", &NodeImporter::replace_optional_get_element},
      {"OptionalHasElement", &NodeImporter::replace_optional_has_element},
  };
  if (const auto it = kReplacements.find(op); it != kReplacements.end()) return it->second;
  return find_composed(op) ? &NodeImporter::replace_composed : nullptr;
}

Status NodeImporter::replace(const OnnxNode& node, Replace how, OnnxScope& scope) {
  HONE_ASSIGN(attributes, attributes_of(node, scope));
  const auto first_inside = static_cast<ValueId>(graph_.values.size());
  return (this->*how)({node, scope, text_of(node), std::move(attributes), first_inside});
}

// The constants from `first_value` on, which an operator was replaced by.
Status NodeImporter::count_written(size_t first_value, const std::string& what) {
  for (size_t i = first_value; i < graph_.values.size(); i++)
    if (graph_.values[i].bytes) written_elements_ += ir::element_count(graph_.values[i].shape);
  if (written_elements_ <= kWrittenElementsMax) return ok_status();
  return Error{ErrorCode::kLimitExceeded, cat(what, ": the constants that stand for this and the nodes before it have ", written_elements_, " elements; expected at most ", kWrittenElementsMax,
                                              ": export fewer random numbers, or smaller tables")};
}

Status NodeImporter::replace_composed(const OnnxSite& site) {
  const auto of_site = [&](const Error& error) { return Error{error.code, cat(site.what, ": ", error.message)}; };
  HONE_ASSIGN(node, read_node(site.node, site.scope));
  node.op = full_name(site.node);
  for (ValueId id : node.inputs)
    if (id != kNoValue) HONE_TRY(known_shape(site, id));
  for (size_t i = 0; i < site.node.outputs.size(); i++) node.outputs.push_back(site.has_output(i) ? static_cast<ValueId>(i) : kNoValue);
  const auto many = count_composed(graph_, node);
  if (!many.ok()) return of_site(many.error());
  HONE_TRY(count_expanded(static_cast<size_t>(*many), site.what));
  const size_t before = graph_.nodes.size(), first_value = graph_.values.size();
  const auto results = expand_composed(graph_, node);
  if (!results.ok()) return of_site(results.error());
  HONE_TRY(count_written(first_value, site.what));
  if (*many == 0) HONE_TRY(count_expanded(graph_.nodes.size() - before, site.what));
  for (size_t i = 0; i < results->size(); i++) {
    if (!site.has_output(i)) continue;
    if ((*results)[i] != kNoValue) HONE_TRY(bind_result(site, i, {(*results)[i], nullptr}));
    else not_computed_.emplace(site.node.outputs[i], site.what);
  }
  return ok_status();
}

Result<Meaning> NodeImporter::input(const OnnxSite& site, size_t i) const {
  return input_of(i < site.node.inputs.size() ? site.node.inputs[i] : std::string_view(), site.what, site.scope);
}

Result<ValueId> NodeImporter::tensor(const OnnxSite& site, size_t i) const {
  HONE_ASSIGN(found, input(site, i));
  if (found.tensor != kNoValue) return found.tensor;
  return te::bad_model(cat(site.what, ": its input ", i, found.list ? " is a sequence" : " is left out", "; expected a tensor"));
}

// The scope keeps it.
Result<const std::vector<ValueId>*> NodeImporter::list(const OnnxSite& site, size_t i) const {
  HONE_ASSIGN(found, input(site, i));
  if (found.list) return found.list.get();
  return te::bad_model(cat(site.what, ": its input ", i, found.is_absent() ? " is left out" : " is a tensor", "; expected a sequence"));
}

Status NodeImporter::bind_result(const OnnxSite& site, size_t output, Meaning meaning) {
  if (!site.has_output(output)) return ok_status();
  return hand_out(site.node.outputs[output], std::move(meaning), site.first_inside, site.scope);
}

Status NodeImporter::bind_list(const OnnxSite& site, size_t output, std::vector<ValueId> elements) {
  list_elements_ += elements.size();
  if (list_elements_ > kListElementsMax)
    return Error{ErrorCode::kLimitExceeded, cat("the model's sequences have more than ", kListElementsMax,
                                                " elements together, as far as ", site.what, "; cut the model in parts")};
  return bind_result(site, output, {kNoValue, std::make_shared<const std::vector<ValueId>>(std::move(elements))});
}

Result<int64_t> NodeImporter::known_number(const OnnxSite& site, ValueId id, std::string_view role) {
  HONE_TRY(resolver_.resolve(id));
  const Value& value = graph_.value(id);
  if (!value.constant || !value.bytes)
    return Error{ErrorCode::kUnsupported,
                 cat(site.what, ": ", role, " '", value.name, "' is computed from the model's inputs, and hone writes branches, loops and "
                     "sequences out when it compiles; fix it when exporting, or give an input of one whole number that decides it its value: --dim NAME=N")};
  if (ir::element_count(value.shape) != 1)
    return te::bad_model(cat(site.what, ": ", role, " '", value.name, "' has ", ir::element_count(value.shape), " elements; expected one"));
  const double number = to_doubles({value.dtype, value.shape, value.bytes})[0];
  return number >= 0x1p63 ? INT64_MAX : number >= -0x1p63 ? static_cast<int64_t>(number) : INT64_MIN;
}

Result<Shape> NodeImporter::known_shape(const OnnxSite& site, ValueId id) {
  HONE_TRY(resolver_.resolve(id));
  if (graph_.value(id).shape_known) return graph_.value(id).shape;
  return te::bad_model(cat(site.what, " reads '", graph_.value(id).name, "', whose shape does not follow from the model"));
}

ValueId NodeImporter::constant(ConstantTensor content) {
  Value value;
  value.name = cat("constant#", graph_.values.size());
  value.dtype = content.dtype;
  value.shape = std::move(content.shape);
  value.bytes = std::move(content.bytes);
  value.shape_known = value.constant = true;
  return graph_.add_value(std::move(value));
}

Result<std::vector<Meaning>> NodeImporter::run_body(const OnnxSite& site, const OnnxGraph& body, const std::vector<Meaning>& inputs) {
  if (body.inputs.size() != inputs.size())
    return te::bad_model(cat("the graph of ", site.what, " has ", body.inputs.size(), " inputs; expected ", inputs.size()));
  HONE_TRY(count_expanded(body.nodes.size() + (body.inputs.size() + body.outputs.size() + body.initialisers.size()) / 16, site.what));
  HONE_ASSIGN(inside, scope_within(site.node, site.scope));
  inside.outer = &site.scope;
  inside.call = site.scope.call;
  for (size_t i = 0; i < inputs.size(); i++) HONE_TRY(bind(inside, body.inputs[i].name, inputs[i]));
  HONE_TRY(add_initialisers(body, inside));
  HONE_TRY(add_nodes(body.nodes, result_names(body), inside));
  std::vector<Meaning> out;
  for (const OnnxValueInfo& output : body.outputs) {
    HONE_ASSIGN(meaning, input_of(output.name, site.what, inside));
    out.push_back(std::move(meaning));
  }
  return out;
}

Result<ValueId> NodeImporter::part_of_axis(const OnnxSite& site, ValueId id, int64_t axis, int64_t index) {
  HONE_TRY(count_expanded(2, site.what));
  const std::vector<int64_t> axes{axis};
  const ValueId part = add_synthetic("Slice", {id}, {{"axes", axes}, {"starts", std::vector{index}}, {"ends", std::vector{index + 1}}});
  return add_synthetic("Squeeze", {part}, {{"axes", axes}});
}

Result<ValueId> NodeImporter::stacked(const OnnxSite& site, std::vector<ValueId> parts, int64_t axis) {
  HONE_TRY(count_expanded(parts.size() + 1, site.what));
  for (ValueId& part : parts) part = add_synthetic("Unsqueeze", {part}, {{"axes", std::vector{axis}}});
  return parts.size() == 1 ? parts[0] : add_synthetic("Concat", std::move(parts), {{"axis", axis}});
}

}  // namespace hone::graph
