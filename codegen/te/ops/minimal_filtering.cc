#include "codegen/te/ops/minimal_filtering.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/cat.h"
#include "codegen/te/ops/filter_matrices.h"

namespace hone::te {
namespace {

// The spatial dimensions along which three taps slide, one by one.
std::vector<size_t> sliding_dimensions(const Convolution& c) {
  std::vector<size_t> out;
  const Window& w = c.window;
  for (size_t i = 0; i < c.rank(); i++)
    if (w.kernel[i] == kFilterTaps && w.stride[i] == 1 && w.dilation[i] == 1) out.push_back(i);
  return out;
}

bool applies(const Builder& b, const Convolution& c) {
  const size_t reduced = c.rank() + (c.one_input() ? 0 : 1);
  return ir::is_float(c.x->dtype) && b.is_constant(c.w) && sliding_dimensions(c).size() == 2 && reduced > 2;
}

class Filtering {
 public:
  Filtering(Builder& b, const Convolution& c, Tensor y, int64_t outputs)
      : b_(b), c_(c), y_(y), m_(filter_matrices(outputs)), sliding_(sliding_dimensions(c)) {}
  Tensor value() {
    const Tensor v = transformed_data(), u = transformed_taps();
    return transformed_back(products(v, u));
  }

 private:
  std::string name(const char* part) const { return cat(y_->name, ".", part); }
  bool slides(size_t i) const { return i == sliding_[0] || i == sliding_[1]; }
  int64_t tiles(size_t i) const { return (c_.positions[i] + m_.outputs - 1) / m_.outputs; }
  static Sym f32(Sym value) { return cast(DType::kF32, value); }

  Part along(Tensor tensor, std::vector<Sym> index, size_t axis);

  std::vector<Axis> with_tiles(const char* first, const char* second);
  Tensor data_tiles();
  Tensor transformed_data();
  std::vector<size_t> channels() const;
  std::vector<Axis> with_channels(const char* first, int64_t extent, const char* second, int64_t second_extent);
  Tensor transformed_taps();
  std::vector<Axis> tile_axes();
  Tensor products(Tensor v, Tensor u);
  Tensor transformed_back(Tensor m);
  // Weights vary along the outputs alone: outputs come last. With groups the data does, too.
  template <class T>
  std::vector<T> in_order(std::vector<T> of_axes) const {
    if (c_.groups == 1) std::rotate(of_axes.begin() + 1, of_axes.begin() + 2, of_axes.end());
    return of_axes;
  }

  Builder& b_;
  const Convolution& c_;
  const Tensor y_;
  const FilterMatrices& m_;
  const std::vector<size_t> sliding_;
};

Part Filtering::along(Tensor tensor, std::vector<Sym> index, size_t axis) {
  return [this, tensor, index, axis](size_t place) {
    std::vector<Sym> there = index;
    there[axis] = b_.index(static_cast<int64_t>(place));
    return f32(b_.at(tensor, there));
  };
}

std::vector<Axis> Filtering::with_tiles(const char* first, const char* second) {
  std::vector<Axis> axes{b_.axis(first, m_.tile()), b_.axis(second, m_.tile())};
  for (size_t d = 0; d < c_.x->shape.size(); d++)
    axes.push_back(d >= 2 && slides(d - 2) ? b_.axis(cat("t", d), tiles(d - 2)) : b_.axis(cat("x", d), c_.x->shape[d]));
  return axes;
}

// The last tiles may reach beyond the tensor.
Tensor Filtering::data_tiles() {
  const std::vector<Axis> axes = with_tiles("i", "j");
  std::vector<Sym> index = b_.syms({axes.begin() + 2, axes.end()});
  std::optional<Sym> inside;
  for (size_t n = 0; n < 2; n++) {
    const size_t d = sliding_[n] + 2;
    const double extent = static_cast<double>(c_.x->shape[d]);
    index[d] = index[d] * static_cast<double>(m_.outputs) + b_.sym(axes[n]);
    if (tiles(sliding_[n]) * m_.outputs + kFilterTaps - 1 <= c_.x->shape[d]) continue;
    const Sym holds = index[d] < extent;
    inside = inside ? both(*inside, holds) : holds;
  }
  const Sym value = f32(b_.at(c_.x, index));
  return b_.map(name("d"), axes, inside ? select(*inside, value, value.number(0)) : value);
}

Tensor Filtering::transformed_data() {
  const Tensor d = data_tiles();
  const std::vector<Axis> rows = with_tiles("a", "j");
  const Tensor bd = b_.map(name("bd"), rows, row_times(m_.b_t, b_.sym(rows[0]), along(d, b_.syms(rows), 0)));
  const std::vector<Axis> both_axes = with_tiles("a", "b");
  return b_.map(name("v"), both_axes, row_times(m_.b_t, b_.sym(both_axes[1]), along(bd, b_.syms(both_axes), 1)));
}

// The dimensions of the weights that are no taps here, reduced ones first.
std::vector<size_t> Filtering::channels() const {
  std::vector<size_t> reduced, others{0};
  (c_.one_input() ? others : reduced).push_back(1);
  for (size_t i = 0; i < c_.rank(); i++)
    if (!slides(i)) reduced.push_back(i + 2);
  reduced.insert(reduced.end(), others.begin(), others.end());
  return reduced;
}

std::vector<Axis> Filtering::with_channels(const char* first, int64_t extent, const char* second,
                                           int64_t second_extent) {
  std::vector<Axis> axes{b_.axis(first, extent), b_.axis(second, second_extent)};
  for (size_t d : channels()) axes.push_back(b_.axis(cat("w", d), c_.w->shape[d]));
  return axes;
}

Tensor Filtering::transformed_taps() {
  const std::vector<size_t> dimensions = channels();
  const std::vector<Axis> rows = with_channels("a", m_.tile(), "s", kFilterTaps);
  std::vector<Sym> index(c_.w->shape.size(), b_.index(0));
  for (size_t n = 0; n < dimensions.size(); n++) index[dimensions[n]] = b_.sym(rows[n + 2]);
  index[sliding_[1] + 2] = b_.sym(rows[1]);
  const Tensor g = b_.map(name("g"), rows, row_times(m_.g, b_.sym(rows[0]), along(c_.w, index, sliding_[0] + 2)));
  const std::vector<Axis> both_axes = with_channels("a", m_.tile(), "b", m_.tile());
  return b_.map(name("u"), both_axes, row_times(m_.g, b_.sym(both_axes[1]), along(g, b_.syms(both_axes), 1)));
}

std::vector<Axis> Filtering::tile_axes() {
  Convolution tiled = c_;
  for (size_t i : sliding_) tiled.positions[i] = tiles(i);
  return output_axes(b_, tiled);
}

Tensor Filtering::products(Tensor v, Tensor u) {
  const std::vector<Axis> outputs = tile_axes(), reduced = reduce_axes(b_, c_);
  std::vector<Axis> axes{b_.axis("a", m_.tile()), b_.axis("b", m_.tile())}, rest;
  for (const Axis& a : in_order(outputs)) axes.push_back(a);
  for (size_t i = 0; i < reduced.size(); i++)
    if (i >= c_.rank() || !slides(i)) rest.push_back(reduced[i]);
  const Sym o = b_.sym(outputs[1]), channel = weight_channel(b_, c_, reduced);
  std::vector<Sym> at_v{b_.sym(axes[0]), b_.sym(axes[1]), b_.sym(outputs[0]), input_channel(c_, o, channel)};
  std::vector<Sym> at_u{at_v[0], at_v[1]}, at_w{o, channel};
  for (size_t i = 0; i < c_.rank(); i++) {
    const Sym position = b_.sym(outputs[2 + i]), tap = b_.sym(reduced[i]);
    at_v.push_back(slides(i) ? position : window_index(c_, i, position, tap));
    at_w.push_back(tap);
  }
  for (size_t d : channels()) at_u.push_back(at_w[d]);
  const Sym left = b_.at(v, at_v), right = b_.at(u, at_u);
  return b_.reduce(name("m"), axes, rest, Fold::kSum, left * right);
}

Tensor Filtering::transformed_back(Tensor m) {
  std::vector<Axis> rows{b_.axis("i", m_.outputs), b_.axis("b", m_.tile())};
  for (const Axis& a : in_order(tile_axes())) rows.push_back(a);
  const Tensor am = b_.map(name("am"), rows, row_times(m_.a_t, b_.sym(rows[0]), along(m, b_.syms(rows), 0)));
  const std::vector<Axis> axes = output_axes(b_, c_);
  const double outputs = static_cast<double>(m_.outputs);
  std::vector<Sym> tile = b_.syms(axes);
  for (size_t i : sliding_) tile[2 + i] = tile[2 + i] / outputs;
  std::vector<Sym> index = in_order(tile);
  index.insert(index.begin(), {b_.sym(axes[2 + sliding_[0]]) % outputs, b_.index(0)});
  const Sym value = row_times(m_.a_t, b_.sym(axes[2 + sliding_[1]]) % outputs, along(am, index, 1));
  return b_.map(y_->name, axes, cast(y_->dtype, value));
}

struct Form {
  int64_t outputs;
  double error, error_per_sqrt_term;
};
constexpr Form kForms[] = {{2, 4e-7, 5e-8}, {4, 5e-6, 2e-7}};

}  // namespace

void offer_minimal_filtering(Builder& b, const Convolution& conv, Tensor y) {
  if (!applies(b, conv)) return;
  double terms = static_cast<double>(conv.group_inputs());
  for (int64_t taps : conv.window.kernel) terms *= static_cast<double>(taps);
  for (const Form& form : kForms)
    b.offer(y, cat("winograd", form.outputs), form.error + form.error_per_sqrt_term * std::sqrt(terms),
            [=](Builder& in_place) { return Filtering(in_place, conv, y, form.outputs).value(); });
}

}  // namespace hone::te
