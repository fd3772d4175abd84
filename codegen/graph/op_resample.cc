// Resize and Upsample: which input elements an output element is made of follows from scales or sizes known at import.
#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/resample.h"

namespace hone::graph {
namespace {

Error unsupported(std::string message) { return {ErrorCode::kUnsupported, std::move(message)}; }

// A scale as out / in: index arithmetic is exact then.
struct Ratio {
  int64_t out = 1, in = 1;
};

// The continued fraction of the scale, until it is the scale to f32's precision. Fails: unsupported when that takes a large denominator.
Result<Ratio> ratio_of(double scale) {
  constexpr int64_t kDenominatorMax = 4096;
  int64_t p0 = 1, q0 = 0, p1 = static_cast<int64_t>(std::floor(scale)), q1 = 1;
  double rest = scale - std::floor(scale);
  while (std::fabs(static_cast<double>(p1) / static_cast<double>(q1) - scale) > 1e-7 * scale) {
    if (rest < 1e-9) break;
    rest = 1 / rest;
    if (rest > kDenominatorMax) return unsupported(cat("the scale ", scale, " is not a ratio of small numbers"));
    const auto part = static_cast<int64_t>(std::floor(rest));
    rest -= std::floor(rest);
    const int64_t p = part * p1 + p0, q = part * q1 + q0;
    if (q > kDenominatorMax) return unsupported(cat("the scale ", scale, " is not a ratio of small numbers"));
    p0 = p1, q0 = q1, p1 = p, q1 = q;
  }
  return Ratio{p1, q1};
}

// ONNX's coordinate_transformation_mode for one dimension.
Result<te::SamplePlace> place_of(const std::string& mode, Ratio r, int64_t extent, int64_t wanted) {
  if (r.out == r.in && wanted == extent) return te::SamplePlace{};
  if (mode == "asymmetric") return te::SamplePlace{r.in, 0, r.out};
  if (mode == "align_corners")
    return wanted <= 1 ? te::SamplePlace{0, 0, 1} : te::SamplePlace{extent - 1, 0, wanted - 1};
  if (mode == "pytorch_half_pixel" && wanted == 1) return te::SamplePlace{0, 0, 1};
  if (mode == "half_pixel" || mode == "pytorch_half_pixel") return te::SamplePlace{2 * r.in, r.in - r.out, 2 * r.out};
  if (mode == "half_pixel_symmetric")
    return te::SamplePlace{2 * r.in, r.in - r.out + extent * r.out - wanted * r.in, 2 * r.out};
  if (mode == "tf_half_pixel_for_nn") return te::SamplePlace{2 * r.in, r.in, 2 * r.out};
  return unsupported(cat("coordinate_transformation_mode '", mode, "' is not supported"));
}

struct Wanted {
  Shape shape;
  std::vector<Ratio> ratios;
};

// Part of a dimension, from its first (0) to its last element (1); the ends may lie outside.
struct Part {
  Ratio from{0, 1}, to{1, 1};
};

Result<Ratio> signed_ratio_of(double number) {
  if (!(std::fabs(number) <= 1 << 20)) return bad_node(cat("an end of ", number, " is out of range"));
  if (number == 0) return Ratio{0, 1};
  HONE_ASSIGN(ratio, ratio_of(std::fabs(number)));
  return Ratio{number < 0 ? -ratio.out : ratio.out, ratio.in};
}

// The part's ends, with one denominator, are the first and the last place; its middle where there is one place.
te::SamplePlace place_in(const Part& part, int64_t extent, int64_t wanted) {
  const int64_t from = part.from.out * part.to.in, to = part.to.out * part.from.in, under = part.from.in * part.to.in;
  if (wanted <= 1) return {0, (from + to) * (extent - 1), 2 * under};
  return {(to - from) * (extent - 1), from * (extent - 1) * (wanted - 1), under * (wanted - 1)};
}

// The input `roi`: the beginnings of all axes, then their ends.
Result<std::vector<Part>> parts_of(const OpCall& call, const std::vector<int64_t>& axes) {
  HONE_ASSIGN(ends, call.numbers(1));
  if (ends.size() != 2 * axes.size()) return bad_node(cat("roi has ", ends.size(), " numbers; expected ", 2 * axes.size()));
  std::vector<Part> parts(call.value(0).shape.size());
  for (size_t i = 0; i < axes.size(); i++) {
    HONE_ASSIGN(from, signed_ratio_of(ends[i]));
    HONE_ASSIGN(to, signed_ratio_of(ends[axes.size() + i]));
    parts[static_cast<size_t>(axes[i])] = {from, to};
  }
  return parts;
}

// Dimensions that are not among `axes` stay.
Wanted unchanged(const Shape& shape) { return {shape, std::vector<Ratio>(shape.size())}; }

Result<Wanted> wanted_by_scales(const Shape& shape, const std::vector<int64_t>& axes,
                                const std::vector<double>& scales) {
  if (scales.size() != axes.size()) return bad_node(cat("has ", scales.size(), " scales; expected ", axes.size()));
  Wanted out = unchanged(shape);
  for (size_t i = 0; i < axes.size(); i++) {
    const auto d = static_cast<size_t>(axes[i]);
    const double longest = static_cast<double>(std::max<int64_t>(shape[d], 1));
    if (!(scales[i] > 0) || scales[i] * longest > static_cast<double>(te::kExtentMax))
      return bad_node(cat("a scale of ", scales[i], " is out of range"));
    HONE_ASSIGN(ratio, ratio_of(scales[i]));
    out.ratios[d] = ratio;
    out.shape[d] = shape[d] * ratio.out / ratio.in;
  }
  return out;
}

Result<Wanted> wanted_by_sizes(const Shape& shape, const std::vector<int64_t>& axes,
                               const std::vector<int64_t>& sizes) {
  if (sizes.size() != axes.size()) return bad_node(cat("has ", sizes.size(), " sizes; expected ", axes.size()));
  Wanted out = unchanged(shape);
  for (size_t i = 0; i < axes.size(); i++) {
    const auto d = static_cast<size_t>(axes[i]);
    if (sizes[i] < 0 || sizes[i] > te::kExtentMax) return bad_node(cat("a size of ", sizes[i], " is out of range"));
    out.shape[d] = sizes[i];
    out.ratios[d] = {sizes[i], std::max<int64_t>(shape[d], 1)};
  }
  return out;
}

// keep_aspect_ratio_policy: the one scale of all axes that makes none larger, or none smaller, than wanted. Fails: bad_model.
Status keep_ratio(const std::string& policy, const Shape& shape, const std::vector<int64_t>& axes, Wanted& wanted) {
  if (policy == "stretch" || axes.empty()) return ok_status();
  if (policy != "not_larger" && policy != "not_smaller")
    return bad_node(cat("keep_aspect_ratio_policy '", policy, "' is not defined"));
  Ratio one = wanted.ratios[static_cast<size_t>(axes[0])];
  for (int64_t axis : axes) {
    const Ratio r = wanted.ratios[static_cast<size_t>(axis)];
    const bool smaller = r.out * one.in < one.out * r.in;  // both below 2³¹: exact
    if (r.out * one.in != one.out * r.in && smaller == (policy == "not_larger")) one = r;
  }
  for (int64_t axis : axes) {
    const auto d = static_cast<size_t>(axis);
    const int64_t twice = 2 * one.out * std::min(shape[d], te::kExtentMax);
    wanted.ratios[d] = one;
    wanted.shape[d] = (twice + one.in) / (2 * one.in);  // half up
    if (wanted.shape[d] > te::kExtentMax) return bad_node(cat("a size of ", wanted.shape[d], " is out of range"));
  }
  return ok_status();
}

Status set_places(const Shape& shape, const Wanted& wanted, const std::string& coordinates, te::ResampleParams& params) {
  for (size_t d = 0; d < shape.size(); d++) {
    HONE_ASSIGN(place, place_of(coordinates, wanted.ratios[d], shape[d], wanted.shape[d]));
    params.places.push_back(place);
  }
  return ok_status();
}

// tf_crop_and_resize.
Status set_places_in_parts(const OpCall& call, const std::vector<int64_t>& axes, const Wanted& wanted, te::ResampleParams& params) {
  HONE_ASSIGN(parts, parts_of(call, axes));
  params.outside = call.number("extrapolation_value", 0);
  for (size_t d = 0; d < parts.size(); d++) {
    const bool is_whole = std::find(axes.begin(), axes.end(), static_cast<int64_t>(d)) == axes.end();
    params.places.push_back(is_whole ? te::SamplePlace{} : place_in(parts[d], call.value(0).shape[d], wanted.shape[d]));
  }
  return ok_status();
}

Emitted emit_resampled(const OpCall& call, const Wanted& wanted, const std::string& coordinates,
                       te::ResampleParams params) {
  const std::string mode = call.text("mode", "nearest");
  if (mode == "linear" || mode == "bilinear") params.blend = te::Blend::kLinear;
  else if (mode == "cubic") params.blend = te::Blend::kCubic;
  else if (mode != "nearest") return unsupported(cat("mode '", mode, "' is not supported"));
  params.antialias = call.integer("antialias", 0) != 0;
  params.shape = wanted.shape;
  if (coordinates == "tf_crop_and_resize") {
    HONE_ASSIGN(axes, distinct_axes(call.integers("axes"), wanted.shape.size()));
    HONE_TRY(set_places_in_parts(call, axes, wanted, params));
  } else {
    HONE_TRY(set_places(call.value(0).shape, wanted, coordinates, params));
  }
  return one_output(te::resample(call.b, call.tensor(0, "X"), params));
}

}  // namespace

Emitted emit_upsample(const OpCall& call) {
  std::vector<double> scales;
  if (call.has_attribute("scales")) {
    scales = call.numbers("scales");
  } else {
    HONE_ASSIGN(given, call.numbers(1));
    scales = given;
  }
  HONE_ASSIGN(axes, distinct_axes({}, call.value(0).shape.size()));
  HONE_ASSIGN(wanted, wanted_by_scales(call.value(0).shape, axes, scales));
  te::ResampleParams params;
  params.nearest = te::Nearest::kFloor;
  return emit_resampled(call, wanted, "asymmetric", params);
}

Emitted emit_resize(const OpCall& call) {
  if (call.graph.opset < 11) return emit_upsample(call);
  te::ResampleParams params;
  const std::string rule = call.text("nearest_mode", "round_prefer_floor");
  if (rule == "floor") params.nearest = te::Nearest::kFloor;
  else if (rule == "ceil") params.nearest = te::Nearest::kCeil;
  else if (rule == "round_prefer_ceil") params.nearest = te::Nearest::kUp;
  else if (rule != "round_prefer_floor") return bad_node(cat("nearest_mode '", rule, "' is not defined"));
  params.cubic = call.number("cubic_coeff_a", -0.75);
  params.exclude_outside = call.integer("exclude_outside", 0) != 0;
  const std::string coordinates = call.text("coordinate_transformation_mode", "half_pixel");
  HONE_ASSIGN(scales, call.numbers(2));
  HONE_ASSIGN(axes, distinct_axes(call.integers("axes"), call.value(0).shape.size()));
  if (!scales.empty()) {
    HONE_ASSIGN(wanted, wanted_by_scales(call.value(0).shape, axes, scales));
    return emit_resampled(call, wanted, coordinates, params);
  }
  HONE_ASSIGN(sizes, call.integers(size_t{3}));
  HONE_ASSIGN(wanted, wanted_by_sizes(call.value(0).shape, axes, sizes));
  HONE_TRY(keep_ratio(call.text("keep_aspect_ratio_policy", "stretch"), call.value(0).shape, axes, wanted));
  return emit_resampled(call, wanted, coordinates, params);
}

}  // namespace hone::graph
