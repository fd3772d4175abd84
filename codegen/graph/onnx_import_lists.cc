// Sequences and optionals: lists of values whose length is known when the model is read.
#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/onnx_import_nodes.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

// A place that may count from the end. Inserting may be behind the last element.
Result<size_t> place_in(const OnnxSite& site, int64_t place, size_t count) {
  const auto n = static_cast<int64_t>(count);
  const int64_t at = place < 0 ? place + n : place;
  if (at >= 0 && at < n) return static_cast<size_t>(at);
  return te::bad_model(cat(site.what, " asks for element ", place, " of a sequence of ", n));
}

// How SplitToSequence cuts an axis, as the sizes of the parts.
Result<std::vector<int64_t>> parts_of(const OnnxSite& site, int64_t extent, const std::vector<double>& given, bool is_one_size) {
  std::vector<int64_t> parts;
  if (!is_one_size) {
    for (double part : given) parts.push_back(part >= 0 && part < 0x1p32 ? static_cast<int64_t>(part) : -1);
    return parts;
  }
  const double size = given.empty() ? 1 : given[0];
  if (!(size >= 1)) return te::bad_model(cat(site.what, " has parts of ", size, " elements; expected 1 or more"));
  for (int64_t at = 0; at < extent; at += parts.back()) {
    if (parts.size() >= kExpandedNodesMax) break;  // which is more than may be
    parts.push_back(static_cast<int64_t>(std::min<double>(size, static_cast<double>(extent - at))));
  }
  return parts;
}

}  // namespace

Status NodeImporter::replace_sequence_construct(const OnnxSite& site) {
  std::vector<ValueId> elements;
  for (size_t i = 0; i < site.node.inputs.size(); i++) {
    HONE_ASSIGN(id, tensor(site, i));
    elements.push_back(id);
  }
  return bind_list(site, 0, std::move(elements));
}

Status NodeImporter::replace_sequence_at(const OnnxSite& site) {
  HONE_ASSIGN(elements, list(site, 0));
  HONE_ASSIGN(id, tensor(site, 1));
  HONE_ASSIGN(place, known_number(site, id, "the place"));
  HONE_ASSIGN(at, place_in(site, place, elements->size()));
  return bind_result(site, 0, {(*elements)[at], nullptr});
}

Status NodeImporter::replace_sequence_insert(const OnnxSite& site) {
  HONE_ASSIGN(before, list(site, 0));
  HONE_ASSIGN(element, tensor(site, 1));
  HONE_ASSIGN(position, input(site, 2));
  std::vector<ValueId> elements = *before;
  size_t at = elements.size();
  if (!position.is_absent()) {
    HONE_ASSIGN(id, tensor(site, 2));
    HONE_ASSIGN(place, known_number(site, id, "the place"));
    if (place != static_cast<int64_t>(at)) {
      HONE_ASSIGN(inside, place_in(site, place, at));
      at = inside;
    }
  }
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(at), element);
  return bind_list(site, 0, std::move(elements));
}

Status NodeImporter::replace_sequence_erase(const OnnxSite& site) {
  HONE_ASSIGN(before, list(site, 0));
  HONE_ASSIGN(position, input(site, 1));
  int64_t place = -1;
  if (!position.is_absent()) {
    HONE_ASSIGN(id, tensor(site, 1));
    HONE_ASSIGN(given, known_number(site, id, "the place"));
    place = given;
  }
  std::vector<ValueId> elements = *before;
  HONE_ASSIGN(at, place_in(site, place, elements.size()));
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(at));
  return bind_list(site, 0, std::move(elements));
}

Status NodeImporter::replace_sequence_length(const OnnxSite& site) {
  HONE_ASSIGN(elements, list(site, 0));
  return bind_result(site, 0, {constant({DType::kI64, {}, raw_bytes(static_cast<int64_t>(elements->size()))}), nullptr});
}

struct NodeImporter::SplitPlan {
  int64_t axis = 0, extent = 0;
  bool drops_axis = false;     // of parts of one element each
  std::vector<int64_t> parts;  // their sizes
};

Result<NodeImporter::SplitPlan> NodeImporter::plan_split(const OnnxSite& site, ValueId whole) {
  HONE_ASSIGN(shape, known_shape(site, whole));
  HONE_ASSIGN(axis, site.integer("axis", 0));
  HONE_ASSIGN(at, place_in(site, axis, shape.size()));
  HONE_ASSIGN(keeps_axis, site.integer("keepdims", 1));
  HONE_ASSIGN(split, input(site, 1));
  SplitPlan plan{static_cast<int64_t>(at), shape[at], !keeps_axis && split.is_absent(), {}};
  std::vector<double> given;
  bool is_one_size = true;
  if (!split.is_absent()) {
    HONE_ASSIGN(id, tensor(site, 1));
    HONE_TRY(resolver_.resolve(id));
    const Value& value = graph_.value(id);
    if (!value.bytes || ir::element_count(value.shape) > static_cast<int64_t>(kSettingsMax))
      return Error{ErrorCode::kUnsupported, cat(site.what, ": the parts '", value.name, "' must be a constant of the model, ", kSettingsMax,
                                                " of them at most")};
    given = to_doubles({value.dtype, value.shape, value.bytes});
    is_one_size = value.shape.empty();
  }
  HONE_ASSIGN(parts, parts_of(site, plan.extent, given, is_one_size));
  plan.parts = std::move(parts);
  return plan;
}

Status NodeImporter::replace_split_to_sequence(const OnnxSite& site) {
  HONE_ASSIGN(whole, tensor(site, 0));
  HONE_ASSIGN(plan, plan_split(site, whole));
  HONE_TRY(count_expanded(2 * plan.parts.size(), site.what));
  const std::vector<int64_t> axes{plan.axis};
  std::vector<ValueId> elements;
  int64_t begin = 0;
  for (int64_t part : plan.parts) {
    if (part < 0 || part > plan.extent - begin)
      return te::bad_model(cat(site.what, " has a part of ", part, " elements, of ", plan.extent - begin, " that are left"));
    ValueId id = add_synthetic("Slice", {whole}, {{"axes", axes}, {"starts", std::vector{begin}}, {"ends", std::vector{begin + part}}});
    if (plan.drops_axis) id = add_synthetic("Squeeze", {id}, {{"axes", axes}});
    elements.push_back(id);
    begin += part;
  }
  return bind_list(site, 0, std::move(elements));
}

Status NodeImporter::replace_concat_from_sequence(const OnnxSite& site) {
  HONE_ASSIGN(elements, list(site, 0));
  HONE_ASSIGN(axis, site.integer("axis", 0));
  HONE_ASSIGN(is_new, site.integer("new_axis", 0));
  if (elements->empty()) return te::bad_model(cat(site.what, " reads an empty sequence; expected an element"));
  if (is_new) {
    HONE_ASSIGN(all, stacked(site, *elements, axis));
    return bind_result(site, 0, {all, nullptr});
  }
  HONE_TRY(count_expanded(1, site.what));
  return bind_result(site, 0, {add_synthetic("Concat", *elements, {{"axis", axis}}), nullptr});
}

Status NodeImporter::replace_sequence_map(const OnnxSite& site) {
  HONE_ASSIGN(body, site.graph("body"));
  HONE_ASSIGN(first, list(site, 0));
  std::vector<Meaning> inputs;
  for (size_t i = 0; i < site.node.inputs.size(); i++) {
    HONE_ASSIGN(one, input(site, i));
    if (one.list && one.list->size() < first->size())
      return te::bad_model(cat(site.what, " reads sequences of ", first->size(), " and ", one.list->size(), " elements; expected as many"));
    inputs.push_back(std::move(one));
  }
  if (site.node.outputs.size() > body->outputs.size())
    return te::bad_model(cat(site.what, " has ", site.node.outputs.size(), " outputs, and its graph ", body->outputs.size()));
  std::vector<std::vector<ValueId>> results(site.node.outputs.size());
  for (size_t element = 0; element < first->size(); element++) {
    std::vector<Meaning> arguments = inputs;
    for (Meaning& argument : arguments)
      if (argument.list) argument = {(*argument.list)[element], nullptr};
    HONE_ASSIGN(made, run_body(site, *body, arguments));
    for (size_t i = 0; i < results.size(); i++) {
      if (made[i].tensor == kNoValue) return te::bad_model(cat(site.what, ": a result of its graph is not a tensor"));
      results[i].push_back(made[i].tensor);
    }
  }
  for (size_t i = 0; i < results.size(); i++) HONE_TRY(bind_list(site, i, std::move(results[i])));
  return ok_status();
}

Status NodeImporter::replace_optional(const OnnxSite& site) {
  HONE_ASSIGN(element, input(site, 0));
  return bind_result(site, 0, std::move(element));
}

Status NodeImporter::replace_optional_get_element(const OnnxSite& site) {
  HONE_ASSIGN(element, input(site, 0));
  if (element.is_absent()) return te::bad_model(cat(site.what, " reads an optional that has no element"));
  return bind_result(site, 0, std::move(element));
}

Status NodeImporter::replace_optional_has_element(const OnnxSite& site) {
  HONE_ASSIGN(element, input(site, 0));
  return bind_result(site, 0, {constant({DType::kBool, {}, raw_bytes(static_cast<uint8_t>(!element.is_absent()))}), nullptr});
}

}  // namespace hone::graph
