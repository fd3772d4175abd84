#include "tuner/cost_model/cost_model.h"

#include <xgboost/c_api.h>

#include <algorithm>

#include "base/cat.h"

namespace hone::tuner {

namespace {

constexpr int kRoundsMax = 60;
constexpr int kRoundsFew = 24;       // where nothing can be held out
constexpr int kRoundsPatience = 15;  // without a better order of the held-out rows
constexpr int kRoundsPerLook = 3;
constexpr size_t kHoldOutOneIn = 5;
constexpr size_t kRowsForHoldOut = 40;
constexpr double kPairsApart = 0.95;

// One thread: OpenMP's spinning barriers cost seconds on a busy machine. A few hundred rows need shallow trees and strong shrinkage of none.
constexpr const char* kParameters[][2] = {{"objective", "rank:pairwise"},
                                          {"tree_method", "exact"},
                                          {"nthread", "1"},
                                          {"max_depth", "5"},
                                          {"eta", "0.2"},
                                          {"min_child_weight", "1"},
                                          {"lambda", "1"},
                                          {"disable_default_eval_metric", "1"},
                                          {"seed", "0"},
                                          {"verbosity", "0"}};

Error failed(const char* what) {
  return {ErrorCode::kInternal, cat("XGBoost failed to ", what, ": ", XGBGetLastError())};
}

class Matrix {
 public:
  explicit Matrix(const std::vector<const CostRow*>& rows) {
    std::vector<float> flat, labels;
    for (const CostRow* row : rows) {
      flat.insert(flat.end(), row->features.begin(), row->features.end());
      labels.push_back(row->speed);
    }
    unsigned group = static_cast<unsigned>(rows.size());
    ok_ = XGDMatrixCreateFromMat(flat.data(), rows.size(), kFeatureCount, -1e30f, &handle_) == 0 &&
          XGDMatrixSetFloatInfo(handle_, "label", labels.data(), labels.size()) == 0 &&
          XGDMatrixSetUIntInfo(handle_, "group", &group, 1) == 0;
  }
  ~Matrix() {
    if (handle_) XGDMatrixFree(handle_);
  }
  Matrix(const Matrix&) = delete;
  bool ok() const { return ok_; }
  DMatrixHandle get() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
  bool ok_ = false;
};

class Booster {
 public:
  explicit Booster(const Matrix& matrix) {
    DMatrixHandle cache[] = {matrix.get()};
    ok_ = XGBoosterCreate(cache, 1, &handle_) == 0;
    for (const auto& [name, value] : kParameters) ok_ = ok_ && XGBoosterSetParam(handle_, name, value) == 0;
  }
  ~Booster() {
    if (handle_) XGBoosterFree(handle_);
  }
  Booster(const Booster&) = delete;
  bool ok() const { return ok_; }

  Status grow(const Matrix& matrix, int rounds) {
    for (int i = 0; i < rounds; ++i)
      if (XGBoosterUpdateOneIter(handle_, round_++, matrix.get()) != 0) return failed("grow a tree");
    return ok_status();
  }

  Result<std::vector<float>> score(const std::vector<float>& flat, size_t rows) const {
    std::string values = cat(R"({"data":[)", reinterpret_cast<uintptr_t>(flat.data()), R"(,true],"shape":[)", rows, ",",
                             kFeatureCount, R"(],"typestr":"<f4","version":3})");
    constexpr const char* kConfig =
        R"({"type":1,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false,"missing":-1e30,"cache_id":0})";
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* result = nullptr;
    if (XGBoosterPredictFromDense(handle_, values.c_str(), kConfig, nullptr, &shape, &dimensions, &result) != 0)
      return failed("score rows");
    return std::vector<float>(result, result + rows);
  }

 private:
  BoosterHandle handle_ = nullptr;
  bool ok_ = false;
  int round_ = 0;
};

}  // namespace

double pairwise_accuracy(const std::vector<float>& scores, const std::vector<float>& speeds) {
  size_t right = 0, all = 0;
  for (size_t i = 0; i < speeds.size(); ++i)
    for (size_t j = 0; j < speeds.size(); ++j) {
      if (speeds[i] >= speeds[j] * kPairsApart) continue;
      ++all;
      right += scores[i] < scores[j];
    }
  return all ? static_cast<double>(right) / static_cast<double>(all) : 0.5;
}

struct CostModel::Impl {
  explicit Impl(const std::vector<const CostRow*>& rows) : matrix(rows), booster(matrix) {}
  bool ok() const { return matrix.ok() && booster.ok(); }
  Matrix matrix;
  Booster booster;
};

CostModel::CostModel() = default;
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel&&) noexcept = default;
CostModel& CostModel::operator=(CostModel&&) noexcept = default;

namespace {

struct Stop {
  int rounds = kRoundsFew;
  double accuracy = 0.5;
};

Result<Stop> best_rounds(const std::vector<const CostRow*>& rows) {
  std::vector<const CostRow*> learnt;
  std::vector<float> held, speeds;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i % kHoldOutOneIn != kHoldOutOneIn - 1) {
      learnt.push_back(rows[i]);
      continue;
    }
    held.insert(held.end(), rows[i]->features.begin(), rows[i]->features.end());
    speeds.push_back(rows[i]->speed);
  }
  Matrix matrix(learnt);
  Booster booster(matrix);
  if (!matrix.ok() || !booster.ok()) return failed("begin a model");
  Stop best{0, 0};
  for (int round = kRoundsPerLook; round <= kRoundsMax && round - best.rounds <= kRoundsPatience;
       round += kRoundsPerLook) {
    HONE_TRY(booster.grow(matrix, kRoundsPerLook));
    HONE_ASSIGN(scores, booster.score(held, speeds.size()));
    if (double accuracy = pairwise_accuracy(scores, speeds); accuracy > best.accuracy) best = {round, accuracy};
  }
  best.rounds = std::max(best.rounds, kRoundsPerLook);
  return best;
}

}  // namespace

Status CostModel::fit(const std::vector<CostRow>& rows) {
  std::vector<const CostRow*> kept;
  for (size_t i = rows.size() > kRowsMax ? rows.size() - kRowsMax : 0; i < rows.size(); ++i) kept.push_back(&rows[i]);
  Stop stop;
  if (kept.size() >= kRowsForHoldOut) {
    HONE_ASSIGN(found, best_rounds(kept));
    stop = found;
  }
  auto impl = std::make_unique<Impl>(kept);
  if (!impl->ok()) return failed("begin a model");
  HONE_TRY(impl->booster.grow(impl->matrix, stop.rounds));
  impl_ = std::move(impl);
  accuracy_ = stop.accuracy;
  return ok_status();
}

Result<std::vector<float>> CostModel::score(const std::vector<Features>& rows) const {
  CHECK(trained(), "a model scores once it has learnt");
  if (rows.empty()) return std::vector<float>();
  std::vector<float> flat;
  flat.reserve(rows.size() * kFeatureCount);
  for (const Features& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return impl_->booster.score(flat, rows.size());
}

}  // namespace hone::tuner
