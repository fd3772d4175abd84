#include "codegen/te/ops/searching.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::te {
namespace {

// How far apart the places lie that are looked at first.
int64_t first_stride(int64_t most) {
  int64_t stride = 1;
  while (stride * kSearchWays < most) stride *= kSearchWays;
  return stride;
}

}  // namespace

Sym place_in(Sym number, int64_t extent) { return max(min(cast(DType::kIndex, number), double(extent - 1)), 0.0); }

Tensor count_while(Builder& b, const Shape& shape, const Search& search) {
  const int64_t most = search.most;
  if (most == 0) return b.map("found", b.axes(map_axis_names(b, shape, {}), shape), b.constant(DType::kI32, 0));
  Tensor found = nullptr;
  int64_t left = most;  // of how many numbers it is not known yet
  for (int64_t stride = first_stride(most); stride > 0; stride /= kSearchWays) {
    const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape), r = b.axes({"r"}, {left / stride});
    const std::vector<Sym> at = b.syms(axes);
    const Sym step = b.constant(DType::kI32, double(stride)), known = found ? b.at(found, at) : step.number(0);
    const Sym number = place_in(known, most + 1) + (b.sym(r[0]) * double(stride) + double(stride - 1)), bound = search.bound ? search.bound(at) : b.index(most);
    const Sym more = select(both(number < bound, search.holds(at, number)), step, step.number(0));
    found = b.reduce("found", axes, r, Fold::kSum, more, [&](Sym sum) { return known + sum; });
    left = stride - 1;
  }
  return found;
}

Result<Found> find_last(Builder& b, Tensor keys, int64_t axis, int64_t extent) {
  const bool has_axis = axis >= 0 && axis < static_cast<int64_t>(keys->shape.size());
  if (!has_axis || keys->shape[static_cast<size_t>(axis)] == 0 || extent < 0 || extent > kExtentMax || !ir::is_int(keys->dtype))
    return bad_model(cat("numbers up to ", extent, " cannot be found among keys of shape ", shape_text(keys->shape), " along axis ", axis));
  const auto along = static_cast<size_t>(axis);
  const int64_t most = keys->shape[along];
  Shape shape = keys->shape;
  shape[along] = extent;
  const auto key = [&](std::vector<Sym> at, Sym place) {
    at[along] = place_in(place, most);
    return b.at(keys, at);
  };
  const auto holds = [&](const std::vector<Sym>& at, Sym number) { return key(at, number) <= cast(keys->dtype, at[along]); };
  const Tensor count = count_while(b, shape, {.most = most, .bound = nullptr, .holds = holds});
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape), all = b.axes(map_axis_names(b, shape, {}), shape);
  const std::vector<Sym> at = b.syms(axes), own = b.syms(all);
  const auto place = [&](const std::vector<Sym>& index) { return max(place_in(b.at(count, index), most + 1) - 1, 0.0); };
  const Sym there = both(0.0 < b.at(count, own), key(own, place(own)) == cast(keys->dtype, own[along]));
  return Found{b.map("place", axes, cast(DType::kI64, place(at))), b.map("there", all, there)};
}

}  // namespace hone::te
