#include "bench/search/model_quality.h"

#include <algorithm>
#include <numeric>

namespace hone::bench {

namespace {

constexpr size_t kFolds = 5, kFront = 8;

ModelQuality judge(const tuner::CostModel& model, const tuner::CostGroup& rows) {
  std::vector<tuner::Features> features;
  std::vector<float> scores, speeds;
  for (const tuner::CostRow& row : rows) {
    features.push_back(row.features);
    speeds.push_back(row.speed);
  }
  auto predictions = model.predict(features);
  CHECK(predictions.ok(), predictions.error().message);
  for (const tuner::Prediction& p : *predictions) scores.push_back(p.score);
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  float front = 0;
  for (size_t i = 0; i < std::min(kFront, order.size()); ++i) front = std::max(front, speeds[order[i]]);
  return {tuner::pairwise_accuracy(scores, speeds), front / *std::max_element(speeds.begin(), speeds.end())};
}

}  // namespace

ModelQuality across_folds(const RecordedTask& task) {
  ModelQuality mean;
  for (size_t fold = 0; fold < kFolds; ++fold) {
    tuner::CostGroup learnt, held;
    for (size_t i = 0; i < task.rows.size(); ++i) (i % kFolds == fold ? held : learnt).push_back(task.rows[i]);
    tuner::CostModel model;
    Status fitted = model.fit({learnt});
    CHECK(fitted.ok(), fitted.error().message);
    const ModelQuality one = judge(model, held);
    mean.pairwise += one.pairwise / kFolds;
    mean.best_of_8 += one.best_of_8 / kFolds;
  }
  return mean;
}

std::shared_ptr<const tuner::CostModel> model_of(const std::vector<const RecordedTask*>& others) {
  if (others.empty()) return nullptr;
  std::vector<tuner::CostGroup> groups;
  for (const RecordedTask* other : others) groups.push_back(other->rows);
  auto model = std::make_shared<tuner::CostModel>();
  Status fitted = model->fit(groups);
  CHECK(fitted.ok(), fitted.error().message);
  return model;
}

ModelQuality after_rows(const RecordedTask& task, const std::shared_ptr<const tuner::CostModel>& prior, size_t rows) {
  ModelQuality mean;
  for (size_t draw = 0; draw < kFolds; ++draw) {
    // The rows are shuffled: other draws begin elsewhere.
    tuner::CostGroup all = task.rows;
    std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(draw * all.size() / kFolds), all.end());
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(rows, all.size() / 2));
    tuner::CostModel model(prior);
    Status learnt = model.update({all.begin(), end});
    CHECK(learnt.ok(), learnt.error().message);
    const ModelQuality one = judge(model, {end, all.end()});
    mean.pairwise += one.pairwise / kFolds;
    mean.best_of_8 += one.best_of_8 / kFolds;
  }
  return mean;
}

ModelQuality of_others(const RecordedTask& task, const std::vector<const RecordedTask*>& others) {
  CHECK(!others.empty(), "a model of nothing orders nothing");
  return judge(*model_of(others), task.rows);
}

}  // namespace hone::bench
