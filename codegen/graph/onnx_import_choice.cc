// What a run alone decides: both branches of a short If, and the trips of a Loop behind its end, are computed, and what they give is chosen among.
#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/onnx_import_nodes.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {

Result<bool> NodeImporter::is_known_value(ValueId id) {
  HONE_TRY(resolver_.resolve(id));
  return graph_.value(id).constant && graph_.value(id).bytes;
}

// As a scalar, which broadcasts to every shape.
Result<ValueId> NodeImporter::condition_of(const OnnxSite& site, ValueId id) {
  HONE_ASSIGN(shape, known_shape(site, id));
  if (ir::element_count(shape) != 1 || graph_.value(id).dtype != DType::kBool)
    return te::bad_model(cat(site.what, ": its condition '", graph_.value(id).name, "' is ", ir::dtype_name(graph_.value(id).dtype), " of shape ", te::shape_text(shape), "; expected one bool"));
  return shape.empty() ? id : add_synthetic("Reshape", {id, constant({DType::kI64, {0}, shared_bytes("")})}, {});
}

// With zeros behind its elements.
ValueId NodeImporter::padded_to(ValueId id, const Shape& shape) {
  std::vector<int64_t> pads(shape.size(), 0);
  for (size_t d = 0; d < shape.size(); d++) pads.push_back(shape[d] - graph_.value(id).shape[d]);
  NodeWriter nodes(graph_);
  return graph_.value(id).shape == shape ? id : nodes.add("Pad", {id, nodes.list(pads)});
}

// In the larger of both extents, of which as much counts as the one that is taken has.
Result<ValueId> NodeImporter::chosen_sizes(ValueId condition, ValueId yes, ValueId no) {
  const Shape a = graph_.value(yes).shape, b = graph_.value(no).shape;  // copies: values are added
  Shape both = a;
  for (size_t d = 0; d < a.size(); d++) both[d] = std::max(a[d], b[d]);
  ValueId out = add_synthetic("Where", {condition, padded_to(yes, both), padded_to(no, both)}, {});
  NodeWriter nodes(graph_);
  for (size_t d = 0; d < a.size(); d++)
    if (a[d] != b[d]) out = nodes.add("hone.Bounded", {out, nodes.add("Where", {condition, nodes.list({a[d]}), nodes.list({b[d]})})}, {{"axis", static_cast<int64_t>(d)}});
  return out;
}

Result<ValueId> NodeImporter::chosen_tensor(const OnnxSite& site, ValueId condition, const Choice& among) {
  const auto [yes, no, may_differ] = among;
  if (yes == no) return yes;
  HONE_ASSIGN(shape, known_shape(site, yes));
  HONE_ASSIGN(other, known_shape(site, no));
  const Value &a = graph_.value(yes), &b = graph_.value(no);
  const bool has_lengths = !a.lengths.empty() || !b.lengths.empty();
  if (a.dtype != b.dtype || has_lengths || shape.size() != other.size() || (shape != other && !may_differ))
    return Error{ErrorCode::kUnsupported, cat("'", a.name, "' and '", b.name, "' are ", ir::dtype_name(a.dtype), " of shape ", te::shape_text(shape), " and ", ir::dtype_name(b.dtype), " of shape ",
                                              te::shape_text(other), has_lengths ? ", whose size only a run tells" : "")};
  return shape == other ? Result<ValueId>(add_synthetic("Where", {condition, yes, no}, {})) : chosen_sizes(condition, yes, no);
}

Result<Meaning> NodeImporter::chosen(const OnnxSite& site, ValueId condition, const Meaning& yes, const Meaning& no, bool may_differ) {
  if (yes.is_absent() && no.is_absent()) return yes;
  if (yes.tensor != kNoValue && no.tensor != kNoValue) {
    HONE_ASSIGN(tensor, chosen_tensor(site, condition, {yes.tensor, no.tensor, may_differ}));
    return Meaning{tensor, nullptr};
  }
  if (!yes.list || !no.list || yes.list->size() != no.list->size()) return Error{ErrorCode::kUnsupported, "they are sequences of different lengths, or one is none"};
  std::vector<ValueId> elements;
  for (size_t i = 0; i < yes.list->size(); i++) {
    HONE_ASSIGN(element, chosen_tensor(site, condition, {(*yes.list)[i], (*no.list)[i], may_differ}));
    elements.push_back(element);
  }
  return Meaning{kNoValue, std::make_shared<const std::vector<ValueId>>(std::move(elements))};
}

// A refusal that names both ways out: to fix the condition, and to make what is chosen among alike.
Error NodeImporter::no_choice(const OnnxSite& site, ValueId condition, std::string_view among, const Error& why) {
  const auto known = known_number(site, condition, "its condition");
  if (known.ok() || why.code != ErrorCode::kUnsupported) return why;
  return {ErrorCode::kUnsupported, cat(known.error().message, "; hone can choose among ", among, " where they are alike, but ", why.message)};
}

Status NodeImporter::choose_branch(const OnnxSite& site, ValueId condition) {
  HONE_ASSIGN(holds, condition_of(site, condition));
  HONE_ASSIGN(then_branch, site.graph("then_branch"));
  HONE_ASSIGN(else_branch, site.graph("else_branch"));
  const auto refused = [&](const Error& why) { return no_choice(site, condition, "the results of both branches", why); };
  const bool is_long = is_long_branch(*then_branch) || is_long_branch(*else_branch);
  const ValueId then_state = is_long ? add_state(holds) : kNoValue;
  const auto yes = is_long ? run_gated(site, *then_branch, then_state) : run_body(site, *then_branch, {});
  if (!yes.ok()) return refused(yes.error());
  const ValueId else_state = is_long ? add_state(add_synthetic("Not", {holds}, {})) : kNoValue;
  const auto no = is_long ? run_gated(site, *else_branch, else_state) : run_body(site, *else_branch, {});
  if (!no.ok()) return refused(no.error());
  const size_t outputs = site.node.outputs.size();
  if (yes->size() < outputs || no->size() < outputs) return te::bad_model(cat(site.what, " has ", outputs, " outputs, and its branches ", yes->size(), " and ", no->size()));
  HONE_ASSIGN(is_done, is_long ? branch(site, holds, {{then_state, *yes}, {else_state, *no}}) : Result<bool>(false));
  if (is_done) return ok_status();
  for (size_t i = 0; i < outputs; i++) {
    if (!site.has_output(i)) continue;
    auto result = chosen(site, holds, (*yes)[i], (*no)[i], true);
    if (!result.ok()) return refused(result.error());
    HONE_TRY(bind_result(site, i, std::move(*result)));
  }
  return ok_status();
}

// How many trips ran: those that are known to, and those whose conditions hold. [1]
Result<ValueId> NodeImporter::trips_run(const OnnxSite& site, int64_t known, const std::vector<ValueId>& conditions) {
  HONE_ASSIGN(all, stacked(site, conditions, 0));
  const ValueId counts = add_synthetic("Cast", {all}, {{"to", int64_t{7}}});
  const ValueId sum = add_synthetic("ReduceSum", {counts}, {{"axes", std::vector<int64_t>{0}}, {"keepdims", int64_t{1}}});
  return known == 0 ? sum : add_synthetic("Add", {sum, constant({DType::kI64, {1}, raw_bytes(known)})}, {});
}

}  // namespace hone::graph
