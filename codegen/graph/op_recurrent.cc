// One step of recurrent layers, as expand_recurrent writes them.
#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/recurrent.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::graph {
namespace {

using te::Sym;
using te::Tensor;

// ONNX's activation functions of recurrent layers. Fails: unsupported.
Result<te::Activation> activation_of(const std::string& name, double alpha, double beta) {
  if (name == "Relu") return te::Activation(te::relu);
  if (name == "Tanh") return te::Activation(te::tangent_hyperbolic);
  if (name == "Sigmoid") return te::Activation(te::sigmoid);
  if (name == "Affine") return te::Activation([=](Sym x) { return x * alpha + beta; });
  if (name == "LeakyRelu") return te::Activation([=](Sym x) { return te::leaky_relu(x, alpha); });
  if (name == "ThresholdedRelu") return te::Activation([=](Sym x) { return te::thresholded_relu(x, alpha); });
  if (name == "ScaledTanh") return te::Activation([=](Sym x) { return te::tangent_hyperbolic(x * beta) * alpha; });
  if (name == "HardSigmoid") return te::Activation([=](Sym x) { return te::hard_sigmoid(x, alpha, beta); });
  if (name == "Elu") return te::Activation([=](Sym x) { return te::elu(x, alpha); });
  if (name == "Softsign") return te::Activation(te::softsign);
  if (name == "Softplus") return te::Activation(te::softplus);
  return Error{ErrorCode::kUnsupported, cat("the activation '", name, "' is not supported; expected one of ONNX's recurrent layers")};
}

Result<std::vector<te::Activation>> activations_of(const OpCall& call, size_t count) {
  const std::vector<std::string> names = call.texts("activations");
  const std::vector<double> alphas = call.numbers("activation_alpha"), betas = call.numbers("activation_beta");
  if (names.size() != count || alphas.size() != count || betas.size() != count) return bad_node(cat("has ", names.size(), " activations; expected ", count));
  std::vector<te::Activation> out;
  for (size_t i = 0; i < count; i++) {
    HONE_ASSIGN(f, activation_of(names[i], alphas[i], betas[i]));
    out.push_back(std::move(f));
  }
  return out;
}

Tensor given(const OpCall& call, size_t i, std::string_view name) { return call.has_input(i) ? call.tensor(i, name) : nullptr; }

te::Step step_of(const OpCall& call, size_t lengths) {
  te::Step s;
  s.projected = call.tensor(0, "X");
  s.step = call.tensor(1, "step");
  s.recurrent = call.tensor(2, "R");
  s.hidden = call.tensor(3, "H");
  s.lengths = given(call, lengths, "lengths");
  s.clip = call.number("clip", 0);
  return s;
}

// The states, then the result of a place, where that is another.
std::vector<Tensor> results(const te::Stepped& made) {
  std::vector<Tensor> out{made.hidden};
  if (made.cell) out.push_back(made.cell);
  if (made.y != made.hidden) out.push_back(made.y);
  return out;
}

}  // namespace

Emitted emit_elman_step(const OpCall& call) {
  HONE_ASSIGN(f, activations_of(call, 1));
  const te::Step s = step_of(call, 4);
  HONE_ASSIGN(made, te::elman_step(call.b, s, f[0]));
  return results(made);
}

Emitted emit_gated_step(const OpCall& call) {
  HONE_ASSIGN(f, activations_of(call, 2));
  const te::Step s = step_of(call, 4);
  HONE_ASSIGN(made, te::gated_step(call.b, s, {given(call, 5, "bias"), f[0], f[1]}));
  return results(made);
}

Emitted emit_long_short_step(const OpCall& call) {
  HONE_ASSIGN(f, activations_of(call, 3));
  const te::Step s = step_of(call, 5);
  const Tensor cell = call.tensor(4, "C"), peepholes = given(call, 6, "P");
  HONE_ASSIGN(made, te::long_short_step(call.b, s, {cell, peepholes, f[0], f[1], f[2], call.integer("input_forget", 0) != 0}));
  return results(made);
}

Emitted emit_associative_step(const OpCall& call) {
  te::Association a;
  a.query = call.tensor(0, "Q");
  a.key = call.tensor(1, "K");
  a.value = call.tensor(2, "V");
  a.state = call.tensor(3, "S");
  a.step = call.tensor(4, "step");
  a.decay = given(call, 5, "decay");
  a.beta = given(call, 6, "beta");
  a.query_heads = call.integer("q_num_heads", 1);
  a.key_heads = call.integer("kv_num_heads", 1);
  a.scale = call.number("scale", 1);
  HONE_ASSIGN(made, te::associative_step(call.b, a));
  return std::vector<Tensor>{made.y, made.state};
}

}  // namespace hone::graph
