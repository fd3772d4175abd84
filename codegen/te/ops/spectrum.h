// Discrete Fourier transforms as sums, and the windows that go with them.
#pragma once
#include <array>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

struct Fourier {
  int64_t axis = 0;      // ≥ 0, not the last one
  int64_t length = 1;    // of the transform: elements beyond it do not count, missing ones are 0
  bool inverse = false;
  bool onesided = false;  // the first length / 2 + 1 bins alone: of the result, or, inverse, of x, whose result is real then
};
// x: […, axis, …, 1 or 2]: the last dimension holds real and imaginary part. The Maps "cosines" and "sines" of one turn, and the reduction "Y". Fails: bad_model.
Result<Tensor> fourier(Builder& b, Tensor x, const Fourier& f);

struct Frames {
  int64_t step = 1, length = 1;
  Tensor window = nullptr;  // [length], or shorter; null: ones
  bool onesided = true;
};
// The transforms of frames of a signal: [n, samples, 1 or 2] → [n, frames, bins, 2]. Fails: bad_model.
Result<Tensor> framed_fourier(Builder& b, Tensor x, const Frames& frames);

// w[i] = c0 − c1 · cos(2πi / N) + c2 · cos(4πi / N) for 0 ≤ i < size, N = size where `periodic`, else size − 1 (Harris 1978, "On the use of windows", V). Fails: bad_model.
Result<Tensor> cosine_window(Builder& b, DType dtype, int64_t size, bool periodic, const std::array<double, 3>& c);

}  // namespace hone::te
