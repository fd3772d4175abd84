// What loops.h is made of: each result is a copy of what is handed on to it.
#include "codegen/graph/op_arguments.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::graph {

using te::Tensor;

namespace {
te::Sym same(te::Sym x) { return x; }
}  // namespace

Emitted emit_copy(const OpCall& call) { return one_output(te::unary(call.b, "copy", call.tensor(0, "X"), same)); }

// Of states and what the next trip has in their places, in turns.
Emitted emit_loop_end(const OpCall& call) {
  std::vector<Tensor> made;
  for (size_t i = 1; i < call.node.inputs.size(); i += 2) made.push_back(te::unary(call.b, "copy", call.tensor(i, "X"), same));
  return made;
}

}  // namespace hone::graph
