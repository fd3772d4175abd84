#include "browser-agent/runtime/tensor_check.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/rng.h"
#include "base/unspecified.h"

namespace hone::runtime {
namespace {
uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

double number_of(Element element, uint32_t bits) {
  if (element == Element::kI32) return static_cast<int32_t>(bits);
  if (element == Element::kU32) return bits;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Where the reference does not say which value is right: any that was written, and no NaN or infinity.
template <Element kElement>
bool is_some_value(uint32_t bits, double value) {
  return bits != kPoisonBits && (kElement != Element::kF32 || std::isfinite(value));
}

// Element apart, so that the loop over floats stays one of floats.
template <Element kElement>
Comparison compare_elements(const TensorView& view, const uint32_t* physical, const uint32_t* expected,
                            bool pads_are_zero) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Comparison result;
  double worst = 0, scale = 0;
  walk_physical(view, [&](int64_t position, int64_t logical) {
    const double y = number_of(kElement, physical[position]);
    if (logical == kPadElement) {
      if (!pads_are_zero || y == 0) return;
      physical[position] == kPoisonBits ? result.unwritten++ : result.nonzero_pads++;
      return;
    }
    if (expected[logical] == kUnspecifiedBits && is_some_value<kElement>(physical[position], y)) return;
    const double r = expected[logical] == kUnspecifiedBits ? 0 : number_of(kElement, expected[logical]);
    scale = std::fabs(r) > scale ? std::fabs(r) : scale;
    const double error = std::fabs(y - r);
    if (error <= worst) return;  // a NaN falls through
    if (physical[position] == kPoisonBits) {
      result.unwritten++;
      return;
    }
    worst = kElement == Element::kF32 && std::isfinite(error) ? error : kInfinite;
    result.worst_index = logical;
  });
  result.max_reference = scale;
  result.max_error = scale > 0 ? worst / scale : worst;
  return result;
}

}  // namespace

void fill(const TensorView& view, Element element, uint64_t seed, uint32_t pad_bits, uint32_t* out) {
  walk_physical(view, [&](int64_t position, int64_t logical) {
    const auto at = static_cast<uint64_t>(logical);
    if (logical == kPadElement) out[position] = pad_bits;
    else if (element == Element::kF32) out[position] = bits_of(uniform_at(seed, at));
    else out[position] = static_cast<uint32_t>(whole_at(seed, at, element == Element::kI32));
  });
}

Comparison compare(const TensorView& view, Element element, const uint32_t* physical, const uint32_t* expected,
                   bool pads_are_zero) {
  switch (element) {
    case Element::kI32:
      return compare_elements<Element::kI32>(view, physical, expected, pads_are_zero);
    case Element::kU32:
      return compare_elements<Element::kU32>(view, physical, expected, pads_are_zero);
    case Element::kF32:
      break;
  }
  return compare_elements<Element::kF32>(view, physical, expected, pads_are_zero);
}

}  // namespace hone::runtime
