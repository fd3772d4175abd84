#include "codegen/te/ops/scatter.h"

#include <functional>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

Fold fold_of(ScatterJoin join) {
  switch (join) {
    case ScatterJoin::kReplace:
    case ScatterJoin::kMax:
      return Fold::kMax;
    case ScatterJoin::kMin:
      return Fold::kMin;
    case ScatterJoin::kAdd:
      return Fold::kSum;
    case ScatterJoin::kMultiply:
      return Fold::kProduct;
  }
  return Fold::kSum;
}

Sym joined(ScatterJoin join, Sym x, Sym updates) {
  if (join == ScatterJoin::kAdd) return x + updates;
  if (join == ScatterJoin::kMultiply) return x * updates;
  return join == ScatterJoin::kMax ? larger(x, updates) : smaller(x, updates);
}

// Leaves what it is joined to as it is.
Sym nothing_for(ScatterJoin join, Sym own) { return own.number(fold_identity(fold_of(join), own.type().dtype)); }

// The updates on their way to the elements of x.
struct Arrivals {
  using Index = std::vector<Sym>;
  Tensor x = nullptr;
  int64_t count = 0;                                        // updates that may come to an element
  size_t leading = 0;                                       // of how many of x's dimensions, the first ones, it depends which do
  std::function<Sym(const Index& at, Sym source)> comes;    // does update `source` come to `at`?
  std::function<Sym(const Index& at, Sym source)> value;    // the update; in bounds for every source
};

std::vector<Axis> axes_of(Builder& b, Tensor x) { return b.axes(map_axis_names(b, x->shape, {}), x->shape); }

// Of updates that replace, the last one's number; below 0: none. Then the update itself.
Tensor replaced(Builder& b, const Arrivals& a) {
  const Shape rows(a.x->shape.begin(), a.x->shape.begin() + static_cast<ptrdiff_t>(a.leading));
  const std::vector<Axis> axes = b.axes(map_axis_names(b, rows, {}), rows), r = b.axes({"r"}, {a.count});
  const Sym source = b.sym(r[0]), number = cast(DType::kI32, source);
  const Tensor last = b.reduce("last", axes, r, Fold::kMax, select(a.comes(b.syms(axes), source), number, nothing_for(ScatterJoin::kReplace, number)));
  const std::vector<Axis> all = axes_of(b, a.x);
  const std::vector<Sym> at = b.syms(all);
  const Sym chosen = b.at(last, {at.begin(), at.begin() + static_cast<ptrdiff_t>(a.leading)}), own = b.at(a.x, at);
  const Sym update = a.value(at, max(min(cast(DType::kIndex, chosen), double(a.count - 1)), 0.0));
  return b.map("Y", all, select(0.0 <= chosen, update, own));
}

Tensor folded(Builder& b, const Arrivals& a, ScatterJoin join) {
  const std::vector<Axis> axes = axes_of(b, a.x), r = b.axes({"r"}, {a.count});
  const std::vector<Sym> at = b.syms(axes);
  const Sym update = a.value(at, b.sym(r[0]));
  return b.reduce("folded", axes, r, fold_of(join), select(a.comes(at, b.sym(r[0])), update, nothing_for(join, b.at(a.x, at))));
}

Tensor scattered(Builder& b, const Arrivals& a, ScatterJoin join) {
  if (a.count == 0) return unary(b, "Y", a.x, [](Sym v) { return v; });
  if (join == ScatterJoin::kReplace) return replaced(b, a);
  const Tensor updates = folded(b, a, join);
  const std::vector<Axis> axes = axes_of(b, a.x);
  const std::vector<Sym> at = b.syms(axes);
  const Sym own = b.at(a.x, at), update = b.at(updates, at);
  return b.map("Y", axes, joined(join, own, update));
}

// i32. A negative index counts from the end; what lies outside stays there. Beyond either end first: what lies further out may not survive another word.
Sym place_of(Sym index, double extent) {
  const Sym near = cast(DType::kI32, max(min(index, extent), -extent - 1));
  return select(near < 0.0, near + extent, near);
}

Sym comes_to(Sym index, Sym at, int64_t extent) { return place_of(index, double(extent)) == cast(DType::kI32, at); }

Status check_updates(Tensor x, Tensor indices, Tensor updates, ScatterJoin join) {
  if (!ir::is_int(indices->dtype) || updates->dtype != x->dtype) return bad_model("expected indices of whole numbers, and updates of the input's type");
  if (x->dtype == DType::kBool && join != ScatterJoin::kReplace) return bad_model("booleans are replaced only; expected no reduction");
  return ok_status();
}

}  // namespace

Result<Tensor> scatter_elements(Builder& b, Tensor x, Tensor indices, Tensor updates, int64_t axis, ScatterJoin join) {
  HONE_TRY(check_updates(x, indices, updates, join));
  const Shape& s = indices->shape;
  bool fits = s == updates->shape && s.size() == x->shape.size() && axis >= 0 && axis < static_cast<int64_t>(s.size());
  for (size_t d = 0; fits && d < s.size(); d++) fits = static_cast<int64_t>(d) == axis || s[d] <= x->shape[d];
  if (!fits) return bad_model(cat("indices and updates of shapes ", shape_text(s), " and ", shape_text(updates->shape), " do not fit an input of shape ", shape_text(x->shape)));
  const auto along = static_cast<size_t>(axis);
  if (ir::element_count(s) == 0) return unary(b, "Y", x, [](Sym v) { return v; });
  const auto index_of = [&b, s, along](std::vector<Sym> at, Sym source) {
    for (size_t d = 0; d < at.size(); d++) at[d] = min(at[d], double(s[d] - 1));
    at[along] = source;
    return at;
  };
  Arrivals a{.x = x, .count = s[along], .leading = s.size()};
  a.comes = [&b, x, indices, s, along, index_of](const std::vector<Sym>& at, Sym source) {
    const Sym index = b.at(indices, index_of(at, source));
    Sym comes = comes_to(index, at[along], x->shape[along]);
    for (size_t d = 0; d < s.size(); d++)
      if (d != along && s[d] < x->shape[d]) comes = both(comes, at[d] < double(s[d]));
    return comes;
  };
  a.value = [&b, updates, index_of](const std::vector<Sym>& at, Sym source) { return b.at(updates, index_of(at, source)); };
  return scattered(b, a, join);
}

Result<Tensor> scatter_tuples(Builder& b, Tensor x, Tensor indices, Tensor updates, ScatterJoin join) {
  HONE_TRY(check_updates(x, indices, updates, join));
  const int64_t parts = indices->shape.empty() ? 0 : indices->shape.back();
  const auto misfit = [&] {
    return bad_model(cat("indices and updates of shapes ", shape_text(indices->shape), " and ", shape_text(updates->shape), " do not fit an input of shape ", shape_text(x->shape)));
  };
  if (parts < 1 || parts > static_cast<int64_t>(x->shape.size())) return misfit();
  const Shape inner(x->shape.begin() + parts, x->shape.end());
  Shape wanted(indices->shape.begin(), indices->shape.end() - 1);
  const int64_t count = ir::element_count(wanted);
  wanted.insert(wanted.end(), inner.begin(), inner.end());
  if (updates->shape != wanted) return misfit();
  Shape flat{count};
  flat.insert(flat.end(), inner.begin(), inner.end());
  HONE_ASSIGN(tuples, reshape(b, indices, {count, parts}));
  HONE_ASSIGN(rows, reshape(b, updates, flat));
  Arrivals a{.x = x, .count = count, .leading = static_cast<size_t>(parts)};
  a.comes = [&b, x, tuples, parts](const std::vector<Sym>& at, Sym source) {
    Sym comes;
    for (int64_t q = 0; q < parts; q++) {
      const auto d = static_cast<size_t>(q);
      const Sym index = b.at(tuples, {source, b.index(q)}), here = comes_to(index, at[d], x->shape[d]);
      comes = q == 0 ? here : both(comes, here);
    }
    return comes;
  };
  a.value = [&b, rows, parts](const std::vector<Sym>& at, Sym source) {
    std::vector<Sym> index{source};
    index.insert(index.end(), at.begin() + parts, at.end());
    return b.at(rows, index);
  };
  return scattered(b, a, join);
}

Result<Tensor> write_from(Builder& b, Tensor x, Tensor updates, Tensor starts, int64_t axis, bool around) {
  Shape wanted = x->shape;
  const auto along = static_cast<size_t>(axis);
  const bool has_axis = axis >= 1 && axis < static_cast<int64_t>(wanted.size()) && updates->shape.size() == wanted.size();
  if (has_axis) wanted[along] = updates->shape[along];
  if (!has_axis || updates->shape != wanted || wanted[along] > x->shape[along] || updates->dtype != x->dtype)
    return bad_model(cat("an update of shape ", shape_text(updates->shape), " does not fit an input of shape ", shape_text(x->shape), " along axis ", axis));
  if (starts && (starts->shape != Shape{x->shape[0]} || !ir::is_int(starts->dtype))) return bad_model(cat("starts of shape ", shape_text(starts->shape), " do not fit; expected ", x->shape[0], " whole numbers"));
  const std::vector<Axis> axes = axes_of(b, x);
  const std::vector<Sym> at = b.syms(axes);
  const double extent = double(x->shape[along]), count = double(wanted[along]);
  Sym from = at[along];
  if (starts) from = from - max(min(cast(DType::kIndex, b.at(starts, {at[0]})), extent), 0.0);
  if (around) from = (from + extent) % extent;
  std::vector<Sym> index = at;
  index[along] = from;
  const Sym own = b.at(x, at), update = b.at(updates, index);
  return b.map("Y", axes, select(both(0.0 <= from, from < count), update, own));
}

Result<Tensor> row_numbers(Builder& b, Tensor indices, const Shape& extents) {
  if (!ir::is_int(indices->dtype) || indices->shape.empty() || extents.empty() || indices->shape.back() != static_cast<int64_t>(extents.size()))
    return bad_model(cat("indices of shape ", shape_text(indices->shape), " name no rows of shape ", shape_text(extents)));
  const Shape shape(indices->shape.begin(), indices->shape.end() - 1);
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape);
  std::vector<Sym> at = b.syms(axes);
  at.push_back(b.index(0));
  Sym number = b.constant(DType::kI32, 0), inside = number <= number;
  for (size_t q = 0; q < extents.size(); q++) {
    at.back() = b.index(static_cast<int64_t>(q));
    const double extent = double(extents[q]);
    const Sym place = place_of(b.at(indices, at), extent);
    inside = both(inside, both(0.0 <= place, place < extent));
    number = number * extent + place;
  }
  return b.map("row", axes, cast(DType::kI64, select(inside, number, number.number(-1))));
}

Result<Tensor> fold_equals(Builder& b, Tensor x, Tensor keys, int64_t axis, int64_t stride, ScatterJoin join) {
  bool fits = axis >= 0 && axis < static_cast<int64_t>(x->shape.size()) && keys->shape.size() == x->shape.size() && stride >= 1 && stride <= kExtentMax / kFoldWays;
  for (size_t d = 0; fits && d < x->shape.size(); d++) fits = keys->shape[d] == x->shape[d] || (keys->shape[d] == 1 && static_cast<int64_t>(d) != axis);
  if (!fits || x->dtype == DType::kBool || join == ScatterJoin::kReplace)
    return bad_model(cat("equal keys of shape ", shape_text(keys->shape), " along axis ", axis, " by ", stride, " cannot be folded for an input of shape ", shape_text(x->shape)));
  const auto along = static_cast<size_t>(axis);
  const std::vector<Axis> axes = axes_of(b, x), r = b.axes({"r"}, {kFoldWays});
  const std::vector<Sym> at = b.syms(axes);
  const Sym place = at[along] - b.sym(r[0]) * double(stride);
  std::vector<Sym> near = at;
  near[along] = max(place, 0.0);
  const Sym same = b.at(keys, broadcast_index(b, near, keys->shape)) == b.at(keys, broadcast_index(b, at, keys->shape));
  return b.reduce("Y", axes, r, fold_of(join), select(both(0.0 <= place, same), b.at(x, near), nothing_for(join, b.at(x, at))));
}

Result<Tensor> unpool(Builder& b, Tensor x, Tensor indices, const Shape& shape) {
  const size_t rank = x->shape.size();
  const bool fits = rank >= 3 && shape.size() == rank && indices->shape == x->shape && ir::is_int(indices->dtype) && shape[0] == x->shape[0] && shape[1] == x->shape[1];
  if (!fits) return bad_model(cat("an input and indices of shapes ", shape_text(x->shape), " and ", shape_text(indices->shape), " do not fit a result of shape ", shape_text(shape)));
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape);
  const std::vector<Sym> at = b.syms(axes);
  std::vector<std::string> names;
  for (size_t d = 2; d < rank; d++) names.push_back(cat("r", d - 2));
  const std::vector<Axis> near = b.axes(names, Shape(x->shape.begin() + 2, x->shape.end()));
  std::vector<Sym> from{at[0], at[1]};
  for (const Axis& axis : near) from.push_back(b.sym(axis));
  Sym place = at[0];
  for (size_t d = 1; d < rank; d++) place = place * double(shape[d]) + at[d];
  const Sym value = b.at(x, from), index = b.at(indices, from);
  return b.reduce("Y", axes, near, Fold::kSum, select(index == cast(index.type().dtype, place), value, value.number(0)));
}

}  // namespace hone::te
