#include "codegen/te/ops/resample.h"

#include <cstdlib>

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/ops/taps.h"

namespace hone::te {
namespace {

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
        double(p.divisor) > kPlaceMax)
      return Error{ErrorCode::kUnsupported,
                   cat("resizing to ", params.shape[d], " elements by this scale exceeds 32 bits")};
  }
  const std::vector<Axis> axes = b.axes(map_axis_names(b, params.shape, {}), params.shape);
  const std::vector<Sym> at = b.syms(axes);
  std::vector<std::vector<Tap>> taps;
  for (size_t d = 0; d < at.size(); d++) taps.push_back(taps_of(params, at[d], params.places[d], x->shape[d], x->dtype));
  HONE_TRY(check_taps(taps));
  return b.map("resample", axes, blended(b, x, taps));
}

}  // namespace hone::te
