#include "browser-agent/runtime/reduce_angle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/rng.h"

namespace hone::runtime {
namespace {

// The C library of this machine reduces doubles exactly.
double sine_of(int n, double y) {
  const double values[] = {std::sin(y), std::cos(y), -std::sin(y), -std::cos(y)};
  return values[n];
}

void expect_reduced(float x) {
  double y = 0;
  const int n = reduce_angle(x, &y);
  const double expected = std::sin(static_cast<double>(x));
  ASSERT_LE(std::fabs(y), 0.7854) << x;
  ASSERT_NEAR(sine_of(n, y), expected, std::fabs(expected) * 1e-9 + 1e-300) << x;
}

TEST(ReduceAngle, AgreesWithTheSineOfDoubles) {
  // Given floats of all exponents and both signs, when reduced, then the sine of what is left, by its quadrant, is theirs.
  Rng rng(7);
  for (int i = 0; i < 200'000; ++i) {
    const auto word = static_cast<uint32_t>(rng.next());
    float x = 0;
    std::memcpy(&x, &word, sizeof x);
    if (std::isfinite(x) && std::fabs(x) > 0.1F) expect_reduced(x);
  }
}

TEST(ReduceAngle, KnowsWhatLiesNearAMultiple) {
  // Given multiples of π/2 as floats, where nearly all of the argument cancels, and the largest float, when reduced, then what is left is right.
  for (int n = 1; n < 400'000; n += 7) expect_reduced(static_cast<float>(n * 1.57079632679489661923));
  for (float x = 1; x < std::numeric_limits<float>::max() / 2; x *= 2) expect_reduced(static_cast<float>(std::nearbyint(x / 1.57079632679489661923) * 1.57079632679489661923));
  expect_reduced(1e6F);
  expect_reduced(std::nextafter(1e6F, 0.0F));
  expect_reduced(16367173.0F * 4.722366482869645e21F);  // 2⁷²: of all floats the nearest to a multiple
  expect_reduced(std::numeric_limits<float>::max());
  expect_reduced(-std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace hone::runtime
