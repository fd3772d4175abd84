#include "codegen/te/ops/resample.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/ops/taps.h"

namespace hone::te {
namespace {

bool is_shorter(const SamplePlace& p) { return p.step > p.divisor; }
bool is_same(const SamplePlace& p) { return p.step == p.divisor && p.offset == 0; }

// ⌊(i · step · times + offset · times + more) / (divisor · times)⌋, not clamped.
Sym place_down(Sym i, const SamplePlace& p, int64_t times, int64_t more) {
  return (i * double(p.step * times) + double(p.offset * times + more)) / double(p.divisor * times);
}

Sym nearest_place(Sym i, const SamplePlace& p, Nearest rule) {
  switch (rule) {
    case Nearest::kFloor:
      return place_down(i, p, 1, 0);
    case Nearest::kCeil:
      return place_down(i, p, 1, p.divisor - 1);
    case Nearest::kDown:
      return place_down(i, p, 2, p.divisor - 1);
    case Nearest::kUp:
      return place_down(i, p, 2, p.divisor);
  }
  return i;
}

std::vector<Tap> taps_of(const ResampleParams& params, Sym i, const SamplePlace& p, int64_t extent, DType dtype) {
  if (is_same(p)) return {{i, {}, false}};
  if (params.blend == Blend::kNearest) return {{clamped(nearest_place(i, p, params.nearest), extent), {}, false}};
  const Sym low = place_down(i, p, 1, 0);
  const Sym rest = (i * double(p.step) + double(p.offset)) - low * double(p.divisor);
  const Sym f = cast(dtype, rest) / double(p.divisor);
  if (params.blend == Blend::kLinear) return {{clamped(low, extent), 1.0 - f}, {clamped(low + 1.0, extent), f}};
  std::vector<Tap> taps;
  const Sym weights[4] = {cubic_far(f + 1.0, params.cubic), cubic_near(f, params.cubic),
                          cubic_near(1.0 - f, params.cubic), cubic_far(2.0 - f, params.cubic)};
  Sym total;
  for (int k = 0; k < 4; k++) {
    const Sym at = low + double(k - 1);
    const Sym inside = both(0.0 <= at, at < double(extent));
    const Sym weight = params.exclude_outside ? select(inside, weights[k], f.number(0)) : weights[k];
    total = k == 0 ? weight : total + weight;
    taps.push_back({clamped(at, extent), weight});
  }
  if (params.exclude_outside)
    for (Tap& t : taps) t.weight = t.weight / total;
  return taps;
}

// Weight at distance d of the linear filter, or of the cubic one.
Sym filter_weight(const ResampleParams& params, Sym d) {
  const Sym far = absolute(d);
  if (params.blend == Blend::kLinear) return max(1.0 - far, 0.0);
  return select(far < 1.0, cubic_near(far, params.cubic), select(far < 2.0, cubic_far(far, params.cubic), far.number(0)));
}

// One dimension, made shorter by a filter that is as much wider as the dimension is longer; weights add up to 1.
class Shortening {
 public:
  Shortening(Builder& b, Tensor x, const ResampleParams& params, size_t d) : b_(b), x_(x), params_(params), d_(d), place_(params.places[d]) {
    const double scale = double(place_.divisor) / double(place_.step), reach = params.blend == Blend::kLinear ? 1 : 2;
    first_ = static_cast<int64_t>(std::floor(-reach / scale)) + 1;
    count_ = 2 - 2 * first_;
  }

  Tensor shortened() {
    const Tensor totals = total();
    Shape shape = x_->shape;
    shape[d_] = params_.shape[d_];
    const std::vector<Axis> axes = b_.axes(map_axis_names(b_, shape, {}), shape), r = b_.axes({"r"}, {count_});
    std::vector<Sym> at = b_.syms(axes);
    const Sym i = at[d_], tap = b_.sym(r[0]), weight = weight_of(i, tap), sum = b_.at(totals, {i});
    at[d_] = clamped(element(i, tap), x_->shape[d_]);
    const Sym value = b_.at(x_, at);
    return b_.reduce("shorter", axes, r, Fold::kSum, select(counts(i, tap), value * weight, weight.number(0)), [&](Sym acc) { return acc / sum; });
  }

 private:
  // From the result's place to the tap, in parts of which an element has place_.divisor.
  Sym distance(Sym i, Sym tap) const { return element(i, tap) * double(place_.divisor) - (i * double(place_.step) + double(place_.offset)); }
  // Does the filter reach the tap? In whole numbers, so that its ends are exact: what it ends at may be no number.
  Sym counts(Sym i, Sym tap) const {
    const double reach = double(place_.step) * (params_.blend == Blend::kLinear ? 1 : 2);
    return both(-reach < distance(i, tap), distance(i, tap) < reach);
  }
  Sym element(Sym i, Sym tap) const { return place_down(i, place_, 1, 0) + tap + double(first_); }
  Sym weight_of(Sym i, Sym tap) const {
    const Sym weight = filter_weight(params_, cast(x_->dtype, distance(i, tap)) / double(place_.step));
    const Sym at = element(i, tap);
    return params_.exclude_outside ? select(both(0.0 <= at, at < double(x_->shape[d_])), weight, weight.number(0)) : weight;
  }
  Tensor total() {
    const std::vector<Axis> axes = b_.axes({"i"}, {params_.shape[d_]}), r = b_.axes({"r"}, {count_});
    return b_.reduce("weights", axes, r, Fold::kSum, weight_of(b_.sym(axes[0]), b_.sym(r[0])));
  }

  Builder& b_;
  Tensor x_;
  const ResampleParams& params_;
  size_t d_;
  SamplePlace place_;
  int64_t first_ = 0, count_ = 0;
};

// Dimensions that become shorter, one after the other; then the others.
Result<Tensor> shortened_first(Builder& b, Tensor x, ResampleParams params) {
  params.antialias = false;
  for (size_t d = 0; d < params.places.size(); d++) {
    if (!is_shorter(params.places[d])) continue;
    x = Shortening(b, x, params, d).shortened();
    params.places[d] = {};
  }
  const bool is_done = std::all_of(params.places.begin(), params.places.end(), is_same);
  return is_done ? Result<Tensor>(x) : resample(b, x, params);
}

// Whether a place lies among the inputs of its dimension.
Sym is_inside(Sym i, const SamplePlace& p, int64_t extent) {
  const Sym place = i * double(p.step) + double(p.offset);
  return both(0.0 <= place, place <= double(p.divisor * (extent - 1)));
}

// The value, or the one for places outside.
Sym cropped(Sym value, const std::vector<Sym>& at, Tensor x, const ResampleParams& params) {
  for (size_t d = 0; d < at.size(); d++)
    if (!is_same(params.places[d])) value = select(is_inside(at[d], params.places[d], x->shape[d]), value, value.number(*params.outside));
  return value;
}

}  // namespace

Result<Tensor> resample(Builder& b, Tensor x, const ResampleParams& params) {
  constexpr double kPlaceMax = double(int64_t{1} << 29);  // twice it stays below 2³¹
  if (params.shape.size() != x->shape.size() || params.places.size() != x->shape.size())
    return Error{ErrorCode::kBadModel, cat("expected an extent for each of ", x->shape.size(), " dimensions")};
  if (params.blend != Blend::kNearest && !ir::is_float(x->dtype))
    return Error{ErrorCode::kUnsupported, "only nearest is supported for integers"};
  for (size_t d = 0; d < x->shape.size(); d++) {
    const SamplePlace& p = params.places[d];
    if (x->shape[d] == 0 && params.shape[d] > 0)
      return Error{ErrorCode::kBadModel, "an empty dimension has no elements to resize"};
    if (double(p.step) * double(params.shape[d]) + std::abs(double(p.offset)) > kPlaceMax ||
        double(p.divisor) > kPlaceMax || (params.outside && double(p.divisor) * double(x->shape[d]) > kPlaceMax))
      return Error{ErrorCode::kUnsupported,
                   cat("resizing to ", params.shape[d], " elements by this scale exceeds 32 bits")};
  }
  if (params.antialias && params.outside) return Error{ErrorCode::kUnsupported, "a part of the input is not resized with an antialiasing filter"};
  if (params.antialias && params.blend != Blend::kNearest && std::any_of(params.places.begin(), params.places.end(), is_shorter)) return shortened_first(b, x, params);
  const std::vector<Axis> axes = b.axes(map_axis_names(b, params.shape, {}), params.shape);
  const std::vector<Sym> at = b.syms(axes);
  std::vector<std::vector<Tap>> taps;
  for (size_t d = 0; d < at.size(); d++) taps.push_back(taps_of(params, at[d], params.places[d], x->shape[d], x->dtype));
  HONE_TRY(check_taps(taps));
  const Sym value = blended(b, x, taps);
  return b.map("resample", axes, params.outside ? cropped(value, at, x, params) : value);
}

}  // namespace hone::te
