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

TEST(CostModel, ScoresStandForSpeeds) {
  // Given few rows and many, when they are learnt, then a row's score stands for about its speed: the fast half for more than the slow half.
  for (size_t n : {20u, 200u}) {
    CostModel model;
    const auto learnt = rows(n, 7);
    ASSERT_TRUE(model.fit({learnt}).ok());
    double fast = 0, slow = 0;
    for (const CostRow& row : learnt)
      (row.speed > 0.2 ? fast : slow) += model.speed_of((*model.predict({row.features}))[0].score) - row.speed;
    for (const CostRow& row : learnt) EXPECT_GT(model.speed_of((*model.predict({row.features}))[0].score), 0);
    EXPECT_NEAR((fast + slow) / static_cast<double>(n), 0, 0.15);
  }
}

TEST(CostModel, BeginsWithWhatOthersTaught) {
  // Given a model of rows of a like kind, when another begins with it, then it orders without a row of its own; rows that contradict it make it
  // forget that.
  auto prior = std::make_shared<CostModel>();
  ASSERT_TRUE(prior->fit({rows(200, 8), rows(100, 9)}).ok());
  CostModel model(prior);
  EXPECT_TRUE(model.trained());
  EXPECT_GT(accuracy(model, rows(100, 10)), 0.8);
  EXPECT_GT(model.speed_of((*model.predict({rows(1, 10)[0].features}))[0].score), 0);
  auto reversed = rows(100, 11);
  for (CostRow& row : reversed) row.speed = 1.2f - row.speed;
  ASSERT_TRUE(model.fit({reversed}).ok());
  EXPECT_GT(accuracy(model, reversed), 0.7);
}

TEST(CostModel, ChangesItsMindOfAPrior) {
  // Given rows of which ever more contradict the prior, when a few come that agree with it, then the model learns on, whether or not it trusted
  // the prior before.
  auto prior = std::make_shared<CostModel>();
  ASSERT_TRUE(prior->fit({rows(200, 8)}).ok());
  for (size_t contrary = 30; contrary <= 60; contrary += 2) {
    CostModel model(prior);
    auto all = rows(120, 14);
    for (size_t i = 0; i < contrary; ++i) all[i].speed = 1.2f - all[i].speed;
    ASSERT_TRUE(model.update({all.begin(), all.begin() + 100}).ok()) << contrary;
    Status learnt = model.update(all);
    ASSERT_TRUE(learnt.ok()) << contrary << ": " << learnt.error().message;
  }
}

TEST(CostModel, AFewMoreRowsAreLearntWithoutForgetting) {
  // Given 100 learnt rows, when 10 more come and then 100 more, then both are learnt, and the model is no worse at others.
  CostModel model;
  auto all = rows(210, 12);
  ASSERT_TRUE(model.update({all.begin(), all.begin() + 100}).ok());
  ASSERT_TRUE(model.update({all.begin(), all.begin() + 110}).ok());
  EXPECT_GT(accuracy(model, rows(100, 13)), 0.75);
  ASSERT_TRUE(model.update(all).ok());
  EXPECT_GT(accuracy(model, rows(100, 13)), 0.8);
}

}  // namespace
}  // namespace hone::tuner
