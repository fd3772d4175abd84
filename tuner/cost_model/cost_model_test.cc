#include "tuner/cost_model/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace hone::tuner {
namespace {

// Speed falls with the distance of two features from 3 and 5; the others are noise.
std::vector<CostRow> rows(size_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<CostRow> out(n);
  for (CostRow& row : out) {
    for (float& f : row.features) f = static_cast<float>(rng.below(9));
    row.speed = 1 / (1 + std::abs(row.features[2] - 3) + std::abs(row.features[40] - 5));
  }
  return out;
}

double accuracy(const CostModel& model, const std::vector<CostRow>& rows) {
  std::vector<Features> features;
  std::vector<float> speeds;
  for (const CostRow& row : rows) {
    features.push_back(row.features);
    speeds.push_back(row.speed);
  }
  auto scores = model.predict(features);
  EXPECT_TRUE(scores.ok());
  std::vector<float> plain;
  for (const Prediction& p : *scores) plain.push_back(p.score);
  return pairwise_accuracy(plain, speeds);
}

TEST(CostModel, OrdersWhatItHasNotSeen) {
  // Given 200 rows whose speed depends on two of the features, when it learns them, then it orders 100 others right in 4 of 5 pairs.
  CostModel model;
  ASSERT_TRUE(model.fit({rows(200, 1)}).ok());
  EXPECT_GT(accuracy(model, rows(100, 2)), 0.8);
  EXPECT_GT(model.held_out_accuracy(), 0.7);
}

TEST(CostModel, NoiseIsNotHeldToBeKnowledge) {
  // Given speeds that have nothing to do with the features, when it learns them, then its own estimate of itself is about chance.
  auto noise = rows(200, 3);
  Rng rng(4);
  for (CostRow& row : noise) row.speed = static_cast<float>(rng.uniform());
  CostModel model;
  ASSERT_TRUE(model.fit({noise}).ok());
  EXPECT_LT(model.held_out_accuracy(), 0.68);
}

TEST(CostModel, SameRowsSameScores) {
  // Given the same rows, when two models learn them, then their scores are equal bit for bit; few rows suffice to begin.
  for (size_t n : {12u, 150u}) {
    CostModel a, b;
    EXPECT_FALSE(a.trained());
    ASSERT_TRUE(a.fit({rows(n, 5)}).ok() && b.fit({rows(n, 5)}).ok());
    std::vector<Features> others;
    for (const CostRow& row : rows(30, 6)) others.push_back(row.features);
    EXPECT_EQ(*a.predict(others), *b.predict(others));
  }
}

}  // namespace
}  // namespace hone::tuner
