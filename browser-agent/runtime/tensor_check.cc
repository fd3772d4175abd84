#include "browser-agent/runtime/tensor_check.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/rng.h"

namespace hone::runtime {
namespace {
uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
}  // namespace

void fill(const TensorView& view, uint64_t seed, uint32_t pad_bits, uint32_t* out) {
  walk_physical(view, [&](int64_t position, int64_t logical) {
    out[position] = logical == kPadElement ? pad_bits : bits_of(uniform_at(seed, static_cast<uint64_t>(logical)));
  });
}

Comparison compare(const TensorView& view, const float* physical, const float* expected, bool pads_are_zero) {
  Comparison result;
  double worst = 0;
  float scale = 0;
  walk_physical(view, [&](int64_t position, int64_t logical) {
    const float y = physical[position];
    if (logical == kPadElement) {
      if (!pads_are_zero || y == 0) return;
      bits_of(y) == kPoisonBits ? result.unwritten++ : result.nonzero_pads++;
      return;
    }
    const float r = expected[logical];
    const float magnitude = std::fabs(r);
    if (magnitude > scale) scale = magnitude;
    const double error = std::fabs(static_cast<double>(y) - static_cast<double>(r));
    if (error <= worst) return;  // a NaN falls through
    if (bits_of(y) == kPoisonBits) {
      result.unwritten++;
      return;
    }
    worst = std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
    result.worst_index = logical;
  });
  result.max_reference = scale;
  result.max_error = scale > 0 ? worst / scale : worst;
  return result;
}

}  // namespace hone::runtime
