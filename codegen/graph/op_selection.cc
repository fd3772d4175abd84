// What expand_selected.cc and expand_determinant.cc write: which elements are kept, and how many; a column that is eliminated.
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/elimination.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/selection.h"

namespace hone::graph {

using te::Tensor;

// Its second input is the length of a dimension (lengths.h); the elements stay as they are.
Emitted emit_bounded(const OpCall& call) {
  const Tensor x = call.tensor(0, "X");
  return one_output(te::reshape(call.b, x, x->shape));
}

Emitted emit_distinct_rows(const OpCall& call) {
  HONE_ASSIGN(made, te::distinct_rows(call.b, call.tensor(0, "X"), call.integer("sorted", 1) != 0));
  return std::vector<Tensor>{made.source, made.inverse, made.times, made.count};
}

Emitted emit_eliminate_step(const OpCall& call) {
  HONE_ASSIGN(made, te::eliminate_step(call.b, call.tensor(0, "X"), call.tensor(1, "product")));
  return std::vector<Tensor>{made.rest, made.product};
}

Emitted emit_places(const OpCall& call) {
  HONE_ASSIGN(made, te::places_where(call.b, call.tensor(0, "X")));
  return std::vector<Tensor>{made.places, made.count};
}

Emitted emit_suppress_step(const OpCall& call) {
  HONE_ASSIGN(made, te::suppress_step(call.b, {call.tensor(0, "boxes"), call.tensor(1, "left"), call.operand(2, "overlap"), call.integer("center_point_box", 0) != 0}));
  return std::vector<Tensor>{made.left, made.taken};
}

}  // namespace hone::graph
