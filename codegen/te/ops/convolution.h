// What the definition of a convolution and its further forms have in common.
#pragma once
#include "codegen/te/ops/window.h"

namespace hone::te {

// Y[n, o, positions…] = Σ taps, c of x · w, as conv.h has it. x: [n, c, spatial…], padded; w: [o, c / groups, kernel…].
struct Convolution {
  Tensor x = nullptr, w = nullptr;
  Window window;    // complete
  Shape positions;  // how many the window takes, per spatial dimension
  int64_t groups = 1;

  size_t rank() const { return positions.size(); }
  int64_t group_inputs() const { return w->shape[1]; }
  int64_t group_outputs() const { return w->shape[0] / groups; }
  bool one_input() const { return groups > 1 && group_inputs() == 1; }  // of each group: no reduce axis c
};

// n o, or n c where each group has one input and one output, then the positions.
std::vector<Axis> output_axes(Builder& b, const Convolution& conv);
// The taps in each spatial dimension, then c.
std::vector<Axis> reduce_axes(Builder& b, const Convolution& conv);
// The channel that weights are read at: the last of the reduce axes, or 0 where there is no axis c.
Sym weight_channel(Builder& b, const Convolution& conv, const std::vector<Axis>& reduced);
// The channel of x that output `o` reads where weights are read at `channel`.
Sym input_channel(const Convolution& conv, Sym o, Sym channel);
// Where x is read in spatial dimension i.
Sym window_index(const Convolution& conv, size_t i, Sym position, Sym tap);

}  // namespace hone::te
