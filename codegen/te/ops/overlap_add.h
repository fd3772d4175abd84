// Sums of windows at the places that they were taken from.
#pragma once
#include "base/result.h"
#include "codegen/te/ops/window.h"

namespace hone::te {

// y[n, c, i…] = Σ over the window's elements r… that meet i…  x[n, c · kernel + r…, position…]: the reverse of taking windows apart. x: [n, c · kernel, positions], both
// counted row-major; y: [n, c, image…]. It gathers, as conv_transposed. Fails: bad_model.
Result<Tensor> overlap_add(Builder& b, Tensor x, const Shape& image, const Window& window);

}  // namespace hone::te
