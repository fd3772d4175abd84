#include "browser-agent/runtime/reduce_angle.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace hone::runtime {

namespace {

// 2/π after the point, 32 bits each: as many as the largest float needs.
constexpr uint32_t kTwoOverPi[] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};
// π/2 in two parts, the first of 33 bits, so that its products with n below 2²⁰ are exact (Cody and Waite, Software Manual for the Elementary Functions, 1980).
constexpr double kHalfPiHigh = 1.57079632673412561417e+00, kHalfPiLow = 6.07710050650619224932e-11;
constexpr float kNear = 1e6F;

// 32 bits from bit `first` on, the first after the point being 0, and more than 32 before it none; before the point are zeros.
uint32_t bits_from(int first) {
  const uint64_t two = (uint64_t{kTwoOverPi[first / 32]} << 32) | kTwoOverPi[first / 32 + 1];
  return static_cast<uint32_t>(two >> (32 - first % 32));
}

// Payne and Hanek, Radian Reduction for Trigonometric Functions, SIGNUM 1983: of the product with 2/π only the bits that count, those below 4.
int reduce_far(float x, double* y) {
  uint32_t word = 0;
  std::memcpy(&word, &x, sizeof word);
  const uint64_t mantissa = (word & 0x7FFFFF) | 0x800000;
  const int first = static_cast<int>(word >> 23 & 0xFF) - 127 - 23 - 2;  // the bit of 2/π whose product has the weight 2
  const uint64_t high = (uint64_t{bits_from(first)} << 32) | bits_from(first + 32);
  const uint64_t quarters = mantissa * high + (mantissa * bits_from(first + 64) >> 32);  // of a turn, in units of 2⁻⁶²
  const uint64_t n = (quarters + (uint64_t{1} << 61)) >> 62;
  *y = static_cast<double>(static_cast<int64_t>(quarters - (n << 62))) * (std::ldexp(1.0, -62) * (kHalfPiHigh + kHalfPiLow));
  return static_cast<int>(n);
}

}  // namespace

int reduce_angle(float x, double* y) {
  if (std::fabs(x) < kNear) {
    const double n = std::nearbyint(x * (1 / (kHalfPiHigh + kHalfPiLow)));
    *y = x - n * kHalfPiHigh - n * kHalfPiLow;
    return static_cast<int>(n) & 3;
  }
  const int n = reduce_far(std::fabs(x), y);
  if (x > 0) return n & 3;
  *y = -*y;
  return -n & 3;
}

}  // namespace hone::runtime

#ifdef __wasm__
// By the name under which the C library's sinf and cosf ask for it.
extern "C" int __rem_pio2f(float x, double* y) { return hone::runtime::reduce_angle(x, y); }
#endif
