// Operators that put elements where indices say, put them in order, or add up what comes before them.
#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/cumulative.h"
#include "codegen/te/ops/movement.h"
#include "codegen/te/ops/scatter.h"
#include "codegen/te/ops/searching.h"
#include "codegen/te/ops/sorting.h"
#include "codegen/te/ops/window.h"

namespace hone::graph {
namespace {

using te::Tensor;

Result<te::ScatterJoin> scatter_join(const OpCall& call) {
  const std::string how = call.text("reduction", "none");
  if (how == "none") return te::ScatterJoin::kReplace;
  if (ir::is_model_only(call.value(0).dtype)) return Error{ErrorCode::kUnsupported, cat("elements of type ", ir::dtype_name(call.value(0).dtype), " are replaced only; expected no reduction")};
  if (how == "add") return te::ScatterJoin::kAdd;
  if (how == "mul") return te::ScatterJoin::kMultiply;
  if (how == "max") return te::ScatterJoin::kMax;
  if (how == "min") return te::ScatterJoin::kMin;
  return bad_node(cat("reduction '", how, "' is not defined; expected none, add, mul, max or min"));
}

}  // namespace

Emitted emit_scatter_elements(const OpCall& call) {
  HONE_ASSIGN(axis, axis_in(call.integer("axis", 0), call.value(0).shape.size()));
  HONE_ASSIGN(join, scatter_join(call));
  const Tensor x = call.tensor(0, "X"), indices = call.tensor(1, "indices"), updates = call.tensor(2, "updates");
  return one_output(te::scatter_elements(call.b, x, indices, updates, axis, join));
}

Emitted emit_scatter_tuples(const OpCall& call) {
  HONE_ASSIGN(join, scatter_join(call));
  const Tensor x = call.tensor(0, "X"), indices = call.tensor(1, "indices"), updates = call.tensor(2, "updates");
  return one_output(te::scatter_tuples(call.b, x, indices, updates, join));
}

Emitted emit_write_from(const OpCall& call) {
  HONE_ASSIGN(axis, axis_in(call.integer("axis", -2), call.value(0).shape.size()));
  const std::string mode = call.text("mode", "linear");
  if (mode != "linear" && mode != "circular") return bad_node(cat("mode '", mode, "' is not defined; expected linear or circular"));
  const Tensor x = call.tensor(0, "X"), updates = call.tensor(1, "updates"), starts = call.has_input(2) ? call.tensor(2, "starts") : nullptr;
  return one_output(te::write_from(call.b, x, updates, starts, axis, mode == "circular"));
}

Emitted emit_row_numbers(const OpCall& call) { return one_output(te::row_numbers(call.b, call.tensor(0, "indices"), call.integers("extents"))); }

Emitted emit_fold_equals(const OpCall& call) {
  HONE_ASSIGN(join, scatter_join(call));
  return one_output(te::fold_equals(call.b, call.tensor(0, "X"), call.tensor(1, "keys"), call.integer("axis", 0), call.integer("stride", 1), join));
}

Emitted emit_find_last(const OpCall& call) {
  HONE_ASSIGN(found, te::find_last(call.b, call.tensor(0, "keys"), call.integer("axis", 0), call.integer("extent", 0)));
  return std::vector<Tensor>{found.place, found.there};
}

Emitted emit_merge_runs(const OpCall& call) {
  const te::Runs runs{call.tensor(0, "X"), call.tensor(1, "places"), call.integer("axis", 0), call.integer("run", 1), call.integer("largest", 1) != 0};
  HONE_ASSIGN(merged, te::merge_runs(call.b, runs));
  return std::vector<Tensor>{merged.values, merged.places};
}

Emitted emit_best(const OpCall& call) {
  HONE_ASSIGN(axis, axis_in(call.integer("axis", -1), call.value(0).shape.size()));
  te::Best best{.axis = axis, .count = call.integer("k", 0), .largest = call.integer("largest", 1) != 0};
  if (call.has_input(1)) {
    HONE_ASSIGN(count, integer_in(call, 1));
    best.count = count;
  }
  HONE_ASSIGN(chosen, te::best_of(call.b, call.tensor(0, "X"), best));
  return std::vector<Tensor>{chosen.values, chosen.places};
}

Emitted emit_cumulative(const OpCall& call) {
  HONE_ASSIGN(named, integer_in(call, 1));
  HONE_ASSIGN(axis, axis_in(named, call.value(0).shape.size()));
  te::Cumulation c{.axis = axis, .exclusive = call.integer("exclusive", 0) != 0, .reverse = call.integer("reverse", 0) != 0};
  if (call.node.op == "CumProd") c.fold = te::Fold::kProduct;
  return one_output(te::cumulate(call.b, call.tensor(0, "X"), c));
}

namespace {

// Along one dimension: where windows of the pooled input ended.
Result<Shape> unpooled_shape(const OpCall& call) {
  Shape shape = call.value(0).shape;
  const size_t rank = shape.size() < 2 ? 0 : shape.size() - 2;
  std::vector<int64_t> kernel = call.integers("kernel_shape"), strides = call.integers("strides"), pads = call.integers("pads");
  if (strides.empty()) strides.assign(rank, 1);
  if (pads.empty()) pads.assign(2 * rank, 0);
  if (kernel.size() != rank || strides.size() != rank || pads.size() != 2 * rank) return bad_node(cat("kernel_shape, strides or pads have the wrong length for ", rank, " spatial dimensions"));
  for (size_t d = 0; d < rank; d++) {
    for (int64_t v : {kernel[d], strides[d], pads[d] + 1, pads[rank + d] + 1}) HONE_TRY(check_range("a kernel, stride or pad", v, 1, te::kWindowMax));
    const int64_t extent = (shape[2 + d] - 1) * strides[d] + kernel[d] - pads[d] - pads[rank + d];
    shape[2 + d] = std::max<int64_t>(extent, 0);
  }
  return shape;
}

}  // namespace

Emitted emit_unpool(const OpCall& call) {
  HONE_ASSIGN(shape, unpooled_shape(call));
  HONE_ASSIGN(wanted, call.integers(size_t{2}));
  const Tensor x = call.tensor(0, "X"), indices = call.tensor(1, "indices");
  HONE_ASSIGN(y, te::unpool(call.b, x, indices, shape));
  if (wanted.empty() || wanted == shape) return std::vector<Tensor>{y};
  // Indices count through the shape that follows from the window; what is asked for beyond it is 0.
  te::PadParams more;
  if (wanted.size() != shape.size()) return bad_node(cat("output_shape has ", wanted.size(), " extents; expected ", shape.size()));
  for (size_t d = 0; d < shape.size(); d++) {
    HONE_TRY(check_range("output_shape", wanted[d], shape[d], INT32_MAX));
    more.begin.push_back(0);
    more.end.push_back(wanted[d] - shape[d]);
  }
  return one_output(te::pad(call.b, y, more));
}

}  // namespace hone::graph
