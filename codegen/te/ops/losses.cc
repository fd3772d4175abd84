#include "codegen/te/ops/losses.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/reshape.h"

namespace hone::te {
namespace {

Status check_loss(Tensor x, Tensor labels, const ClassLoss& loss) {
  const Shape& s = x->shape;
  Shape wanted = s;
  if (s.size() >= 2) wanted.erase(wanted.begin() + 1);
  if (s.size() < 2 || s[1] < 1 || labels->shape != wanted || !ir::is_int(labels->dtype) || !ir::is_float(x->dtype))
    return bad_model(cat("labels of shape ", shape_text(labels->shape), " do not fit predictions of shape ", shape_text(s), "; expected a whole number for each, and classes along dimension 1"));
  if (loss.weight && (loss.weight->shape != Shape{s[1]} || loss.weight->dtype != x->dtype))
    return bad_model(cat("weights of shape ", shape_text(loss.weight->shape), " do not fit; expected ", s[1], " of the predictions' type"));
  return ok_status();
}

// A Map over the labels: `value` of the label's place and its class.
Tensor over_labels(Builder& b, std::string_view name, Tensor labels, int64_t classes, const std::function<Sym(const std::vector<Sym>& at, Sym label, Sym of)>& value) {
  const std::vector<Axis> axes = b.axes(map_axis_names(b, labels->shape, {}), labels->shape);
  const std::vector<Sym> at = b.syms(axes);
  const Sym label = b.at(labels, at);
  const Sym of = max(min(cast(DType::kIndex, label), double(classes - 1)), 0.0);
  return b.map(name, axes, value(at, label, of));
}

Sym weight_of(Builder& b, const ClassLoss& loss, DType dtype, Sym label, Sym of) {
  const Sym weight = loss.weight ? b.at(loss.weight, {of}) : b.constant(dtype, 1);
  return loss.ignored ? select(label == double(*loss.ignored), weight.number(0), weight) : weight;
}

// The sum of all elements, or their mean, in two steps of about √n terms each: more threads have work, and f32 loses less.
Result<Tensor> total(Builder& b, std::string_view name, Tensor x, bool mean) {
  const int64_t count = ir::element_count(x->shape);
  int64_t inner = 1;
  for (size_t d = x->shape.size(); d-- > 1 && double(inner) * double(inner) < double(count);) inner *= x->shape[d];
  if (inner > 1) {
    HONE_ASSIGN(rows, reshape(b, x, {count / inner, inner}));
    HONE_ASSIGN(sums, reduce_over(b, cat(name, ".rows"), rows, {{1}, false}, {Fold::kSum}));
    x = sums;
  }
  ReductionParams all{{}, false};
  for (size_t d = 0; d < x->shape.size(); d++) all.axes.push_back(static_cast<int64_t>(d));
  ReductionRule rule{Fold::kSum};
  if (mean) rule.finish = [count](Sym acc, double) { return acc / double(count); };
  return reduce_over(b, name, x, all, rule);
}

}  // namespace

Result<Tensor> class_loss(Builder& b, Tensor x, Tensor labels, const ClassLoss& loss) {
  HONE_TRY(check_loss(x, labels, loss));
  const bool weighted = loss.weight || loss.ignored;
  const Tensor each = over_labels(b, "losses", labels, x->shape[1], [&](const std::vector<Sym>& at, Sym label, Sym of) {
    std::vector<Sym> index = at;
    index.insert(index.begin() + 1, of);
    const Sym value = b.at(x, index);
    return weighted ? -(value * weight_of(b, loss, x->dtype, label, of)) : -value;
  });
  if (loss.over == LossOver::kEach) return each;
  HONE_ASSIGN(sum, total(b, "loss", each, loss.over == LossOver::kMean && !weighted));
  if (loss.over == LossOver::kSum || !weighted) return sum;
  const Tensor weights = over_labels(b, "weights", labels, x->shape[1], [&](const std::vector<Sym>&, Sym label, Sym of) { return weight_of(b, loss, x->dtype, label, of); });
  HONE_ASSIGN(weight, total(b, "weight", weights, false));
  return elementwise(b, "mean", {Operand::of(sum), Operand::of(weight)}, [](const std::vector<Sym>& v) { return v[0] / v[1]; });
}

}  // namespace hone::te
