// Numbers in the place of other numbers.
#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

// The attribute that a label encoder of numbers has as `what`: lists of numbers, or a tensor.
Result<ConstantTensor> numbers_of(const OpCall& call, const std::string& what) {
  const auto& attributes = call.node.attributes;
  if (const auto it = attributes.find(what + "_tensor"); it != attributes.end())
    if (const auto* tensor = std::get_if<ConstantTensor>(&it->second)) return *tensor;
  const std::vector<int64_t> whole = call.integers(what + "_int64s");
  if (!whole.empty()) return from_doubles(DType::kI64, {static_cast<int64_t>(whole.size())}, {whole.begin(), whole.end()});
  const std::vector<double> numbers = call.numbers(what + "_floats");
  if (!numbers.empty()) return from_doubles(DType::kF32, {static_cast<int64_t>(numbers.size())}, numbers);
  return Error{ErrorCode::kUnsupported, cat("has no ", what, " that are numbers; strings are not supported")};
}

double default_of(const OpCall& call, DType dtype) {
  if (const auto it = call.node.attributes.find("default_tensor"); it != call.node.attributes.end())
    if (const auto* tensor = std::get_if<ConstantTensor>(&it->second); tensor && ir::element_count(tensor->shape) == 1) return to_doubles(*tensor)[0];
  return ir::is_float(dtype) ? call.number("default_float", 0) : double(call.integer("default_int64", -1));
}

}  // namespace

// The value beside the first key that the element equals, or the default.
Expanded expand_label_encoder(NodeWriter& nodes, const OpCall& call) {
  const Shape shape = call.value(0).shape;
  const DType dtype = call.value(0).dtype;
  HONE_ASSIGN(keys, numbers_of(call, "keys"));
  HONE_ASSIGN(values, numbers_of(call, "values"));
  const int64_t count = ir::element_count(keys.shape);
  if (keys.dtype != dtype || count == 0 || ir::element_count(values.shape) != count)
    return bad_node(cat(count, " keys of type ", ir::dtype_name(keys.dtype), " and ", ir::element_count(values.shape), " values do not fit an input of type ", ir::dtype_name(dtype)));
  const ValueId all = nodes.constant(dtype, {count}, to_doubles(keys)), results = nodes.constant(values.dtype, {count}, to_doubles(values));
  const ValueId is_key = nodes.add("Cast", {nodes.add("Equal", {nodes.add("Unsqueeze", {call.id(0), nodes.list({-1})}), all})}, {{"to", int64_t{6}}});
  const ValueId place = nodes.add("ArgMax", {is_key}, {{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}});
  const ValueId known = nodes.add("Cast", {nodes.add("ReduceMax", {is_key, nodes.list({-1})}, {{"keepdims", int64_t{0}}})}, {{"to", int64_t{9}}});
  return std::vector<ValueId>{nodes.add("Where", {known, nodes.add("Gather", {results, place}), nodes.number(values.dtype, default_of(call, values.dtype))})};
}

}  // namespace hone::graph
