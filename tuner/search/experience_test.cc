#include "tuner/search/experience.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace hone::tuner {
namespace {

constexpr Hash kTask{1, 1}, kOther{2, 2};

// The nearer one feature is to `best`, the faster; the others are noise.
CostGroup rows(size_t n, float best, uint64_t seed) {
  Rng rng(seed);
  CostGroup out(n);
  for (CostRow& row : out) {
    for (float& f : row.features) f = static_cast<float>(rng.below(9));
    row.speed = 1 / (1 + std::abs(row.features[2] - best));
  }
  return out;
}

double accuracy(const CostModel& model, const CostGroup& rows) {
  std::vector<Features> features;
  std::vector<float> speeds, scores;
  for (const CostRow& row : rows) {
    features.push_back(row.features);
    speeds.push_back(row.speed);
  }
  auto predictions = model.predict(features);
  EXPECT_TRUE(predictions.ok());
  for (const Prediction& p : *predictions) scores.push_back(p.score);
  return pairwise_accuracy(scores, speeds);
}

TEST(Experience, WhatWasLearntBeforeOrdersANewTask) {
  // Given rows of five tasks of before this job, more than a model takes, all fast where a feature is 7, when a model is made of them, then it orders
  // rows that it has not seen.
  Experience experience;
  for (uint64_t seed = 0; seed < 5; ++seed) experience.add_group(rows(400, 7, seed));
  EXPECT_EQ(experience.rows_of_others(kTask), 2000);
  EXPECT_GT(accuracy(*experience.model_of_others(kTask), rows(100, 7, 10)), 0.85);
}

TEST(Experience, ATaskOfThisJobTeachesTheOthersAndNotItself) {
  // Given one task with 40 results in this job, when a model is asked for, then another task gets one, which orders as those results do; the
  // task itself, and a job with fewer results, get none.
  Experience experience;
  const CostGroup learnt = rows(Experience::kRowsMin, 3, 1);
  for (const CostRow& row : learnt) {
    EXPECT_EQ(experience.model_of_others(kOther), nullptr);
    experience.add(kTask, row.features, 100 / row.speed);
  }
  EXPECT_EQ(experience.model_of_others(kTask), nullptr);
  ASSERT_NE(experience.model_of_others(kOther), nullptr);
  EXPECT_GT(accuracy(*experience.model_of_others(kOther), learnt), 0.85);
}

}  // namespace
}  // namespace hone::tuner
