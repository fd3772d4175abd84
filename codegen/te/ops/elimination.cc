#include "codegen/te/ops/elimination.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

// The row of the largest element of the first column: [batch] i64.
Result<Tensor> pivot_rows(Builder& b, Tensor x) {
  const Shape column{x->shape[0], x->shape[1]};
  const std::vector<Axis> axes = b.axes({"b", "m"}, column);
  const Tensor sizes = b.map("sizes", axes, absolute(b.at(x, {b.sym(axes[0]), b.sym(axes[1]), b.index(0)})));
  return arg_extreme(b, sizes, {.axis = 1, .keep_dims = false});
}

}  // namespace

Result<Eliminated> eliminate_step(Builder& b, Tensor x, Tensor product) {
  const Shape& shape = x->shape;
  if (shape.size() != 3 || shape[1] != shape[2] || shape[1] < 1 || product->shape != Shape{shape[0]} || product->dtype != x->dtype)
    return bad_model(cat("matrices of shape ", shape_text(shape), " have no determinant; expected [batch, m, m]"));
  HONE_ASSIGN(pivots, pivot_rows(b, x));
  const auto row_of = [&](Sym batch) { return max(min(cast(DType::kIndex, b.at(pivots, {batch})), double(shape[1] - 1)), 0.0); };
  const std::vector<Axis> axes = b.axes({"b", "m", "n"}, {shape[0], shape[1] - 1, shape[2] - 1}), batches = b.axes({"b"}, {shape[0]});
  const std::vector<Sym> at = b.syms(axes);
  const Sym row = row_of(at[0]), first = b.index(0), mine = select(at[1] < row, at[1], at[1] + 1.0), column = at[2] + 1.0;
  const Sym pivot = b.at(x, {at[0], row, first}), none = pivot == 0.0, one = pivot.number(1);
  const Sym factor = select(none, pivot.number(0), b.at(x, {at[0], mine, first}) / select(none, one, pivot));
  const Tensor rest = b.map("rest", axes, b.at(x, {at[0], mine, column}) - factor * b.at(x, {at[0], row, column}));
  const Sym batch = b.sym(batches[0]), own = row_of(batch), scale = b.at(product, {batch}) * b.at(x, {batch, own, first});
  return Eliminated{rest, b.map("product", batches, select(own % 2.0 == 0.0, scale, -scale))};
}

}  // namespace hone::te
