#include "codegen/te/ops/attention.h"

#include <cmath>
#include <limits>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/movement.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

constexpr double kLowest = std::numeric_limits<float>::lowest();  // what kernels compute in

// An operand with its heads apart, wherever they lie.
struct Heads {
  Tensor tensor = nullptr;
  int64_t batch = 0, heads = 0, sequence = 0, features = 0;

  bool joined() const { return tensor->shape.size() == 3; }
  Sym at(Builder& b, Sym batch_of, Sym head, Sym place, Sym feature) const {
    if (joined()) return b.at(tensor, {batch_of, place, head * double(features) + feature});
    return b.at(tensor, {batch_of, head, place, feature});
  }
};

Result<Heads> heads_of(Tensor t, int64_t heads) {
  const Shape& s = t->shape;
  if (!ir::is_float(t->dtype)) return bad_model("expected elements of a float type");
  if (s.size() == 4 && s[1] > 0) return Heads{t, s[0], s[1], s[2], s[3]};
  if (s.size() != 3 || heads < 1 || s[2] % heads != 0)
    return bad_model(cat("an operand of shape ", shape_text(s), " does not fall into ", heads, " heads; expected rank 4, or rank 3 and the number of heads"));
  return Heads{t, s[0], heads, s[1], s[2] / heads};
}

// The operand as [batch, heads, sequence, features].
Result<Heads> apart(Builder& b, Heads x) {
  if (!x.joined()) return x;
  HONE_ASSIGN(parts, reshape(b, x.tensor, {x.batch, x.sequence, x.heads, x.features}));
  HONE_ASSIGN(turned, transpose(b, parts, {0, 2, 1, 3}));
  x.tensor = turned;
  return x;
}

// What is attended to: the past, if there is one, and what is new.
Result<Heads> with_past(Builder& b, Heads x, Tensor past, bool wanted) {
  if (!past && !wanted) return x;
  HONE_ASSIGN(own, apart(b, x));
  if (!past) return own;
  const Shape& s = past->shape;
  if (s.size() != 4 || s[0] != x.batch || s[1] != x.heads || s[3] != x.features || past->dtype != x.tensor->dtype)
    return bad_model(cat("a past of shape ", shape_text(s), " does not go before ", shape_text(own.tensor->shape)));
  HONE_ASSIGN(all, concat(b, {past, own.tensor}, 2));
  return Heads{all, x.batch, x.heads, s[2] + x.sequence, x.features};
}

struct Operands {
  Heads query, key, value;
  int64_t past = 0;
  int64_t sharing() const { return query.heads / key.heads; }  // heads of queries for one of keys
};

Status check_operands(const Operands& o, const Attention& a) {
  const bool fits = o.query.batch == o.key.batch && o.query.batch == o.value.batch && o.key.heads == o.value.heads && o.key.sequence == o.value.sequence &&
                    o.query.features == o.key.features && o.query.heads % o.key.heads == 0 && a.key->dtype == a.query->dtype && a.value->dtype == a.query->dtype &&
                    a.query->shape.size() == a.key->shape.size() && a.query->shape.size() == a.value->shape.size();
  if (!fits)
    return bad_model(cat("queries, keys and values of shapes ", shape_text(a.query->shape), ", ", shape_text(a.key->shape), " and ", shape_text(a.value->shape), " do not fit"));
  if (a.lengths && (a.lengths->shape != Shape{o.query.batch} || !ir::is_int(a.lengths->dtype) || a.past_key))
    return bad_model(cat("lengths of shape ", shape_text(a.lengths->shape), " do not fit; expected ", o.query.batch, " whole numbers, and no past"));
  if (a.keys_before < -1 || a.keys_behind < -1 || !(a.cap >= 0) || !std::isfinite(a.scale)) return bad_model("a window, a cap or a scale is out of range");
  return ok_status();
}

Status check_mask(const Operands& o, const Attention& a) {
  if (!a.mask) return ok_status();
  Shape shape = a.mask->shape;
  const bool typed = a.mask->dtype == DType::kBool || a.mask->dtype == a.query->dtype;
  bool fits = typed && !shape.empty() && shape.size() <= 4 && shape.back() <= o.key.sequence;
  if (fits) shape.back() = o.key.sequence;
  const Shape wanted{o.query.batch, o.query.heads, o.query.sequence, o.key.sequence};
  const auto joint = broadcast_shapes(shape, wanted);
  if (fits && joint.ok() && *joint == wanted) return ok_status();
  return bad_model(cat("a mask of shape ", shape_text(a.mask->shape), " does not fit scores of shape ", shape_text(wanted), "; expected booleans, or numbers of the query's type"));
}

Result<Operands> operands_of(Builder& b, const Attention& a) {
  HONE_ASSIGN(query, heads_of(a.query, a.query_heads));
  HONE_ASSIGN(key, heads_of(a.key, a.key_heads));
  HONE_ASSIGN(value, heads_of(a.value, a.key_heads));
  Operands out{query, key, value};
  HONE_TRY(check_operands(out, a));
  if (!a.past_key != !a.past_value) return bad_model("there is a past of keys or of values alone; expected both or none");
  if (a.past_key && a.past_key->shape.size() == 4) out.past = a.past_key->shape[2];
  HONE_ASSIGN(keys, with_past(b, key, a.past_key, a.present));
  HONE_ASSIGN(values, with_past(b, value, a.past_value, a.present));
  out.key = keys;
  out.value = values;
  HONE_TRY(check_operands(out, a));
  HONE_TRY(check_mask(out, a));
  return out;
}

// The scores, and what each query may see of them.
class Scoring {
 public:
  Scoring(Builder& b, const Attention& a, const Operands& o) : b_(b), a_(a), o_(o) {}

  std::vector<Axis> axes() { return b_.axes({"b", "h", "m", "n"}, {o_.query.batch, o_.query.heads, o_.query.sequence, o_.key.sequence}); }

  Tensor products() {
    const std::vector<Axis> all = axes(), k = b_.axes({"k"}, {o_.query.features});
    const std::vector<Sym> at = b_.syms(all);
    const Sym feature = b_.sym(k[0]);
    const Sym q = o_.query.at(b_, at[0], at[1], at[2], feature), key = o_.key.at(b_, at[0], key_head(at[1]), at[3], feature);
    const double scale = a_.scale != 0 ? a_.scale : 1 / std::sqrt(double(std::max<int64_t>(o_.query.features, 1)));
    return b_.reduce("scores", all, k, Fold::kSum, q * key, [&](Sym acc) { return acc * scale; });
  }

  Tensor capped(Tensor scores) {
    return map("capped", [&](const std::vector<Sym>& at) { return tangent_hyperbolic(b_.at(scores, at) / a_.cap) * a_.cap; });
  }

  // With `hidden` where a query may not see the key.
  Tensor masked(std::string_view name, Tensor scores, double hidden) {
    return map(name, [&](const std::vector<Sym>& at) { return where_seen(at, biased(scores, at), b_.constant(scores->dtype, hidden)); });
  }

  // e^(score − the largest), 0 where it may not be seen.
  Tensor powers(Tensor scores, Tensor largest) {
    return map("exp", [&](const std::vector<Sym>& at) {
      // A row of nothing but −∞ has no largest score; each power is 0 then.
      const Sym score = b_.at(scores, at), row = max(b_.at(largest, {at[0], at[1], at[2], b_.index(0)}), kLowest);
      return where_seen(at, exponential(score - row), b_.constant(scores->dtype, 0));
    });
  }

  Tensor probabilities(Tensor powers, Tensor sums) {
    return map("probabilities", [&](const std::vector<Sym>& at) {
      const Sym power = b_.at(powers, at), sum = b_.at(sums, {at[0], at[1], at[2], b_.index(0)});
      return select(sum == 0.0, sum.number(0), power * (sum.number(1) / sum));
    });
  }

  Sym key_head(Sym head) const { return o_.sharing() == 1 ? head : head / double(o_.sharing()); }

 private:
  Tensor map(std::string_view name, const std::function<Sym(const std::vector<Sym>&)>& value) {
    const std::vector<Axis> all = axes();
    return b_.map(name, all, value(b_.syms(all)));
  }

  // Of the mask's own shape; its last dimension is not broadcast.
  Sym mask_at(const std::vector<Sym>& at) {
    std::vector<Sym> index = broadcast_index(b_, at, a_.mask->shape);
    index.back() = at[3];
    if (shorter()) index.back() = min(at[3], double(a_.mask->shape.back() - 1));
    return b_.at(a_.mask, index);
  }
  bool shorter() const { return a_.mask && a_.mask->shape.back() < o_.key.sequence; }
  bool all_hidden() const { return a_.mask && a_.mask->shape.back() == 0; }

  Sym biased(Tensor scores, const std::vector<Sym>& at) {
    const Sym score = b_.at(scores, at);
    if (!a_.mask || a_.mask->dtype == DType::kBool || all_hidden()) return score;
    return score + mask_at(at);
  }

  // How many keys there are in this row of the batch.
  Sym length(Sym batch) {
    const Sym given = b_.at(a_.lengths, {batch});
    return max(min(cast(DType::kIndex, given), double(o_.key.sequence)), 0.0);
  }

  Sym offset(Sym batch) {
    if (a_.lengths) return length(batch) - double(o_.query.sequence);
    return b_.index(o_.past);
  }

  Sym where_seen(const std::vector<Sym>& at, Sym yes, Sym no) {
    std::vector<Sym> conditions;
    if (a_.mask && a_.mask->dtype == DType::kBool && !all_hidden()) conditions.push_back(mask_at(at));
    if (shorter()) conditions.push_back(at[3] < double(a_.mask->shape.back()));
    if (a_.lengths) conditions.push_back(at[3] < length(at[0]));
    if (a_.causal || a_.keys_before >= 0 || a_.keys_behind >= 0) {
      const Sym place = at[2] + offset(at[0]);
      if (a_.causal) conditions.push_back(at[3] <= place);
      if (a_.keys_before >= 0) conditions.push_back(place <= at[3] + double(std::min(a_.keys_before, o_.key.sequence + o_.query.sequence)));
      if (a_.keys_behind >= 0) conditions.push_back(at[3] <= place + double(std::min(a_.keys_behind, o_.key.sequence + o_.query.sequence)));
    }
    if (conditions.empty()) return yes;
    Sym all = conditions[0];
    for (size_t i = 1; i < conditions.size(); i++) all = both(all, conditions[i]);
    return select(all, yes, no);
  }

  Builder& b_;
  const Attention& a_;
  const Operands& o_;
};

Result<Tensor> weighted_values(Builder& b, const Operands& o, const Scoring& scoring, Tensor weights) {
  const bool joined = o.query.joined();
  const Shape shape = joined ? Shape{o.query.batch, o.query.sequence, o.query.heads, o.value.features} : Shape{o.query.batch, o.query.heads, o.query.sequence, o.value.features};
  const std::vector<Axis> axes = b.axes(joined ? std::vector<std::string>{"b", "m", "h", "n"} : std::vector<std::string>{"b", "h", "m", "n"}, shape);
  const std::vector<Axis> k = b.axes({"k"}, {o.key.sequence});
  const std::vector<Sym> at = b.syms(axes);
  const Sym head = at[joined ? 2 : 1], query = at[joined ? 1 : 2], key = b.sym(k[0]);
  const Sym weight = b.at(weights, {at[0], head, query, key}), value = o.value.at(b, at[0], scoring.key_head(head), key, at[3]);
  const Tensor y = b.reduce("Y", axes, k, Fold::kSum, weight * value);
  if (!joined) return y;
  return reshape(b, y, {o.query.batch, o.query.sequence, o.query.heads * o.value.features});
}

// A result is written, also where it is an input as it came.
Tensor written(Builder& b, Tensor present, Tensor input) {
  if (present != input) return present;
  return unary(b, "present", input, [](Sym v) { return v; });
}

}  // namespace

Result<Attended> attend(Builder& b, const Attention& a) {
  HONE_ASSIGN(o, operands_of(b, a));
  Scoring scoring(b, a, o);
  const Tensor products = scoring.products();
  const Tensor capped = a.cap > 0 ? scoring.capped(products) : products;
  const Tensor seen = scoring.masked("masked", capped, kLowest);
  HONE_ASSIGN(largest, reduce_over(b, "max", seen, {{3}, true}, {Fold::kMaxOrdered}));
  const Tensor powers = scoring.powers(seen, largest);
  HONE_ASSIGN(sums, reduce_over(b, "sum", powers, {{3}, true}, {Fold::kSum}));
  const Tensor weights = scoring.probabilities(powers, sums);
  Attended out;
  HONE_ASSIGN(y, weighted_values(b, o, scoring, weights));
  out.y = y;
  if (a.past_key || a.present) {
    out.present_key = written(b, o.key.tensor, a.key);
    out.present_value = written(b, o.value.tensor, a.value);
  }
  if (a.scores == Scores::kProducts) out.scores = products;
  if (a.scores == Scores::kCapped) out.scores = capped;
  if (a.scores == Scores::kMasked) out.scores = scoring.masked("biased", capped, -std::numeric_limits<double>::infinity());
  if (a.scores == Scores::kProbabilities) out.scores = weights;
  return out;
}

}  // namespace hone::te
