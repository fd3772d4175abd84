#include "codegen/te/ops/grams.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/window.h"

namespace hone::te {
namespace {

Status check_grams(Tensor x, const Grams& g) {
  const Shape& pool = g.pool->shape;
  const bool fits = !x->shape.empty() && pool.size() == 2 && pool[1] >= 1 && pool[1] <= kGramMax && g.lengths->shape == Shape{pool[0]} && g.weights->shape == Shape{pool[0]};
  const bool typed = ir::is_int(x->dtype) && g.pool->dtype == x->dtype && ir::is_int(g.lengths->dtype) && g.weights->dtype == DType::kF32;
  if (!fits || !typed) return bad_model(cat("grams of shape ", shape_text(pool), " do not fit rows of shape ", shape_text(x->shape), "; expected whole numbers, ", kGramMax, " of a gram at most"));
  if (g.skips_max < 0 || g.skips_max > kWindowMax) return bad_model(cat("skips of ", g.skips_max, " elements are out of range; expected 0 to ", kWindowMax));
  return ok_status();
}

// Does the gram begin at `start`, with `skip` elements between two of its own?
Sym occurs(Builder& b, Tensor x, const Grams& g, std::vector<Sym> row, Sym gram, Sym start, Sym skip) {
  const Sym length = cast(DType::kIndex, b.at(g.lengths, {gram}));
  Sym all = both(0.0 < length, either(skip == 0.0, 1.0 < length));
  for (int64_t l = 0; l < g.pool->shape[1]; l++) {
    const Sym at = start + (skip + 1.0) * double(l);
    row.back() = min(at, double(x->shape.back() - 1));
    const Sym own = b.at(x, row), wanted = b.at(g.pool, {gram, b.index(l)});
    all = both(all, either(length <= double(l), both(at < double(x->shape.back()), own == wanted)));
  }
  return all;
}

}  // namespace

Result<Tensor> counted_grams(Builder& b, Tensor x, const Grams& g) {
  HONE_TRY(check_grams(x, g));
  Shape shape = x->shape;
  shape.back() = g.pool->shape[0];
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape), near = b.axes({"s", "r"}, {g.skips_max + 1, x->shape.back()});
  const std::vector<Sym> at = b.syms(axes), r = b.syms(near);
  const Sym one = b.constant(DType::kF32, 1);
  const Tensor counts = b.reduce("counts", axes, near, Fold::kSum, select(occurs(b, x, g, at, at.back(), r[1], r[0]), one, one.number(0)));
  const std::vector<Axis> all = b.axes(map_axis_names(b, shape, {}), shape);
  const std::vector<Sym> of = b.syms(all);
  const Sym count = b.at(counts, of), weight = b.at(g.weights, {of.back()});
  if (g.weight == GramWeight::kCount) return b.map("Y", all, count);
  return b.map("Y", all, g.weight == GramWeight::kPresence ? select(0.0 < count, weight, weight.number(0)) : count * weight);
}

}  // namespace hone::te
