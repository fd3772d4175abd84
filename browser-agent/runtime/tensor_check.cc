#include "browser-agent/runtime/tensor_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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

// By what an element's error is divided. Beside the largest of all counts its own size, so that an ordinary element of a result with a pole is looked
// at closely. Eight: of a million normally distributed elements the largest has 4.9 standard deviations, the median 0.67, so that there the
// second bound is no stricter than the first.
constexpr double kOrdinaryElements = 8;

double scale_of(double reference, Magnitudes magnitudes) {
  if (!(magnitudes.largest > 0)) return 1;
  return std::min(magnitudes.largest, kOrdinaryElements * std::max(std::fabs(reference), magnitudes.median));
}

template <Element kElement>
double error_of(double y, double r, Magnitudes magnitudes) {
  if (y == r || (std::isnan(y) && std::isnan(r))) return 0;
  if (kElement != Element::kF32 || !std::isfinite(y) || !std::isfinite(r)) return std::numeric_limits<double>::infinity();
  return std::fabs(y - r) / scale_of(r, magnitudes);
}

// Element apart, so that the loop over floats stays one of floats.
template <Element kElement>
Comparison compare_elements(const TensorView& view, const uint32_t* physical, const uint32_t* expected,
                            Magnitudes magnitudes, bool pads_are_zero) {
  Comparison result;
  walk_physical(view, [&](int64_t position, int64_t logical) {
    const double y = number_of(kElement, physical[position]);
    if (logical == kPadElement) {
      if (!pads_are_zero || y == 0) return;
      physical[position] == kPoisonBits ? result.unwritten++ : result.nonzero_pads++;
      return;
    }
    if (physical[position] == expected[logical]) return;
    if (physical[position] == kPoisonBits) {
      result.unwritten++;
      return;
    }
    if (expected[logical] == kUnspecifiedBits && is_some_value<kElement>(physical[position], y)) return;
    const double r = expected[logical] == kUnspecifiedBits ? 0 : number_of(kElement, expected[logical]);
    const double error = error_of<kElement>(y, r, magnitudes);
    if (error <= result.max_error) return;
    result.max_error = error;
    result.worst_index = logical;
  });
  return result;
}

}  // namespace

void fill(const TensorView& view, Element element, ValueRange range, uint64_t seed, uint32_t pad_bits, uint32_t* out) {
  walk_physical(view, [&](int64_t position, int64_t logical) {
    const auto at = static_cast<uint64_t>(logical);
    if (logical == kPadElement) out[position] = pad_bits;
    else if (element == Element::kF32) out[position] = bits_of(real_at(range, seed, at));
    else out[position] = static_cast<uint32_t>(whole_at(range, seed, at));
  });
}

Comparison compare(const TensorView& view, Element element, const uint32_t* physical, const uint32_t* expected,
                   Magnitudes magnitudes, bool pads_are_zero) {
  switch (element) {
    case Element::kI32:
      return compare_elements<Element::kI32>(view, physical, expected, magnitudes, pads_are_zero);
    case Element::kU32:
      return compare_elements<Element::kU32>(view, physical, expected, magnitudes, pads_are_zero);
    case Element::kF32:
      break;
  }
  return compare_elements<Element::kF32>(view, physical, expected, magnitudes, pads_are_zero);
}

}  // namespace hone::runtime
