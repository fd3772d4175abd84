// Attention, and what trains what attends: losses over classes.
#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/attention.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/losses.h"
#include "codegen/te/ops/reductions.h"

namespace hone::graph {
namespace {

using te::Tensor;

Result<te::Scores> scores_wanted(const OpCall& call) {
  if (!call.wants_output(3)) return te::Scores::kNone;
  switch (call.integer("qk_matmul_output_mode", 0)) {
    case 0:
      return te::Scores::kProducts;
    case 1:
      return te::Scores::kCapped;
    case 2:
      return te::Scores::kMasked;
    case 3:
      return te::Scores::kProbabilities;
    default:
      return bad_node(cat("qk_matmul_output_mode ", call.integer("qk_matmul_output_mode", 0), " is out of range; expected 0 to 3"));
  }
}

Result<te::LossOver> loss_over(const OpCall& call) {
  const std::string over = call.text("reduction", "mean");
  if (over == "none") return te::LossOver::kEach;
  if (over == "sum") return te::LossOver::kSum;
  if (over == "mean") return te::LossOver::kMean;
  return bad_node(cat("reduction '", over, "' is not defined; expected none, sum or mean"));
}

Result<te::ClassLoss> class_loss_of(const OpCall& call) {
  te::ClassLoss loss;
  HONE_ASSIGN(over, loss_over(call));
  loss.over = over;
  if (call.has_attribute("ignore_index")) loss.ignored = call.integer("ignore_index", 0);
  if (call.has_input(2)) loss.weight = call.tensor(2, "weight");
  return loss;
}

}  // namespace

Emitted emit_attention(const OpCall& call) {
  te::Attention a;
  const auto given = [&](size_t i, std::string_view name) { return call.has_input(i) ? call.tensor(i, name) : nullptr; };
  a.query = call.tensor(0, "Q");
  a.key = call.tensor(1, "K");
  a.value = call.tensor(2, "V");
  a.mask = given(3, "mask");
  a.past_key = given(4, "past_key");
  a.past_value = given(5, "past_value");
  a.lengths = given(6, "lengths");
  a.query_heads = call.integer("q_num_heads", 0);
  a.key_heads = call.integer("kv_num_heads", 0);
  a.scale = call.number("scale", 0);
  a.cap = call.number("softcap", 0);
  a.causal = call.integer("is_causal", 0) != 0;
  a.keys_before = call.integer("left_window_size", -1);
  a.keys_behind = call.integer("right_window_size", -1);
  a.present = call.wants_output(1) || call.wants_output(2);
  HONE_ASSIGN(scores, scores_wanted(call));
  a.scores = scores;
  HONE_ASSIGN(out, te::attend(call.b, a));
  return std::vector<Tensor>{out.y, out.present_key, out.present_value, out.scores};
}

std::string describe_attention(const OpCall& call) {
  return cat(te::shape_text(call.value(0).shape), ",", te::shape_text(call.value(1).shape), ",", te::shape_text(call.value(2).shape));
}

Emitted emit_class_loss(const OpCall& call) {
  const Tensor x = call.tensor(0, "X"), labels = call.tensor(1, "labels");
  HONE_ASSIGN(loss, class_loss_of(call));
  return one_output(te::class_loss(call.b, x, labels, loss));
}

Emitted emit_softmax_loss(const OpCall& call) {
  const Tensor x = call.tensor(0, "X"), labels = call.tensor(1, "labels");
  HONE_ASSIGN(loss, class_loss_of(call));
  HONE_ASSIGN(logarithms, te::softmax(call.b, x, {1}, true));
  HONE_ASSIGN(y, te::class_loss(call.b, logarithms, labels, loss));
  return std::vector<Tensor>{y, logarithms};
}

}  // namespace hone::graph
