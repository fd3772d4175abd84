// CostModel: orders schedules of one task on one device by what was measured of others: gradient-boosted trees on features, with a ranking
// objective (XGBoost, rank:pairwise, one thread; Chen and Guestrin 2016, and Chen et al. 2018 for the ranking of schedules). An ensemble of
// small models, each of which sees a sample of the rows and features, so that their disagreement says how sure they are.
//
// The number of trees is where the order of held-out rows is best; then all rows are learnt. Between two such fits more rows only grow a few
// more trees. The same calls give the same model, bit for bit. One thread per object.
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

// Of one task on one device: rows are ordered among themselves only.
using CostGroup = std::vector<CostRow>;

struct Prediction {
  float score = 0;   // without a unit, higher is faster
  float spread = 0;  // of the ensemble's scores, a standard deviation
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

class CostModel {
 public:
  // `prior`: what was learnt elsewhere (other shapes, other devices); this model's trees only correct it, as far as it proves right.
  explicit CostModel(std::shared_ptr<const CostModel> prior = nullptr);
  ~CostModel();
  CostModel(CostModel&&) noexcept;
  CostModel& operator=(CostModel&&) noexcept;

  // Forgets what it knew (not the prior) and learns these groups; of a group of more than kRowsMax rows the last.
  // Fails: internal with XGBoost's words.
  Status fit(const std::vector<CostGroup>& groups);
  // Learns one group of which it may know the first rows: anew when they have become a quarter more, else with a few more trees.
  Status update(const CostGroup& rows);
  bool trained() const;                                                              // it, or its prior
  Result<std::vector<Prediction>> predict(const std::vector<Features>& rows) const;  // trained()
  // Of held-out pairs at least 5 % apart, the share in the right order; 0.5 when there were too few rows to hold any out.
  double held_out_accuracy() const;
  // How fast a row of this score is, relative to the best known: exp(intercept + slope·score), fitted to the held-out rows, or where
  // there are too few of them to the learnt ones. 0 = unknown.
  double speed_of(float score) const;

  static constexpr size_t kRowsMax = 2000;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The share of pairs in the right order among those whose speeds differ by 5 % or more; 0.5 without such pairs.
double pairwise_accuracy(const std::vector<float>& scores, const std::vector<float>& speeds);

}  // namespace hone::tuner
