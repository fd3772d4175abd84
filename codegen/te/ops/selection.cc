#include "codegen/te/ops/selection.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/cumulative.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/searching.h"

namespace hone::te {
namespace {

Sym one_where(Builder& b, Sym condition) {
  const Sym one = b.constant(DType::kI32, 1);
  return select(condition, one, one.number(0));
}

// How many of the sums are at most the place itself: which element is the (place + 1)th that counts.
Tensor places_by_sums(Builder& b, Tensor sums) {
  const int64_t n = sums->shape[0];
  const auto holds = [&](const std::vector<Sym>& at, Sym number) { return b.at(sums, {place_in(number, n)}) <= cast(DType::kI32, at[0]); };
  const Tensor counted = count_while(b, {n}, {.most = n, .bound = nullptr, .holds = holds});
  const std::vector<Axis> all = b.axes({"i"}, {n});
  return b.map("places", all, cast(DType::kI64, place_in(b.at(counted, b.syms(all)), n)));
}

// What is compared of two rows.
struct Rows {
  Builder& b;
  Tensor x;
  Tensor differs = nullptr;  // [n, n]: where two rows first differ, or d; null for rows of one element
  int64_t n() const { return x->shape[0]; }
  int64_t d() const { return x->shape[1]; }

  void compare() {
    const std::vector<Axis> axes = b.axes({"i", "j"}, {n(), n()}), k = b.axes({"k"}, {d()});
    const Sym i = b.sym(axes[0]), j = b.sym(axes[1]), at = b.sym(k[0]), none = b.constant(DType::kI32, double(d()));
    differs = b.reduce("differs", axes, k, Fold::kMin, select(b.at(x, {i, at}) == b.at(x, {j, at}), none, cast(DType::kI32, at)));
  }
  Sym same(Sym i, Sym j) const {
    if (differs) return b.at(differs, {i, j}) == double(d());
    return b.at(x, {i, b.index(0)}) == b.at(x, {j, b.index(0)});
  }
  Sym less(Sym i, Sym j) const {
    const Sym at = differs ? place_in(b.at(differs, {i, j}), d()) : b.index(0);
    return b.at(x, {i, at}) < b.at(x, {j, at});
  }
};

// A sum over all rows j of what `counts` of row i and j.
Tensor counted(Builder& b, std::string_view name, int64_t n, const std::function<Sym(Sym i, Sym j)>& counts) {
  const std::vector<Axis> axes = b.axes({"i"}, {n}), r = b.axes({"j"}, {n});
  return b.reduce(name, axes, r, Fold::kSum, one_where(b, counts(b.sym(axes[0]), b.sym(r[0]))));
}

Tensor as_whole(Builder& b, std::string_view name, Tensor x) {
  const std::vector<Axis> axes = b.axes({"i"}, x->shape);
  return b.map(name, axes, cast(DType::kI64, b.at(x, b.syms(axes))));
}

// Lower and upper end along one dimension.
struct Side {
  Sym from, to;
  Sym length() const { return to - from; }
};

Side side_of(Builder& b, const Suppression& s, const Sym& batch, const Sym& box, int dimension) {
  const Sym first = b.at(s.boxes, {batch, box, b.index(dimension)}), second = b.at(s.boxes, {batch, box, b.index(dimension + 2)});
  if (s.centred) return {first - second * 0.5, first + second * 0.5};
  return {min(first, second), max(first, second)};
}

// Whether two boxes overlap by more of their union than allowed. Boxes without an area overlap with none.
Sym overlaps(Builder& b, const Suppression& s, Sym batch, Sym box, Sym other) {
  const Side y = side_of(b, s, batch, box, 0), x = side_of(b, s, batch, box, 1), v = side_of(b, s, batch, other, 0), u = side_of(b, s, batch, other, 1);
  const Sym common = max(min(y.to, v.to) - max(y.from, v.from), 0.0) * max(min(x.to, u.to) - max(x.from, u.from), 0.0);
  const Sym mine = y.length() * x.length(), theirs = v.length() * u.length(), all = mine + theirs - common;
  const Sym allowed = s.overlap_max.tensor ? b.at(s.overlap_max.tensor, std::vector<Sym>(s.overlap_max.shape.size(), b.index(0))) : b.constant(mine.type().dtype, s.overlap_max.number);
  return both(both(both(0.0 < mine, 0.0 < theirs), 0.0 < all), allowed * all < common);
}

Status check_boxes(const Suppression& s) {
  const Shape &boxes = s.boxes->shape, &scores = s.left->shape;
  if (boxes.size() == 3 && scores.size() == 3 && boxes[2] == 4 && boxes[0] == scores[0] && boxes[1] == scores[2] && s.boxes->dtype == DType::kF32 && s.left->dtype == DType::kF32 && ir::element_count(s.overlap_max.shape) == 1)
    return ok_status();
  return bad_model(cat("boxes of shape ", shape_text(boxes), " do not fit scores of shape ", shape_text(scores), "; expected [batch, n, 4] and [batch, classes, n]"));
}

}  // namespace

Result<Places> places_where(Builder& b, Tensor x) {
  if (x->shape.size() != 1) return bad_model(cat("a condition of shape ", shape_text(x->shape), " has no places; expected one dimension"));
  const std::vector<Axis> axes = b.axes({"i"}, x->shape);
  const Sym value = b.at(x, b.syms(axes));
  const Tensor counts = b.map("counts", axes, one_where(b, x->dtype == DType::kBool ? value : negated(value == 0.0)));
  HONE_ASSIGN(sums, cumulate(b, counts, {.axis = 0}));
  const std::vector<Axis> one = b.axes({"one"}, {1});
  const int64_t n = x->shape[0];
  const Sym whole = n > 0 ? b.at(sums, {b.index(n - 1)}) : b.constant(DType::kI32, 0);
  const Tensor places = places_by_sums(b, sums);
  return Places{places, b.map("count", one, cast(DType::kI64, whole))};
}

Result<Distinct> distinct_rows(Builder& b, Tensor x, bool sorted) {
  if (x->shape.size() != 2 || x->dtype == DType::kBool) return bad_model(cat("a tensor of shape ", shape_text(x->shape), " has no rows of numbers; expected two dimensions"));
  Rows rows{b, x};
  const int64_t n = rows.n();
  if (rows.d() != 1) rows.compare();
  const std::vector<Axis> axes = b.axes({"i"}, {n}), r = b.axes({"j"}, {n});
  const Sym j = b.sym(r[0]), none = b.constant(DType::kI32, double(n));
  const Tensor first = b.reduce("first", axes, r, Fold::kMin, select(rows.same(b.sym(axes[0]), j), cast(DType::kI32, j), none));
  const auto is_first = [&](Sym i) { return b.at(first, {i}) == cast(DType::kI32, i); };
  const auto before = [&](Sym i, Sym other) { return sorted ? rows.less(other, i) : cast(DType::kI32, other) < b.at(first, {i}); };
  const Tensor place = counted(b, "place", n, [&](Sym i, Sym other) { return both(is_first(other), before(i, other)); });
  const auto of_place = [&](Sym i, Sym other) { return b.at(place, {other}) == cast(DType::kI32, i); };
  const std::vector<Axis> out = b.axes({"i"}, {n}), s = b.axes({"j"}, {n});
  const Sym i = b.sym(out[0]), from = b.sym(s[0]), number = cast(DType::kI32, from);
  const Tensor source = b.reduce("source", out, s, Fold::kSum, select(both(is_first(from), of_place(i, from)), number, number.number(0)));
  const Tensor times = counted(b, "times", n, of_place);
  const std::vector<Axis> one = b.axes({"one"}, {1}), all = b.axes({"j"}, {n});
  const Tensor count = b.reduce("count", one, all, Fold::kSum, one_where(b, is_first(b.sym(all[0]))), [](Sym sum) { return cast(DType::kI64, sum); });
  return Distinct{as_whole(b, "from", source), as_whole(b, "inverse", place), as_whole(b, "often", times), count};
}

Result<Suppressed> suppress_step(Builder& b, const Suppression& s) {
  HONE_TRY(check_boxes(s));
  const int64_t n = s.left->shape[2];
  HONE_ASSIGN(best, arg_extreme(b, s.left, {.axis = 2}));
  const std::vector<Axis> axes = b.axes({"b", "c", "n"}, s.left->shape), row = b.axes({"b", "c", "one"}, best->shape);
  const std::vector<Sym> at = b.syms(axes), each = b.syms(row);
  const Sym mine = b.at(s.left, at), gone = mine.number(kGoneScore);
  const Sym chosen = place_in(b.at(best, {at[0], at[1], b.index(0)}), n), own = place_in(b.at(best, each), n);
  const Tensor left = b.map("left", axes, select(either(at[2] == chosen, overlaps(b, s, at[0], at[2], chosen)), gone, mine));
  const Sym score = b.at(s.left, {each[0], each[1], own}), number = b.at(best, each);
  const Tensor taken = b.map("taken", row, select(gone < score, number, number.number(-1)));
  return Suppressed{left, taken};
}

}  // namespace hone::te
