#include "stats/quantiles.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone::stats {
namespace {

// Given the tables' places, when quantiles are asked for, then they are the tables'.
TEST(Quantiles, AreTheTables) {
  EXPECT_NEAR(normal_quantile(0.995), 2.575829, 1e-6);
  EXPECT_NEAR(students_t_quantile(0.995, 1), 63.656741, 1e-5);
  EXPECT_NEAR(students_t_quantile(0.975, 10), 2.228139, 1e-6);
  EXPECT_NEAR(students_t_two_sided_p(2.228139, 10), 0.05, 1e-6);
}

// Given an infinite number of degrees, when Student's t is asked, then it is the normal distribution; an infinite t has no probability.
TEST(Quantiles, TakeInfinity) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(students_t_quantile(0.995, infinite), 2.575829, 1e-5);
  EXPECT_NEAR(students_t_two_sided_p(2.575829, infinite), 0.01, 1e-6);
  EXPECT_EQ(students_t_two_sided_p(-infinite, 3), 0);
}

}  // namespace
}  // namespace hone::stats
