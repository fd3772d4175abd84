// CostModel: orders schedules of one task by what was measured of others: gradient-boosted trees on features, with a ranking objective
// (XGBoost, rank:pairwise, one thread). The number of trees is where the order of held-out rows is best; then all rows are learnt.
// The same rows give the same model, bit for bit. One thread per object.
#pragma once
#include <memory>
#include <vector>

#include "base/result.h"
#include "tuner/features/features.h"

namespace hone::tuner {

struct CostRow {
  Features features;
  float speed = 0;  // relative to the best of the rows: 1 = the fastest, 0 = failed
};

class CostModel {
 public:
  CostModel();
  ~CostModel();
  CostModel(CostModel&&) noexcept;
  CostModel& operator=(CostModel&&) noexcept;

  // Forgets what it knew and learns these rows; of more than kRowsMax the last. Fails: internal with XGBoost's words.
  Status fit(const std::vector<CostRow>& rows);
  bool trained() const { return impl_ != nullptr; }
  // Scores without a unit, higher is faster. trained().
  Result<std::vector<float>> score(const std::vector<Features>& rows) const;
  // Of held-out pairs at least 5 % apart, the share in the right order; 0.5 when there were too few rows to hold any out.
  double held_out_accuracy() const { return accuracy_; }

  static constexpr size_t kRowsMax = 2000;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  double accuracy_ = 0.5;
};

// The share of pairs in the right order among those whose speeds differ by 5 % or more; 0.5 without such pairs.
double pairwise_accuracy(const std::vector<float>& scores, const std::vector<float>& speeds);

}  // namespace hone::tuner
