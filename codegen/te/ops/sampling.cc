#include "codegen/te/ops/sampling.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/ops/spatial_axes.h"
#include "codegen/te/ops/taps.h"

namespace hone::te {
namespace {

// One dimension of x, and how what lies beyond it is found.
struct Line {
  int64_t extent = 1;
  Beyond beyond = Beyond::kZeros;
  bool corners = false;

  // The triangle wave between the outermost centres (or edges), of a place and of an element.
  Sym reflected(Sym place) const {
    const double low = corners ? 0 : -0.5, length = corners ? double(extent - 1) : double(extent), period = 2 * length;
    if (length == 0) return place.number(0);
    const Sym from = place - low, rest = from - floor_of(from / period) * period;
    const Sym folded = smaller(rest, period - rest) + low;
    return select(both(place.number(low) <= place, place <= low + length), place, folded);
  }
  Sym reflected_element(Sym at) const {
    const int64_t period = corners ? 2 * (extent - 1) : 2 * extent;
    if (period == 0) return at * 0.0;
    const Sym rest = at % double(period);
    return min(rest, double(corners ? period : period - 1) - rest);
  }

  // Where the place leaves the line it moves; a little beyond its ends all taps are outside, whatever the place.
  Sym within_reach(Sym place) const {
    if (beyond == Beyond::kEdge) place = min(max(place, 0.0), double(extent - 1));
    if (beyond == Beyond::kReflect) place = reflected(place);
    return min(max(place, -2.0), double(extent + 1));
  }
  Sym element(Sym at) const { return clamped(beyond == Beyond::kReflect ? reflected_element(at) : at, extent); }
  // A whole number within reach as an index, whose range can be seen.
  Sym near(Sym place) const { return max(min(cast(DType::kIndex, place), double(extent + 1)), -2.0); }
  Sym inside(Sym at) const { return both(0.0 <= at, at < double(extent)); }

  Tap tap(Sym at, Sym weight) const { return {element(at), beyond == Beyond::kZeros ? select(inside(at), weight, weight.number(0)) : weight}; }

  std::vector<Tap> taps(Blend blend, Sym place, DType dtype) const {
    const Sym reach = within_reach(place), low = floor_of(reach), at = near(low), f = cast(dtype, reach - low);
    if (blend == Blend::kLinear) return {tap(at, 1.0 - f), tap(at + 1.0, f)};
    constexpr double kA = -0.75;  // that of ONNX and PyTorch
    return {tap(at - 1.0, cubic_far(f + 1.0, kA)), tap(at, cubic_near(f, kA)), tap(at + 1.0, cubic_near(1.0 - f, kA)), tap(at + 2.0, cubic_far(2.0 - f, kA))};
  }
};

Tap exact(Sym index) { return {index, {}, false}; }

// From −1…1 to elements of a line of this extent.
Sym denormalized(Sym g, int64_t extent, bool corners) {
  if (corners) return (g + 1.0) * (double(extent - 1) / 2);
  return ((g + 1.0) * double(extent) - 1.0) * 0.5;
}

// Images and channels may be none, but an image without elements has none to sample.
Status check_elements(Tensor x) {
  for (size_t d = 2; d < x->shape.size(); d++)
    if (x->shape[d] == 0) return bad_model("an empty image has no elements to sample");
  return ok_status();
}

Status check_grid(Tensor x, Tensor grid) {
  const size_t rank = x->shape.size();
  const bool fits = rank >= 3 && grid->shape.size() == rank && grid->shape[0] == x->shape[0] && grid->shape.back() == static_cast<int64_t>(rank - 2) && ir::is_float(grid->dtype);
  if (!fits) return bad_model(cat("a grid of shape ", shape_text(grid->shape), " does not fit an input of shape ", shape_text(x->shape)));
  return check_elements(x);
}

// The element nearest to the place, half to even.
Sym nearest_element(Builder& b, Tensor x, const std::vector<Sym>& at, const std::vector<Line>& lines, const std::vector<Sym>& places) {
  std::vector<Sym> index{at[0], at[1]};
  Sym inside = b.constant(DType::kBool, 1);
  for (size_t d = 0; d < lines.size(); d++) {
    const Sym element = lines[d].near(lines[d].within_reach(rounded(places[d])));
    inside = both(inside, lines[d].inside(element));
    index.push_back(lines[d].element(element));
  }
  const Sym value = b.at(x, index);
  return lines[0].beyond == Beyond::kZeros ? select(inside, value, value.number(0)) : value;
}

}  // namespace

Result<Tensor> sample_at(Builder& b, Tensor x, Tensor grid, const GridSampling& sampling) {
  HONE_TRY(check_grid(x, grid));
  const size_t rank = x->shape.size() - 2;
  Shape shape{x->shape[0], x->shape[1]};
  shape.insert(shape.end(), grid->shape.begin() + 1, grid->shape.end() - 1);
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape);
  const std::vector<Sym> at = b.syms(axes);
  std::vector<Line> lines;
  std::vector<Sym> places;
  for (size_t d = 0; d < rank; d++) {
    std::vector<Sym> index{at[0]};
    index.insert(index.end(), at.begin() + 2, at.end());
    index.push_back(b.index(static_cast<int64_t>(rank - 1 - d)));
    lines.push_back({x->shape[2 + d], sampling.beyond, sampling.corners});
    places.push_back(denormalized(b.at(grid, index), lines[d].extent, sampling.corners));
  }
  if (sampling.blend == Blend::kNearest) return b.map("Y", axes, nearest_element(b, x, at, lines, places));
  if (!ir::is_float(x->dtype)) return Error{ErrorCode::kUnsupported, "whole numbers are sampled by mode 'nearest' alone; cast them to floats before"};
  std::vector<std::vector<Tap>> taps{{exact(at[0])}, {exact(at[1])}};
  for (size_t d = 0; d < rank; d++) taps.push_back(lines[d].taps(sampling.blend, places[d], x->dtype));
  HONE_TRY(check_taps(taps));
  return b.map("Y", axes, blended(b, x, taps));
}

Result<Tensor> affine_grid(Builder& b, Tensor theta, const Shape& spatial, bool corners) {
  const auto rank = static_cast<int64_t>(spatial.size());
  if (rank < 1 || theta->shape.size() != 3 || theta->shape[1] != rank || theta->shape[2] != rank + 1 || !ir::is_float(theta->dtype))
    return bad_model(cat("theta of shape ", shape_text(theta->shape), " does not fit ", rank, " spatial dimensions"));
  Shape shape{theta->shape[0]};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  shape.push_back(rank);
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape);
  const std::vector<Sym> at = b.syms(axes);
  Sym sum = b.at(theta, {at[0], at.back(), b.index(rank)});
  for (int64_t e = 0; e < rank; e++) {
    const auto d = static_cast<size_t>(rank - 1 - e);  // the first column is for the last dimension
    const double extent = double(spatial[d]);
    const Sym i = cast(theta->dtype, at[1 + d]);
    const Sym place = corners ? i * (2 / std::max(extent - 1, 1.0)) - 1.0 : (i * 2.0 + 1.0) / extent - 1.0;
    const Sym factor = b.at(theta, {at[0], at.back(), b.index(e)});
    sum = sum + factor * place;
  }
  return b.map("Y", axes, sum);
}

namespace {

struct Deformed {
  Window window;
  Shape positions;
  int64_t taps = 1;  // of the window
};

Result<Deformed> check_deformed(Tensor x, Tensor w, const DeformedWindow& d) {
  const size_t rank = x->shape.size() < 3 ? 0 : x->shape.size() - 2;
  const int64_t groups = d.conv.groups;
  const auto misfit = [&] {
    return bad_model(cat("input, weights and offsets of shapes ", shape_text(x->shape), ", ", shape_text(w->shape), " and ", shape_text(d.offsets->shape), " do not fit"));
  };
  if (rank == 0 || rank > 3 || w->shape.size() != x->shape.size() || !ir::is_float(x->dtype) || w->dtype != x->dtype || d.offsets->dtype != x->dtype) return misfit();
  if (groups < 1 || d.offset_groups < 1 || w->shape[0] % groups != 0 || w->shape[1] * groups != x->shape[1] || x->shape[1] % d.offset_groups != 0) return misfit();
  HONE_TRY(check_elements(x));
  Window wanted = d.conv.window;
  wanted.kernel.assign(w->shape.begin() + 2, w->shape.end());
  HONE_ASSIGN(window, complete_window(wanted, rank));
  HONE_ASSIGN(positions, window_positions(Shape(x->shape.begin() + 2, x->shape.end()), window));
  Deformed out{window, positions, ir::element_count(window.kernel)};
  Shape offsets{x->shape[0], d.offset_groups * out.taps * static_cast<int64_t>(rank)}, mask{x->shape[0], d.offset_groups * out.taps};
  for (Shape* s : {&offsets, &mask}) s->insert(s->end(), positions.begin(), positions.end());
  if (d.offsets->shape != offsets) return misfit();
  if (d.mask && (d.mask->shape != mask || d.mask->dtype != x->dtype)) return bad_model(cat("a mask of shape ", shape_text(d.mask->shape), " does not fit; expected ", shape_text(mask)));
  return out;
}

// What each element of a window reads: [n, c, window, positions…].
Tensor deformed_columns(Builder& b, Tensor x, const DeformedWindow& d, const Deformed& of) {
  const size_t rank = of.positions.size();
  Shape shape{x->shape[0], x->shape[1], of.taps};
  shape.insert(shape.end(), of.positions.begin(), of.positions.end());
  const std::vector<Axis> axes = b.axes({"n", "c", "k"}, shape);
  const std::vector<Sym> at = b.syms(axes);
  const Sym group = at[1] / double(x->shape[1] / d.offset_groups), tap = at[2];
  const auto read = [&](Tensor t, Sym channel) {
    std::vector<Sym> index{at[0], channel};
    index.insert(index.end(), at.begin() + 3, at.end());
    return b.at(t, index);
  };
  std::vector<std::vector<Tap>> taps{{exact(at[0])}, {exact(at[1])}};
  int64_t behind = of.taps;
  for (size_t i = 0; i < rank; i++) {
    behind /= of.window.kernel[i];
    const Sym r = tap / double(behind) % double(of.window.kernel[i]);
    const Sym place = at[3 + i] * double(of.window.stride[i]) + r * double(of.window.dilation[i]) - double(of.window.pad_begin[i]);
    const Sym offset = read(d.offsets, (group * double(of.taps) + tap) * double(rank) + double(i));
    taps.push_back(Line{x->shape[2 + i]}.taps(Blend::kLinear, cast(x->dtype, place) + offset, x->dtype));
  }
  const Sym value = blended(b, x, taps);
  if (!d.mask) return b.map("columns", axes, value);
  const Sym factor = read(d.mask, group * double(of.taps) + tap);
  return b.map("columns", axes, value * factor);
}

}  // namespace

Result<Tensor> deformed_conv(Builder& b, Tensor x, Tensor w, const DeformedWindow& d) {
  HONE_ASSIGN(of, check_deformed(x, w, d));
  const Tensor columns = deformed_columns(b, x, d, of);
  const size_t rank = of.positions.size();
  const int64_t inputs = w->shape[1], outputs = w->shape[0] / d.conv.groups;
  Shape shape{x->shape[0], w->shape[0]};
  std::vector<std::string> names{"n", "o"};
  for (size_t i = 0; i < rank; i++) shape.push_back(of.positions[i]), names.push_back(output_axis_names(rank)[i]);
  const std::vector<Axis> axes = b.axes(names, shape);
  std::vector<Axis> reduce_axes = b.axes(window_axis_names(rank), of.window.kernel);
  reduce_axes.push_back(b.axis("c", inputs));
  const std::vector<Sym> at = b.syms(axes), r = b.syms(reduce_axes);
  const Sym group = d.conv.groups == 1 ? b.index(0) : at[1] / double(outputs);
  Sym tap = r[0];
  for (size_t i = 1; i < rank; i++) tap = tap * double(of.window.kernel[i]) + r[i];
  std::vector<Sym> column{at[0], group * double(inputs) + r.back(), tap}, weight{at[1], r.back()};
  column.insert(column.end(), at.begin() + 2, at.end());
  weight.insert(weight.end(), r.begin(), r.end() - 1);
  const Sym value = b.at(columns, column), factor = b.at(w, weight);
  return b.reduce("Y", axes, reduce_axes, Fold::kSum, value * factor);
}

namespace {

// A region along one dimension.
struct Span {
  Sym begin, cell, samples;  // cell: its length; samples: how many a cell has
  int64_t samples_max = 1;
};

Span span_of(Builder& b, Tensor regions, Sym region, size_t column, int64_t cells, int64_t extent, const RegionSampling& s) {
  const auto corner = [&](size_t i) { return b.at(regions, {region, b.index(static_cast<int64_t>(i))}) * s.scale - (s.half_pixel ? 0.5 : 0.0); };
  Span out;
  out.begin = corner(column);
  Sym length = corner(column + 2) - out.begin;
  if (!s.half_pixel) length = max(length, 1.0);
  out.cell = length / double(cells);
  out.samples_max = s.samples > 0 ? s.samples : (extent + cells - 1) / cells + 1;
  out.samples = s.samples > 0 ? b.constant(regions->dtype, double(s.samples)) : max(min(ceiling(out.cell), double(out.samples_max)), 0.0);
  return out;
}

// The place of sample `i` of cell `cell`.
Sym sample_place(const Span& span, Sym cell, Sym i, DType dtype) {
  return span.begin + cast(dtype, cell) * span.cell + (cast(dtype, i) + 0.5) * span.cell / max(span.samples, 1.0);
}

// Up to one pixel outside the edge's value stands; further off there is nothing.
std::vector<Tap> region_taps(Sym place, int64_t extent, DType dtype) {
  const Sym inside = both(-1.0 <= place, place <= double(extent));
  const Sym reach = min(max(place, 0.0), double(extent - 1)), low = floor_of(reach), at = clamped(cast(DType::kIndex, low), extent);
  const Sym f = cast(dtype, reach - low), none = f.number(0);
  return {{at, select(inside, 1.0 - f, none)}, {clamped(at + 1.0, extent), select(inside, f, none)}};
}

Status check_regions(Tensor x, Tensor regions, Tensor images, const RegionSampling& s) {
  const bool fits = x->shape.size() == 4 && regions->shape.size() == 2 && regions->shape[1] == 4 && images->shape == Shape{regions->shape[0]} && ir::is_int(images->dtype) &&
                    ir::is_float(x->dtype) && regions->dtype == x->dtype;
  if (!fits) return bad_model(cat("regions and images of shapes ", shape_text(regions->shape), " and ", shape_text(images->shape), " do not fit an input of shape ", shape_text(x->shape)));
  HONE_TRY(check_elements(x));
  if (x->shape[0] == 0 && regions->shape[0] > 0) return bad_model("there is no image to sample");
  for (int64_t v : {s.height, s.width, s.samples + 1})
    if (v < 1 || v > kWindowMax) return bad_model(cat("an extent or a number of samples is out of range; expected 1 to ", kWindowMax));
  return ok_status();
}

}  // namespace

Result<Tensor> pooled_regions(Builder& b, Tensor x, Tensor regions, Tensor images, const RegionSampling& s) {
  HONE_TRY(check_regions(x, regions, images, s));
  const std::vector<Axis> axes = b.axes({"n", "c", "oh", "ow"}, {regions->shape[0], x->shape[1], s.height, s.width});
  const std::vector<Sym> at = b.syms(axes);
  const Span rows = span_of(b, regions, at[0], 1, s.height, x->shape[2], s), columns = span_of(b, regions, at[0], 0, s.width, x->shape[3], s);
  const std::vector<Axis> near = b.axes({"r", "s"}, {rows.samples_max, columns.samples_max});
  const Sym r = b.sym(near[0]), q = b.sym(near[1]);
  const Sym image = clamped(cast(DType::kIndex, b.at(images, {at[0]})), x->shape[0]);
  const std::vector<Tap> down = region_taps(sample_place(rows, at[2], r, x->dtype), x->shape[2], x->dtype), across = region_taps(sample_place(columns, at[3], q, x->dtype), x->shape[3], x->dtype);
  const Sym counts = both(cast(x->dtype, r) < rows.samples, cast(x->dtype, q) < columns.samples);
  if (!s.largest) {
    const Sym value = blended(b, x, {{exact(image)}, {exact(at[1])}, down, across});
    const Tensor sum = b.reduce("Y", axes, near, Fold::kSum, select(counts, value, value.number(0)), [&](Sym acc) { return acc / max(rows.samples * columns.samples, 1.0); });
    return sum;
  }
  Sym largest;
  for (const Tap& i : down)
    for (const Tap& j : across) {
      const Sym value = blended(b, x, {{exact(image)}, {exact(at[1])}, {i}, {j}});
      largest = largest.expr ? larger(largest, value) : value;
    }
  // Where a region has no sample there is no pixel.
  const double lowest = fold_identity(Fold::kMax, x->dtype);
  return b.reduce("Y", axes, near, Fold::kMax, select(counts, largest, largest.number(lowest)), [&](Sym acc) { return select(acc == lowest, acc.number(0), acc); });
}

}  // namespace hone::te
