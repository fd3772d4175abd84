#include "codegen/te/ops/spectrum.h"

#include <algorithm>
#include <functional>
#include <numbers>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/ops/window.h"

namespace hone::te {
namespace {

struct Turn {
  Tensor cosines = nullptr, sines = nullptr;  // [length]
};

Turn turn_of(Builder& b, DType dtype, int64_t length) {
  const auto table = [&](std::string_view name, Sym (*f)(Sym)) {
    const std::vector<Axis> axes = b.axes({"i"}, {length});
    return b.map(name, axes, f(cast(dtype, b.sym(axes[0])) * (2 * std::numbers::pi / double(length))));
  };
  const Tensor cosines = table("cosines", cosine);
  return {cosines, table("sines", sine)};
}

// A sum of `terms` complex numbers times powers of the root of unity.
struct Transform {
  int64_t length = 1, terms = 1;
  size_t bin_axis = 0;  // of the result
  bool inverse = false, complex = true, mirrored = false;
  // Term j of the sum for the result at `at`, real (0) or imaginary (1) part.
  std::function<Sym(const std::vector<Sym>& at, Sym j, int64_t part)> term;
};

// What stands for two bins of a mirrored spectrum counts twice: all but the first, and that of half the length.
Sym times_mirrored(const Transform& t, Sym j, Sym value) {
  if (!t.mirrored) return value;
  const Sym alone = either(j == 0.0, j * 2.0 == double(t.length));
  return select(alone, value, value * 2.0);
}

// shape's last dimension is the result's parts.
Tensor transformed(Builder& b, DType dtype, const Shape& shape, const Transform& t) {
  const Turn turn = turn_of(b, dtype, t.length);
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape), k = b.axes({"k"}, {t.terms});
  const std::vector<Sym> at = b.syms(axes);
  const Sym j = b.sym(k[0]), angle = at[t.bin_axis] * j % double(t.length);
  const Sym cosine = b.at(turn.cosines, {angle}), sine = b.at(turn.sines, {angle}), re = t.term(at, j, 0);
  Sym real = re * cosine, imaginary = t.inverse ? re * sine : -(re * sine);
  if (t.complex) {
    const Sym im = t.term(at, j, 1);
    real = t.inverse ? real - im * sine : real + im * sine;
    imaginary = imaginary + im * cosine;
  }
  const Sym value = shape.back() == 1 ? real : select(at.back() == 0.0, real, imaginary);
  return b.reduce("Y", axes, k, Fold::kSum, times_mirrored(t, j, value), [&](Sym acc) { return t.inverse ? acc / double(t.length) : acc; });
}

Status check_signal(Tensor x, int64_t length) {
  if (x->shape.size() < 2 || x->shape.back() < 1 || x->shape.back() > 2 || !ir::is_float(x->dtype))
    return bad_model(cat("an input of shape ", shape_text(x->shape), " is no signal; expected floats, and 1 or 2 parts in the last dimension"));
  if (length < 1 || length > kWindowMax) return bad_model(cat("a transform of length ", length, " is out of range; expected 1 to ", kWindowMax));
  return ok_status();
}

}  // namespace

Result<Tensor> fourier(Builder& b, Tensor x, const Fourier& f) {
  HONE_TRY(check_signal(x, f.length));
  if (f.axis < 0 || f.axis + 1 >= static_cast<int64_t>(x->shape.size())) return bad_model(cat("axis ", f.axis, " is out of range for a signal of shape ", shape_text(x->shape)));
  const auto along = static_cast<size_t>(f.axis);
  const int64_t half = f.length / 2 + 1;
  Transform t{.length = f.length, .bin_axis = along, .inverse = f.inverse, .complex = x->shape.back() == 2, .mirrored = f.inverse && f.onesided};
  t.terms = std::min(x->shape[along], t.mirrored ? half : f.length);
  t.term = [&b, x, along](std::vector<Sym> at, Sym j, int64_t part) {
    at[along] = j;
    at.back() = b.index(part);
    return b.at(x, at);
  };
  Shape shape = x->shape;
  shape[along] = f.onesided && !f.inverse ? half : f.length;
  shape.back() = t.mirrored ? 1 : 2;
  return transformed(b, x->dtype, shape, t);
}

Result<Tensor> framed_fourier(Builder& b, Tensor x, const Frames& frames) {
  HONE_TRY(check_signal(x, frames.length));
  const int64_t samples = x->shape.size() == 3 ? x->shape[1] : 0;
  if (frames.step < 1 || frames.step > kExtentMax || frames.length > samples) return bad_model(cat("frames of ", frames.length, " samples, ", frames.step, " apart, do not fit a signal of shape ", shape_text(x->shape)));
  if (frames.window && (frames.window->shape.size() != 1 || frames.window->shape[0] > frames.length || frames.window->dtype != x->dtype))
    return bad_model(cat("a window of shape ", shape_text(frames.window->shape), " does not fit frames of ", frames.length, " samples"));
  Transform t{.length = frames.length, .bin_axis = 2, .complex = x->shape.back() == 2};
  t.terms = frames.window ? frames.window->shape[0] : frames.length;
  t.term = [&b, x, &frames](const std::vector<Sym>& at, Sym j, int64_t part) {
    const Sym value = b.at(x, {at[0], at[1] * double(frames.step) + j, b.index(part)});
    return frames.window ? value * b.at(frames.window, {j}) : value;
  };
  const int64_t count = 1 + (samples - frames.length) / frames.step, bins = frames.onesided ? frames.length / 2 + 1 : frames.length;
  return transformed(b, x->dtype, {x->shape[0], count, bins, 2}, t);
}

Result<Tensor> cosine_window(Builder& b, DType dtype, int64_t size, bool periodic, const std::array<double, 3>& c) {
  if (size < 0 || size > kExtentMax || !ir::is_float(dtype)) return bad_model(cat("a window of ", size, " elements is out of range; expected floats, and 0 to ", kExtentMax));
  const double turn = 2 * std::numbers::pi / double(std::max<int64_t>(periodic ? size : size - 1, 1));
  const std::vector<Axis> axes = b.axes({"i"}, {size});
  const Sym i = cast(dtype, b.sym(axes[0]));
  if (size == 1 && !periodic) return b.map("Y", axes, i.number(1));
  const Sym once = c[0] - c[1] * cosine(i * turn);
  return b.map("Y", axes, c[2] == 0 ? once : once + c[2] * cosine(i * (2 * turn)));
}

}  // namespace hone::te
