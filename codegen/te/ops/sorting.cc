#include "codegen/te/ops/sorting.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::te {
namespace {

// How many elements of the same row go before each.
Tensor ranks(Builder& b, Tensor x, const Best& best) {
  const auto along = static_cast<size_t>(best.axis);
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {}), x->shape), r = b.axes({"r"}, {x->shape[along]});
  const std::vector<Sym> at = b.syms(axes);
  std::vector<Sym> near = at;
  near[along] = b.sym(r[0]);
  const Sym own = b.at(x, at), other = b.at(x, near);
  const Sym better = best.largest ? own < other : other < own;
  const Sym before = either(better, both(own == other, near[along] < at[along]));
  const Sym one = b.constant(DType::kI32, 1);
  return b.reduce("rank", axes, r, Fold::kSum, select(before, one, one.number(0)));
}

// Which element has each rank. Where elements are not comparable several have one, and their places add up to no place.
Tensor places(Builder& b, Tensor rank, Shape shape, const Best& best) {
  const auto along = static_cast<size_t>(best.axis);
  const int64_t extent = shape[along];
  shape[along] = best.count;
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape), r = b.axes({"r"}, {extent});
  std::vector<Sym> near = b.syms(axes);
  const Sym wanted = cast(DType::kI32, near[along]), source = b.sym(r[0]);
  near[along] = source;
  const Sym has = b.at(rank, near);
  return b.reduce("places", axes, r, Fold::kSum, select(has == wanted, cast(DType::kI32, source), wanted.number(0)));
}

}  // namespace

Result<Chosen> best_of(Builder& b, Tensor x, const Best& best) {
  const bool has_axis = best.axis >= 0 && best.axis < static_cast<int64_t>(x->shape.size());
  if (!has_axis || best.count < 0 || best.count > x->shape[static_cast<size_t>(best.axis)] || x->dtype == DType::kBool)
    return bad_model(cat(best.count, " elements along axis ", best.axis, " cannot be chosen from an input of shape ", shape_text(x->shape)));
  const auto along = static_cast<size_t>(best.axis);
  const Tensor place = places(b, ranks(b, x, best), x->shape, best);
  const std::vector<Axis> axes = b.axes(map_axis_names(b, place->shape, {}), place->shape), all = b.axes(map_axis_names(b, place->shape, {}), place->shape);
  std::vector<Sym> at = b.syms(axes);
  const Sym of = b.at(place, at), number = b.at(place, b.syms(all));
  at[along] = max(min(cast(DType::kIndex, of), double(x->shape[along] - 1)), 0.0);
  return Chosen{b.map("Y", axes, b.at(x, at)), b.map("I", all, cast(DType::kI64, number))};
}

}  // namespace hone::te
