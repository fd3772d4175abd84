// Attention of com.microsoft, as ONNX's Attention of opset 25 with what goes before it.
#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

// Parts of the last dimension of [batch, sequence, width].
ValueId columns(NodeWriter& nodes, ValueId x, int64_t begin, int64_t end) { return nodes.part(x, begin, end, 2); }

Result<int64_t> heads_of(const OpCall& call, std::string_view name) {
  const int64_t heads = call.integer(name, 0);
  HONE_TRY(check_range(name, heads, 1, te::kExtentMax));
  return heads;
}

}  // namespace

// cos and sin: [places, features / 2]; position_ids: [1], the first place, or [batch, sequence].
Expanded expand_rotary(NodeWriter& nodes, const OpCall& call) {
  const Shape x = call.value(0).shape, ids = call.value(1).shape, table = call.value(2).shape;
  if (call.integer("is_packed_batching", 0) != 0 || call.number("scale", 1) != 1) return Error{ErrorCode::kUnsupported, "packed batches and scales are not supported"};
  if ((x.size() != 3 && x.size() != 4) || table.size() != 2) return bad_node(cat("an input of shape ", te::shape_text(x), " and a table of shape ", te::shape_text(table), " do not fit"));
  const int64_t rotated = call.integer("rotary_embedding_dim", 0), sequence = x[x.size() - 2];
  int64_t heads = call.integer("num_heads", 0);
  if (heads == 0 && x.size() == 3) heads = table[1] > 0 && x[2] % (2 * table[1]) == 0 ? x[2] / (2 * table[1]) : 0;
  ValueId places = call.node.inputs[1];
  if (ir::element_count(ids) == 1 && (ids.size() != 2 || x[0] != 1 || sequence != 1)) {
    places = nodes.add("Add", {nodes.reshaped(places, {1, 1}), nodes.reshaped(nodes.range(sequence), {1, sequence})});
    places = nodes.add("Expand", {places, nodes.list({x[0], sequence})});
  }
  return std::vector<ValueId>{nodes.add("RotaryEmbedding", {call.node.inputs[0], call.node.inputs[2], call.node.inputs[3], places},
                                        {{"interleaved", call.integer("interleaved", 0)}, {"num_heads", heads}, {"rotary_embedding_dim", rotated}})};
}

namespace {

struct Operands {
  ValueId query = kNoValue, key = kNoValue, value = kNoValue;
};

// Queries, keys and values: [batch, sequence, heads · features], or keys and values with their heads apart.
Result<Operands> separate(const OpCall& call) {
  if (!call.has_input(1) || !call.has_input(2)) return Error{ErrorCode::kUnsupported, "queries, keys and values in one tensor are not supported; export them apart"};
  if (call.value(0).shape.size() == 3) return Operands{call.node.inputs[0], call.node.inputs[1], call.node.inputs[2]};
  return bad_node(cat("queries of shape ", te::shape_text(call.value(0).shape), " have no heads; expected rank 3"));
}

// One bias for all three, each part added to its operand.
void add_biases(NodeWriter& nodes, const OpCall& call, Operands& o, int64_t width) {
  const int64_t all = call.value(3).shape.empty() ? 0 : call.value(3).shape[0];
  const int64_t bounds[] = {0, width, 2 * width, all};
  ValueId* const parts[] = {&o.query, &o.key, &o.value};
  for (size_t i = 0; i < 3; i++) *parts[i] = nodes.add("Add", {*parts[i], nodes.part(call.node.inputs[3], bounds[i], bounds[i + 1])});
}

// Numbers added to the scores: [batch, 1, queries, keys]. Padding: [batch] lengths, or [batch, keys] with 0 where nothing is seen, or [batch, queries, keys].
Result<ValueId> padding_bias(NodeWriter& nodes, const OpCall& call, int64_t keys) {
  const Shape mask = call.value(4).shape;
  const DType dtype = call.value(0).dtype;
  ValueId seen = call.node.inputs[4];
  if (mask.size() == 1) {
    seen = nodes.add("Less", {nodes.reshaped(nodes.range(keys), {1, 1, 1, keys}), nodes.add("Cast", {nodes.reshaped(seen, {mask[0], 1, 1, 1})}, {{"to", int64_t{7}}})});
  } else if (mask.size() == 2) {
    seen = nodes.add("Cast", {nodes.reshaped(seen, {mask[0], 1, 1, mask[1]})}, {{"to", int64_t{9}}});
  } else if (mask.size() == 3) {
    seen = nodes.add("Cast", {nodes.reshaped(seen, {mask[0], 1, mask[1], mask[2]})}, {{"to", int64_t{9}}});
  } else {
    return bad_node(cat("a mask of shape ", te::shape_text(mask), " is not supported; expected rank 1 to 3"));
  }
  return nodes.add("Where", {seen, nodes.number(dtype, 0), nodes.number(dtype, call.number("mask_filter_value", -10000))});
}

}  // namespace

Expanded expand_multi_head_attention(NodeWriter& nodes, const OpCall& call) {
  HONE_ASSIGN(heads, heads_of(call, "num_heads"));
  const Shape q = call.value(0).shape;
  HONE_ASSIGN(o, separate(call));
  if (call.has_input(3)) add_biases(nodes, call, o, q[2]);
  // Keys that come with their heads apart: the queries, too.
  const bool apart = call.value(1).shape.size() == 4;
  if (apart) {
    if (q[2] % heads != 0) return bad_node(cat("queries of shape ", te::shape_text(q), " do not fall into ", heads, " heads"));
    o.query = nodes.transposed(nodes.reshaped(o.query, {q[0], q[1], heads, q[2] / heads}), {0, 2, 1, 3});
  }
  if (!apart && call.value(1).shape.size() != 3) return bad_node(cat("keys of shape ", te::shape_text(call.value(1).shape), " have no heads; expected rank 3 or 4"));
  const int64_t fresh = call.value(1).shape[apart ? 2 : 1];
  const int64_t past = call.has_input(6) && call.value(6).shape.size() == 4 ? call.value(6).shape[2] : 0;
  ValueId bias = call.id(5);
  if (call.has_input(4)) {
    HONE_ASSIGN(padding, padding_bias(nodes, call, past + fresh));
    bias = bias == kNoValue ? padding : nodes.add("Add", {bias, padding});
  }
  Attributes attributes{{"is_causal", call.integer("unidirectional", 0)}, {"scale", call.number("scale", 0)}};
  call.number("mask_filter_value", 0);
  if (!apart) attributes.insert({{"q_num_heads", heads}, {"kv_num_heads", heads}});
  std::vector<ValueId> made = nodes.add_all("Attention", {o.query, o.key, o.value, bias, call.id(6), call.id(7)}, attributes, 3);
  if (apart) made[0] = nodes.reshaped(nodes.transposed(made[0], {0, 2, 1, 3}), {q[0], q[1], -1});
  return made;
}

namespace {

// A cache of keys or values with `total` places, with what is new from `starts` on: [batch, heads, total, features].
ValueId written_cache(NodeWriter& nodes, const OpCall& call, size_t past, ValueId fresh, ValueId starts, const Shape& shape) {
  ValueId cache = nodes.zeros(call.value(0).dtype, shape);
  if (call.has_input(past)) {
    const int64_t more = shape[2] - call.value(past).shape[2];
    cache = more == 0 ? call.id(past) : nodes.add("Pad", {call.id(past), nodes.list({0, 0, 0, 0, 0, 0, more, 0})});
  }
  return nodes.add("TensorScatter", {cache, fresh, starts}, {{"axis", int64_t{2}}});
}

}  // namespace

// Keys are stored behind those of the past, whose number in each row of the batch is seqlens_k + 1 − sequence; a query sees those up to its own place.
Expanded expand_grouped_attention(NodeWriter& nodes, const OpCall& call) {
  HONE_ASSIGN(heads, heads_of(call, "num_heads"));
  HONE_ASSIGN(shared, heads_of(call, "kv_num_heads"));
  const Shape q = call.value(0).shape;
  if (!call.has_input(5) || !call.has_input(6)) return bad_node("expected seqlens_k and total_sequence_length");
  if (call.has_input(1) != call.has_input(2)) return bad_node("expected keys and values, or neither");
  const bool packed = !call.has_input(1);
  const int64_t parts = packed ? heads + 2 * shared : heads;
  if (q.size() != 3 || q[2] % parts != 0) return bad_node(cat("queries of shape ", te::shape_text(q), " do not fall into ", parts, " heads"));
  if (call.integer("causal", 1) == 0 || call.integer("smooth_softmax", 0) == 1) return Error{ErrorCode::kUnsupported, "attention without a causal mask, and smooth softmax, are not supported"};
  const int64_t features = q[2] / parts, sequence = q[1];
  const Shape fresh{q[0], sequence, shared * features};
  if (!packed && (call.value(1).shape != fresh || call.value(2).shape != fresh))
    return bad_node(cat("keys and values of shapes ", te::shape_text(call.value(1).shape), " and ", te::shape_text(call.value(2).shape), " do not fit; expected ", te::shape_text(fresh)));
  HONE_ASSIGN(total, call.integers(size_t{6}));
  if (total.size() != 1) return bad_node("expected one total_sequence_length");
  if (call.has_input(3) != call.has_input(4)) return bad_node("there is a past of keys or of values alone; expected both or none");
  int64_t places = total[0];
  for (size_t i : {size_t{3}, size_t{4}}) {
    if (!call.has_input(i)) continue;
    const Shape& past = call.value(i).shape;
    if (past.size() != 4 || past != call.value(3).shape) return bad_node(cat("a past of shape ", te::shape_text(past), " does not fit; expected ", shared, " heads of ", features, " features, keys and values alike"));
    places = std::max(places, past[2]);
  }
  HONE_TRY(check_range("total_sequence_length", places, sequence, te::kExtentMax));
  Operands o{call.node.inputs[0], call.id(1), call.id(2)};
  if (packed)
    o = {columns(nodes, call.node.inputs[0], 0, heads * features), columns(nodes, call.node.inputs[0], heads * features, (heads + shared) * features),
         columns(nodes, call.node.inputs[0], (heads + shared) * features, parts * features)};
  // Cut to what a length can be, so that nothing that follows from it is watched (overflow.h).
  const ValueId last = nodes.add("Clip", {nodes.add("Cast", {nodes.reshaped(call.id(5), {q[0]})}, {{"to", int64_t{7}}}), nodes.number(DType::kI64, -1), nodes.number(DType::kI64, double(places))});
  const ValueId lengths = nodes.add("Add", {last, nodes.number(DType::kI64, 1)});
  const ValueId starts = nodes.add("Sub", {lengths, nodes.number(DType::kI64, double(sequence))});
  if (call.integer("do_rotary", 0) != 0) {
    if (!call.has_input(7) || !call.has_input(8)) return bad_node("do_rotary needs cos_cache and sin_cache");
    ValueId ids = call.id(9);
    if (ids == kNoValue) ids = nodes.add("Add", {nodes.reshaped(starts, {q[0], 1}), nodes.reshaped(nodes.range(sequence), {1, sequence})});
    const auto turned = [&](ValueId x, int64_t count) {
      const int64_t rotated = call.value(7).shape.size() == 2 ? 2 * call.value(7).shape[1] : 0;
      return nodes.add("RotaryEmbedding", {x, call.id(7), call.id(8), ids}, {{"interleaved", call.integer("rotary_interleaved", 0)}, {"num_heads", count}, {"rotary_embedding_dim", rotated}});
    };
    o.query = turned(o.query, heads);
    o.key = turned(o.key, shared);
  }
  const auto apart = [&](ValueId x) { return nodes.transposed(nodes.reshaped(x, {q[0], sequence, shared, features}), {0, 2, 1, 3}); };
  const Shape cache{q[0], shared, places, features};
  const ValueId keys = written_cache(nodes, call, 3, apart(o.key), starts, cache), values = written_cache(nodes, call, 4, apart(o.value), starts, cache);
  const ValueId query = nodes.transposed(nodes.reshaped(o.query, {q[0], sequence, heads, features}), {0, 2, 1, 3});
  const int64_t window = call.integer("local_window_size", -1);
  Attributes attributes{{"is_causal", int64_t{1}}, {"scale", call.number("scale", 0)}, {"softcap", call.number("softcap", 0)}};
  if (window > 0) attributes.emplace("left_window_size", window - 1);
  for (std::string_view name : {"kv_cache_bit_width", "qk_output", "sliding_window_cache"})
    if (call.integer(name, 0) != 0) return Error{ErrorCode::kUnsupported, cat(name, " is not supported")};
  const ValueId y = nodes.add("Attention", {query, keys, values, call.id(10), kNoValue, kNoValue, lengths}, attributes);
  return std::vector<ValueId>{nodes.reshaped(nodes.transposed(y, {0, 2, 1, 3}), {q[0], sequence, heads * features}), keys, values};
}

}  // namespace hone::graph
