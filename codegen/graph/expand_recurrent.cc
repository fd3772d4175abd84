// Recurrent operators: one product for all places of a sequence, and a walk along them, whose places are all the same task.
#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/graph/along_sequence.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

// What a layer is made of: gates in W and R, functions of each direction, inputs behind those that all have.
struct Kind {
  std::string_view op, step;
  int64_t gates = 1;
  std::vector<std::string> activations;  // by default
};

const Kind* kind_of(std::string_view op) {
  static const Kind kKinds[] = {{"RNN", "hone.ElmanStep", 1, {"Tanh"}}, {"GRU", "hone.GatedStep", 3, {"Sigmoid", "Tanh"}}, {"LSTM", "hone.LongShortStep", 4, {"Sigmoid", "Tanh", "Tanh"}}};
  const auto it = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.op == op; });
  return it == std::end(kKinds) ? nullptr : it;
}

// One layer in one or two directions.
class Layer {
 public:
  Layer(NodeWriter& nodes, const OpCall& call, const Kind& kind) : call_(call), kind_(kind), nodes_(nodes) {}

  Status read();
  std::vector<ValueId> expand();

 private:
  struct Direction {
    ValueId y = kNoValue, hidden = kNoValue, cell = kNoValue;
  };
  Status read_shapes();
  Status read_activations();
  bool is_long_short() const { return kind_.op == "LSTM"; }
  bool reverse(int64_t d) const { return d == 1 || direction_ == "reverse"; }
  bool runs_from_end(int64_t d) const { return reverse(d) && call_.id(4) == kNoValue; }
  ValueId state(size_t input, int64_t d);
  ValueId biases(int64_t d);
  ValueId projected(int64_t d);
  ValueId reset_bias(int64_t d);
  Attributes attributes(int64_t d) const;
  // Of one place: the state behind it and, of an LSTM, the cell's; and what the layer gives there.
  struct Made {
    std::vector<ValueId> states;
    ValueId y;
  };
  struct Reads {
    ValueId all, recurrent, lengths, more;  // of all places; of the state before; where each sequence ends, or none; biases or peepholes, or none
  };
  Made step(int64_t d, const Reads& reads, int64_t place, const std::vector<ValueId>& before);
  Walked write_out(int64_t d, Reads reads, const Places& places);
  Direction run(int64_t d);

  const OpCall& call_;
  const Kind& kind_;
  NodeWriter& nodes_;
  std::string direction_;
  std::vector<std::string> activations_;
  std::vector<double> alphas_, betas_;
  int64_t time_ = 0, batch_ = 0, units_ = 0, directions_ = 1;
  bool batch_first_ = false, reset_after_ = false;
  ValueId inputs_ = kNoValue;  // [time, batch, features]
};

Status Layer::read_shapes() {
  const Shape &x = call_.value(0).shape, &w = call_.value(1).shape, &r = call_.value(2).shape;
  direction_ = call_.text("direction", "forward");
  if (direction_ != "forward" && direction_ != "reverse" && direction_ != "bidirectional") return bad_node(cat("direction '", direction_, "' is not defined; expected forward, reverse or bidirectional"));
  directions_ = direction_ == "bidirectional" ? 2 : 1;
  batch_first_ = call_.integer("layout", 0) != 0;
  reset_after_ = call_.integer("linear_before_reset", 0) != 0;
  const bool ranks = x.size() == 3 && w.size() == 3 && r.size() == 3;
  units_ = ranks ? r[2] : 0;
  if (!ranks || w != Shape{directions_, kind_.gates * units_, x[2]} || r != Shape{directions_, kind_.gates * units_, units_})
    return bad_node(cat("inputs and weights of shapes ", te::shape_text(x), ", ", te::shape_text(w), " and ", te::shape_text(r), " do not fit ", directions_, " direction(s)"));
  if (call_.integer("hidden_size", units_) != units_) return bad_node(cat("hidden_size ", call_.integer("hidden_size", units_), " differs from its weights' ", units_));
  time_ = x[batch_first_ ? 1 : 0];
  batch_ = x[batch_first_ ? 0 : 1];
  if (time_ < 1) return Error{ErrorCode::kUnsupported, "a sequence of no elements is not supported"};
  return ok_status();
}

bool takes_alpha(std::string_view f) { return f == "Affine" || f == "LeakyRelu" || f == "ThresholdedRelu" || f == "ScaledTanh" || f == "HardSigmoid" || f == "Elu"; }
bool takes_beta(std::string_view f) { return f == "Affine" || f == "ScaledTanh" || f == "HardSigmoid"; }
double alpha_of(std::string_view f) { return f == "LeakyRelu" ? 0.01 : f == "HardSigmoid" ? 0.2 : 1; }
double beta_of(std::string_view f) { return f == "HardSigmoid" ? 0.5 : f == "ScaledTanh" ? 1 : 0; }

// Parameters are given in the order of the functions that take one.
Status Layer::read_activations() {
  activations_ = call_.texts("activations");
  const size_t count = kind_.activations.size() * static_cast<size_t>(directions_);
  for (int64_t d = 0; d < directions_ && !call_.has_attribute("activations"); d++) activations_.insert(activations_.end(), kind_.activations.begin(), kind_.activations.end());
  if (activations_.size() != count) return bad_node(cat("has ", activations_.size(), " activations; expected ", count));
  const std::vector<double> alphas = call_.numbers("activation_alpha"), betas = call_.numbers("activation_beta");
  size_t alpha = 0, beta = 0;
  for (const std::string& f : activations_) {
    alphas_.push_back(takes_alpha(f) && alpha < alphas.size() ? alphas[alpha++] : alpha_of(f));
    betas_.push_back(takes_beta(f) && beta < betas.size() ? betas[beta++] : beta_of(f));
  }
  return ok_status();
}

Status Layer::read() {
  HONE_TRY(read_shapes());
  HONE_TRY(read_activations());
  call_.number("clip", 0);
  return call_.attributes_read();
}

// The state of a direction that the model gives, or zeros: [1, batch, units].
ValueId Layer::state(size_t input, int64_t d) {
  if (call_.id(input) == kNoValue) return nodes_.zeros(call_.value(0).dtype, {1, batch_, units_});
  const ValueId all = batch_first_ ? nodes_.transposed(call_.id(input), {1, 0, 2}) : call_.id(input);
  return directions_ == 1 ? all : nodes_.part(all, d, d + 1);
}

// Those of inputs and of the state before, added: [gates · units].
ValueId Layer::biases(int64_t d) {
  const ValueId both = nodes_.row(call_.id(3), d);
  const int64_t whole = kind_.gates * units_, added = reset_after_ && kind_.op == "GRU" ? 2 * units_ : whole;
  const ValueId inputs = nodes_.part(both, 0, whole), state = nodes_.part(both, whole, whole + added);
  if (added == whole) return nodes_.add("Add", {inputs, state});
  return nodes_.add("Add", {inputs, nodes_.joined({state, nodes_.zeros(call_.value(0).dtype, {units_})}, 0)});
}

// The inputs' part of every gate, at all places: [time, batch, gates · units].
ValueId Layer::projected(int64_t d) {
  const ValueId weights = nodes_.transposed(nodes_.row(call_.id(1), d), {1, 0});
  ValueId x = inputs_;
  if (reverse(d) && call_.id(4) != kNoValue) x = nodes_.add("ReverseSequence", {x, call_.id(4)}, {{"time_axis", int64_t{0}}, {"batch_axis", int64_t{1}}});
  const ValueId product = nodes_.add("MatMul", {x, weights});
  return call_.id(3) == kNoValue ? product : nodes_.add("Add", {product, biases(d)});
}

ValueId Layer::reset_bias(int64_t d) {
  if (call_.id(3) == kNoValue) return nodes_.zeros(call_.value(0).dtype, {units_});
  return nodes_.part(nodes_.row(call_.id(3), d), 5 * units_, 6 * units_);
}

Attributes Layer::attributes(int64_t d) const {
  const auto count = static_cast<std::ptrdiff_t>(kind_.activations.size());
  const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(d) * count;
  const auto of = [&](const auto& all) { return std::vector(all.begin() + first, all.begin() + first + count); };
  return {{"activations", of(activations_)}, {"activation_alpha", of(alphas_)}, {"activation_beta", of(betas_)}, {"clip", call_.number("clip", 0)}, {"input_forget", call_.integer("input_forget", 0)}};
}

// `place`: among those that `reads.all` has.
Layer::Made Layer::step(int64_t d, const Reads& reads, int64_t place, const std::vector<ValueId>& before) {
  std::vector<ValueId> inputs{reads.all, nodes_.number(DType::kI64, double(place)), reads.recurrent};
  inputs.insert(inputs.end(), before.begin(), before.end());
  inputs.insert(inputs.end(), {reads.lengths, reads.more});
  // The result of a place is the state, but for sequences that have ended.
  const size_t states = before.size();
  std::vector<ValueId> made = nodes_.add_all(kind_.step, inputs, attributes(d), reads.lengths == kNoValue ? states : states + 1);
  const ValueId y = reads.lengths == kNoValue ? made[0] : made.back();
  made.resize(states);
  return {std::move(made), y};
}

Walked Layer::write_out(int64_t d, Reads reads, const Places& places) {
  reads.all = places.reads[0];
  if (reads.lengths != kNoValue && places.first != kNoValue)
    reads.lengths = nodes_.add("Sub", {nodes_.add("Clip", {nodes_.add("Cast", {reads.lengths}, {{"to", int64_t{7}}}), nodes_.number(DType::kI64, 0), nodes_.number(DType::kI64, double(time_))}), places.first});
  std::vector<ValueId> y(static_cast<size_t>(places.count)), at = places.states;
  for (int64_t i = 0; i < places.count; i++) {
    const int64_t place = runs_from_end(d) ? places.count - 1 - i : i;
    Made made = step(d, reads, place, at);
    y[static_cast<size_t>(place)] = made.y;
    at = std::move(made.states);
  }
  return {call_.wants_output(0) ? nodes_.joined(y, 0) : kNoValue, at};
}

// A sequence with a length of its own is reversed up to there, so it runs forward; else its places are run through from the end.
Layer::Direction Layer::run(int64_t d) {
  const ValueId lengths = call_.id(4);
  Reads reads{.all = kNoValue, .recurrent = nodes_.row(call_.id(2), d), .lengths = lengths, .more = kNoValue};
  if (is_long_short() && call_.id(7) != kNoValue) reads.more = nodes_.row(call_.id(7), d);
  if (kind_.op == "GRU" && reset_after_) reads.more = reset_bias(d);
  Walk along{.reads = {{projected(d), {time_, batch_, kind_.gates * units_}}}, .states = {state(5, d)}, .places = time_, .from_end = runs_from_end(d), .dtype = call_.value(0).dtype, .y = {}, .block = kPlacesWritten};
  if (is_long_short()) along.states.push_back(state(6, d));
  if (call_.wants_output(0)) along.y = {time_, batch_, units_};
  const Walked walked = walk(nodes_, along, [&](const Places& places) { return write_out(d, reads, places); });
  Direction out{walked.y, walked.states[0], is_long_short() ? walked.states[1] : kNoValue};
  if (!call_.wants_output(0)) return out;
  if (reverse(d) && lengths != kNoValue) out.y = nodes_.add("ReverseSequence", {out.y, lengths}, {{"time_axis", int64_t{0}}, {"batch_axis", int64_t{1}}});
  out.y = nodes_.add("Unsqueeze", {out.y, nodes_.list({1})});
  return out;
}

std::vector<ValueId> Layer::expand() {
  inputs_ = batch_first_ ? nodes_.transposed(call_.id(0), {1, 0, 2}) : call_.id(0);
  std::vector<ValueId> y, hidden, cell;
  for (int64_t d = 0; d < directions_; d++) {
    const Direction one = run(d);
    y.push_back(one.y);
    hidden.push_back(one.hidden);
    cell.push_back(one.cell);
  }
  std::vector<ValueId> out(call_.node.outputs.size(), kNoValue);
  if (call_.wants_output(0)) out[0] = nodes_.joined(y, 1);
  if (call_.wants_output(0) && batch_first_) out[0] = nodes_.transposed(out[0], {2, 0, 1, 3});
  for (size_t i = 1; i < out.size() && i < 3; i++) {
    if (!call_.wants_output(i)) continue;
    out[i] = nodes_.joined(i == 1 ? hidden : cell, 0);
    if (batch_first_) out[i] = nodes_.transposed(out[i], {1, 0, 2});
  }
  return out;
}

// Places of queries, keys, values and, where there are any, decays and rates.
Walked associate(NodeWriter& nodes, const Places& places, const Attributes& attributes, bool has_decay, bool has_rate) {
  std::vector<ValueId> y;
  ValueId state = places.states[0];
  const ValueId decay = has_decay ? places.reads[3] : kNoValue, rate = has_rate ? places.reads.back() : kNoValue;
  for (int64_t i = 0; i < places.count; i++) {
    const std::vector<ValueId> made = nodes.add_all("hone.AssociativeStep", {places.reads[0], places.reads[1], places.reads[2], state, nodes.number(DType::kI64, double(i)), decay, rate}, attributes, 2);
    y.push_back(made[0]);
    state = made[1];
  }
  return {nodes.joined(y, 1), {state}};
}

}  // namespace

Expanded expand_linear_attention(NodeWriter& nodes, const OpCall& call) {
  const int64_t heads = call.integer("kv_num_heads", 0), queries = call.integer("q_num_heads", 0);
  const Shape q = call.value(0).shape, v = call.value(2).shape;  // copies: values are added
  if (heads < 1 || queries < 1 || q.size() != 3 || v.size() != 3 || q[2] % queries != 0 || v[2] % heads != 0 || q[1] < 1)
    return bad_node(cat("queries and values of shapes ", te::shape_text(q), " and ", te::shape_text(v), " do not fall into ", queries, " and ", heads, " heads"));
  const std::string rule = call.text("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta", delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear") return bad_node(cat("update_rule '", rule, "' is not defined; expected linear, gated, delta or gated_delta"));
  if (gated != call.has_input(4) || delta != call.has_input(5)) return bad_node(cat("update_rule '", rule, "' takes ", gated ? "a" : "no", " decay and ", delta ? "a" : "no", " rate"));
  const double scale = call.number("scale", 0), features = double(q[2] / queries);
  call.integer("chunk_size", 0);
  HONE_TRY(call.attributes_read());
  const Attributes attributes{{"q_num_heads", queries}, {"kv_num_heads", heads}, {"scale", scale != 0 ? scale : 1 / std::sqrt(std::max(features, 1.0))}};
  const DType dtype = call.value(0).dtype;
  const ValueId state = call.has_input(3) ? call.id(3) : nodes.zeros(dtype, {q[0], heads, q[2] / queries, v[2] / heads});
  const int64_t width = queries * (v[2] / heads);
  Walk along{.reads = {{call.id(0), q}, {call.id(1), call.value(1).shape}, {call.id(2), v}}, .states = {state}, .axis = 1, .places = q[1], .dtype = dtype, .y = {q[0], q[1], width}, .block = kPlacesWritten};
  for (size_t i : {4, 5})
    if (call.has_input(i)) along.reads.push_back({call.id(i), call.value(i).shape});
  const Walked walked = walk(nodes, along, [&](const Places& places) { return associate(nodes, places, attributes, call.has_input(4), call.has_input(5)); });
  return std::vector<ValueId>{walked.y, walked.states[0]};
}

Expanded expand_recurrent(NodeWriter& nodes, const OpCall& call) {
  if (!ir::is_float(call.value(0).dtype)) return bad_node("expected a sequence of a float type");
  Layer layer(nodes, call, *kind_of(call.node.op));
  HONE_TRY(layer.read());
  return layer.expand();
}

// Both directions of a layer, whichever dimension is the time.
Result<int64_t> recurrent_steps(const OpCall& call) {
  const Shape& x = call.value(0).shape;
  if (x.size() != 3) return bad_node(cat("an input of shape ", te::shape_text(x), " is no sequence; expected rank 3"));
  return 2 * std::min(std::max(x[0], x[1]), 2 * kPlacesWritten);
}

}  // namespace hone::graph
