// Grams counted in rows, against counts worked out by hand.
#include <gtest/gtest.h>

#include "codegen/te/ops/grams.h"
#include "codegen/te/ops/ops_case.h"

namespace hone::te {
namespace {

// Given rows, and grams of one and of two numbers and none, when they are counted with a skip and without, then pairs are found that far apart, and single numbers once.
TEST(Grams, Counts) {
  for (const int64_t skips : {0, 1})
    for (const GramWeight weight : {GramWeight::kCount, GramWeight::kPresence, GramWeight::kWeightedCount}) {
      Case c(Shapes{});
      Grams g{.skips_max = skips, .weight = weight};
      const Tensor x = c.b.input("X", DType::kI64, {2, 5});
      g.pool = c.b.input("pool", DType::kI64, {3, 2});
      g.lengths = c.b.input("lengths", DType::kI64, {3});
      g.weights = c.b.input("weights", DType::kF32, {3});
      c.values = {{1, 2, 1, 2, 2, 3, 1, 3, 1, 2}, {2, 0, 1, 2, 0, 0}, {1, 2, 0}, {0.5, 3, 7}};
      // Of 2: 3 and 1. Of 1 2 side by side: 2 and 1; with one between: 1 (places 2 and 4) and 0.
      const Values counts = skips == 0 ? Values{3, 2, 0, 1, 1, 0} : Values{3, 3, 0, 1, 1, 0};
      Values expected = counts;
      for (size_t i = 0; i < expected.size(); i++) {
        const double w = c.values[3][i % 3];
        if (weight == GramWeight::kPresence) expected[i] = counts[i] > 0 ? w : 0;
        if (weight == GramWeight::kWeightedCount) expected[i] = counts[i] * w;
      }
      expect_near(c.run(counted_grams(c.b, x, g)), expected);
    }
}

}  // namespace
}  // namespace hone::te
