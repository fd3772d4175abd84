// What loops.h is made of: each result is a copy of what is handed on to it.
#include "codegen/graph/op_arguments.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/reshape.h"

namespace hone::graph {

using te::Tensor;

namespace {
te::Sym same(te::Sym x) { return x; }
}  // namespace

Emitted emit_copy(const OpCall& call) { return one_output(te::unary(call.b, "copy", call.tensor(0, "X"), same)); }

// Its second input is a state of the loop in whose trips it is read (onnx_import_branch.cc); the elements stay as they are.
Emitted emit_gate(const OpCall& call) {
  const Tensor x = call.tensor(0, "X");
  return one_output(te::reshape(call.b, x, x->shape));
}

// Of states and what the next trip has in their places, in turns.
Emitted emit_loop_end(const OpCall& call) {
  std::vector<Tensor> made;
  for (size_t i = 1; i < call.node.inputs.size(); i += 2) made.push_back(te::unary(call.b, "copy", call.tensor(i, "X"), same));
  return made;
}

}  // namespace hone::graph
