#include "codegen/te/ops/sorting.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/searching.h"

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
  at[along] = place_in(of, x->shape[along]);
  return Chosen{b.map("Y", axes, b.at(x, at)), b.map("I", all, cast(DType::kI64, number))};
}

namespace {

// Two runs next to each other, and an element of what they become.
class Merge {
 public:
  Merge(Builder& b, const Runs& runs, std::vector<Sym> at)
      : b_(b), runs_(runs), at_(std::move(at)), rank_(at_[along()] % double(2 * runs.run)), begin_(at_[along()] - rank_), second_(begin_ + double(runs.run)), first_extent_(in_run(begin_)), second_extent_(in_run(second_)) {}

  // Elements of the first run that may come before the element.
  Sym bound() const { return min(first_extent_, rank_); }
  // Does element i of the first run?
  Sym is_before(Sym i) const { return is_first(i, rank_ - 1 - i); }
  // Where the element comes from: `first` elements before it come from the first run.
  Sym source(Sym first) const {
    const Sym other = rank_ - first;
    return select(both(first < first_extent_, is_first(first, other)), begin_ + first, second_ + other);
  }

 private:
  size_t along() const { return static_cast<size_t>(runs_.axis); }
  int64_t extent() const { return runs_.values->shape[along()]; }
  // Elements of the run that begins there; less than 1: none.
  Sym in_run(Sym begin) const { return min(double(extent()) - begin, double(runs_.run)); }
  Sym value(Sym place) const {
    std::vector<Sym> at = at_;
    at[along()] = place_in(place, extent());
    return b_.at(runs_.values, at);
  }
  // Does element i of the first run go before element j of the second, where the second has it?
  Sym is_first(Sym i, Sym j) const {
    const Sym l = value(begin_ + i), r = value(second_ + j);
    return either(second_extent_ <= j, runs_.largest ? r <= l : l <= r);
  }

  Builder& b_;
  const Runs& runs_;
  std::vector<Sym> at_;
  Sym rank_, begin_, second_;         // of the element among both, and where the runs begin
  Sym first_extent_, second_extent_;  // of the runs
};

}  // namespace

Result<Chosen> merge_runs(Builder& b, const Runs& runs) {
  const Shape& shape = runs.values->shape;
  const bool has_axis = runs.axis >= 0 && runs.axis < static_cast<int64_t>(shape.size());
  if (!has_axis || runs.run < 1 || runs.run > kExtentMax / 2 || runs.places->shape != shape || runs.values->dtype == DType::kBool)
    return bad_model(cat("runs of ", runs.run, " along axis ", runs.axis, " of shapes ", shape_text(shape), " and ", shape_text(runs.places->shape), " cannot be merged"));
  const auto along = static_cast<size_t>(runs.axis);
  const int64_t extent = shape[along];
  const int64_t most = std::min(runs.run, extent);
  const auto bound = [&](const std::vector<Sym>& at) { return Merge(b, runs, at).bound(); };
  const Tensor first = count_while(b, shape, {most, bound, [&](const std::vector<Sym>& at, Sym number) { return Merge(b, runs, at).is_before(number); }});
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape);
  const std::vector<Sym> all = b.syms(axes);
  const Tensor source = b.map("source", axes, cast(DType::kI32, Merge(b, runs, all).source(place_in(b.at(first, all), most + 1))));
  const auto moved = [&](std::string_view name, Tensor x) {
    const std::vector<Axis> own = b.axes(map_axis_names(b, shape, {}), shape);
    std::vector<Sym> at = b.syms(own);
    at[along] = place_in(b.at(source, at), extent);
    return b.map(name, own, b.at(x, at));
  };
  return Chosen{moved("Y", runs.values), moved("I", runs.places)};
}

}  // namespace hone::te
