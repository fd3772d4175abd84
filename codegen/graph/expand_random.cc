// Random numbers are drawn once, when the model is read: from the seed that a node gives, else from its name and place, so that all runs and devices agree.
#include <cmath>

#include "base/cat.h"
#include "base/hash.h"
#include "base/rng.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/op_arguments.h"

namespace hone::graph {
namespace {

uint64_t seed_of(const OpCall& call) {
  if (!call.has_attribute("seed")) return hash_mix(hash_bytes(call.node.name).lo, call.graph.values.size());
  const double seed = call.number("seed", 0);
  return hash_bytes({reinterpret_cast<const char*>(&seed), sizeof(seed)}).lo;
}

using Draw = double (*)(Rng& rng);
double uniform(Rng& rng) { return rng.uniform(); }
// Box and Muller 1958, "A note on the generation of random normal deviates".
double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  return radius * std::cos(2 * 3.14159265358979323846 * rng.uniform());
}

// offset + factor · what is drawn. Fails: limit_exceeded, unsupported.
Result<ValueId> drawn(NodeWriter& nodes, const OpCall& call, Shape shape, DType dtype, Draw draw, double offset, double factor) {
  HONE_TRY(check_shape(shape, "its result"));
  const int64_t count = ir::element_count(shape);
  if (count > kFoldElementsMax) return Error{ErrorCode::kLimitExceeded, cat("draws ", count, " numbers; hone draws at most ", kFoldElementsMax, " when it compiles")};
  if (!ir::is_float(dtype)) return bad_node(cat("draws numbers of type ", ir::dtype_name(dtype), "; expected a float type"));
  Rng rng(seed_of(call));
  std::vector<double> numbers(static_cast<size_t>(count));
  for (double& number : numbers) number = offset + factor * draw(rng);
  return nodes.constant(dtype, std::move(shape), numbers);
}

Expanded handed_out(NodeWriter& nodes, const Result<ValueId>& value) {
  if (!value.ok()) return value.error();
  return std::vector<ValueId>{nodes.add("Identity", {*value})};
}

// By attributes, or as the input is.
struct Wanted {
  Shape shape;
  DType dtype = DType::kF32;
};
Result<Wanted> wanted(const OpCall& call) {
  const bool is_like = !call.node.inputs.empty();
  const DType natural = is_like && ir::is_float(call.value(0).dtype) ? call.value(0).dtype : DType::kF32;
  HONE_ASSIGN(dtype, type_of(call, "dtype", natural));
  const std::vector<int64_t> extents = call.integers("shape");
  return Wanted{is_like ? call.value(0).shape : Shape(extents.begin(), extents.end()), dtype};
}

}  // namespace

Expanded expand_random_uniform(NodeWriter& nodes, const OpCall& call) {
  HONE_ASSIGN(w, wanted(call));
  const double low = call.number("low", 0), high = call.number("high", 1);
  return handed_out(nodes, drawn(nodes, call, w.shape, w.dtype, uniform, low, high - low));
}

Expanded expand_random_normal(NodeWriter& nodes, const OpCall& call) {
  HONE_ASSIGN(w, wanted(call));
  return handed_out(nodes, drawn(nodes, call, w.shape, w.dtype, normal, call.number("mean", 0), call.number("scale", 1)));
}

// 1 with the probability that the input gives.
Expanded expand_bernoulli(NodeWriter& nodes, const OpCall& call) {
  const Shape shape = call.value(0).shape;
  const DType dtype = call.value(0).dtype;
  HONE_ASSIGN(numbers, drawn(nodes, call, shape, dtype, uniform, 0, 1));
  const ValueId hits = nodes.add("Less", {numbers, call.id(0)});
  HONE_TRY(type_of(call, "dtype", dtype).ok() ? ok_status() : Status(type_of(call, "dtype", dtype).error()));
  if (call.integer("dtype", 0) == 0) return std::vector<ValueId>{nodes.add("CastLike", {hits, call.id(0)})};
  return std::vector<ValueId>{nodes.add("Cast", {hits}, {{"to", call.integer("dtype", 0)}})};
}

// Places drawn by weights that the input gives as logarithms ([batch, classes]): the first whose cumulated share is more than what is drawn.
Expanded expand_multinomial(NodeWriter& nodes, const OpCall& call) {
  const Shape shape = call.value(0).shape;
  const int64_t samples = call.integer("sample_size", 1), to = call.integer("dtype", 6);
  if (shape.size() != 2 || shape[1] < 1 || samples < 0) return bad_node("expected weights of shape [batch, classes]");
  HONE_ASSIGN(numbers, drawn(nodes, call, {shape[0], samples, 1}, call.value(0).dtype, uniform, 0, 1));
  const ValueId shares = nodes.add("CumSum", {nodes.add("Softmax", {call.id(0)}, {{"axis", int64_t{1}}}), nodes.number(DType::kI64, 1)});
  const ValueId passed = nodes.add("LessOrEqual", {nodes.reshaped(shares, {shape[0], 1, shape[1]}), numbers});
  const ValueId count = nodes.add("ReduceSum", {nodes.add("Cast", {passed}, {{"to", int64_t{6}}}), nodes.list({2})}, {{"keepdims", int64_t{0}}});
  const ValueId place = nodes.add("Min", {count, nodes.number(DType::kI32, double(shape[1] - 1))});  // where rounding leaves the last share below 1
  return std::vector<ValueId>{nodes.add("Cast", {place}, {{"to", to}})};
}

}  // namespace hone::graph
