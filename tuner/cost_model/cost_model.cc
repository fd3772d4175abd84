#include "tuner/cost_model/cost_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tuner/cost_model/booster.h"

namespace hone::tuner {

namespace {

constexpr int kMembers = 4;
constexpr int kTreesMax = 150, kTreesFew = 24;  // few: where nothing can be held out
constexpr int kTreesPatience = 15;              // without a better order of the held-out rows
constexpr int kTreesPerLook = 3;
constexpr int kTreesMore = 3;  // for rows that came since the last fit
constexpr double kGrowth = 1.25;
constexpr size_t kHoldOutOneIn = 5;
constexpr size_t kRowsForHoldOut = 40;
constexpr double kPairsApart = 0.95;
constexpr double kPriorIsRight = 0.55;  // of the pairs: below that it is not worth correcting

std::vector<float> flatten(const std::vector<const CostRow*>& rows) {
  std::vector<float> flat;
  flat.reserve(rows.size() * kFeatureCount);
  for (const CostRow* row : rows) flat.insert(flat.end(), row->features.begin(), row->features.end());
  return flat;
}

// Rows of several groups, one group after the other, with the prior's scores.
struct Rows {
  std::vector<const CostRow*> rows;
  std::vector<unsigned> group_sizes;
  std::vector<float> margins;  // of each row, or none
};

Rows flatten(const std::vector<CostGroup>& groups) {
  Rows all;
  for (const CostGroup& group : groups) {
    const size_t kept = std::min(group.size(), CostModel::kRowsMax);
    for (size_t i = group.size() - kept; i < group.size(); ++i) all.rows.push_back(&group[i]);
    if (kept > 0) all.group_sizes.push_back(static_cast<unsigned>(kept));
  }
  return all;
}

struct Split {
  Rows learnt, held;
};

// Every fifth row of each group is held out.
Split split(const Rows& all) {
  Split parts;
  size_t at = 0;
  for (unsigned size : all.group_sizes) {
    unsigned held = 0;
    for (unsigned i = 0; i < size; ++i, ++at) {
      const bool is_held = i % kHoldOutOneIn == kHoldOutOneIn - 1;
      Rows& part = is_held ? parts.held : parts.learnt;
      held += is_held;
      part.rows.push_back(all.rows[at]);
      if (!all.margins.empty()) part.margins.push_back(all.margins[at]);
    }
    if (held > 0) parts.held.group_sizes.push_back(held);
    if (size > held) parts.learnt.group_sizes.push_back(size - held);
  }
  return parts;
}

Result<Matrix> matrix_of(const Rows& rows) { return Matrix::make(rows.rows, rows.group_sizes, rows.margins); }

std::vector<float> speeds_of(const Rows& rows) {
  std::vector<float> speeds;
  for (const CostRow* row : rows.rows) speeds.push_back(row->speed);
  return speeds;
}

// The mean over the groups: pairs are compared inside of one.
double accuracy_of(const std::vector<float>& scores, const Rows& rows) {
  const std::vector<float> speeds = speeds_of(rows);
  double sum = 0;
  size_t begin = 0;
  for (unsigned size : rows.group_sizes) {
    auto part = [&](const std::vector<float>& all) {
      return std::vector<float>(all.begin() + static_cast<long>(begin), all.begin() + static_cast<long>(begin + size));
    };
    sum += pairwise_accuracy(part(scores), part(speeds));
    begin += size;
  }
  return rows.group_sizes.empty() ? 0.5 : sum / static_cast<double>(rows.group_sizes.size());
}

// log(speed) = intercept + slope·score, by least squares over the rows that have a speed.
struct Line {
  double intercept = 0, slope = 0;
  bool known = false;
};

Line fit_line(const std::vector<float>& scores, const std::vector<float>& speeds) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (speeds[i] <= 0) continue;
    const double s = scores[i], l = std::log(static_cast<double>(speeds[i]));
    n += 1, x += s, y += l, xx += s * s, xy += s * l;
  }
  const double spread = n * xx - x * x;
  if (n < 4 || spread <= 0) return {};
  const double slope = (n * xy - x * y) / spread;
  return {(y - slope * x) / n, slope, true};
}

struct Stop {
  int trees = kTreesFew;
  double accuracy = 0.5;
  Line line;
};

// How many trees order the held-out rows best, and what their scores mean.
Result<Stop> look_for_stop(const Rows& all) {
  const Split parts = split(all);
  HONE_ASSIGN(matrix, matrix_of(parts.learnt));
  HONE_ASSIGN(booster, Booster::make(matrix, 0));
  const std::vector<float> held = flatten(parts.held.rows), speeds = speeds_of(parts.held);
  Stop best{0, 0, {}};
  for (int trees = kTreesPerLook; trees <= kTreesMax && trees - best.trees <= kTreesPatience; trees += kTreesPerLook) {
    HONE_TRY(booster.grow(matrix, kTreesPerLook));
    HONE_ASSIGN(scores, booster.score(held));
    for (size_t i = 0; i < parts.held.margins.size(); ++i) scores[i] += parts.held.margins[i];
    if (double accuracy = accuracy_of(scores, parts.held); accuracy > best.accuracy)
      best = {trees, accuracy, fit_line(scores, speeds)};
  }
  best.trees = std::max(best.trees, kTreesPerLook);
  return best;
}

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
  std::shared_ptr<const CostModel> prior;
  bool trusts_prior = true;
  std::vector<Booster> members;
  size_t rows_known = 0;  // at the last fit; it may have learnt the last of them alone
  Stop stop;

  bool has_prior() const { return prior && prior->trained() && trusts_prior; }

  // The prior's scores, where these rows do not contradict it. The rows may have some already.
  Status add_margins(Rows& rows) {
    rows.margins.clear();
    trusts_prior = true;
    if (!has_prior()) return ok_status();
    std::vector<Features> features;
    for (const CostRow* row : rows.rows) features.push_back(row->features);
    HONE_ASSIGN(predictions, prior->predict(features));
    for (const Prediction& p : predictions) rows.margins.push_back(p.score);
    trusts_prior = rows.rows.size() < kRowsForHoldOut / 2 || accuracy_of(rows.margins, rows) >= kPriorIsRight;
    if (!trusts_prior) rows.margins.clear();
    return ok_status();
  }

  Status fit(Rows rows) {
    HONE_TRY(add_margins(rows));
    stop = {};
    if (rows.rows.size() >= kRowsForHoldOut) {
      HONE_ASSIGN(found, look_for_stop(rows));
      stop = found;
    }
    HONE_ASSIGN(matrix, matrix_of(rows));
    std::vector<Booster> grown;
    for (int i = 1; i <= kMembers; ++i) {
      HONE_ASSIGN(member, Booster::make(matrix, i));
      HONE_TRY(member.grow(matrix, stop.trees));
      grown.push_back(std::move(member));
    }
    members = std::move(grown);
    return stop.line.known ? ok_status() : fit_line_to(rows);
  }

  // Where nothing was held out, what it has learnt has to do.
  Status fit_line_to(const Rows& rows) {
    std::vector<float> mean(rows.rows.size());
    const std::vector<float> flat = flatten(rows.rows);
    for (const Booster& member : members) {
      HONE_ASSIGN(scores, member.score(flat));
      for (size_t i = 0; i < mean.size(); ++i) mean[i] += scores[i] / static_cast<float>(kMembers);
    }
    for (size_t i = 0; i < rows.margins.size(); ++i) mean[i] += rows.margins[i];
    stop.line = fit_line(mean, speeds_of(rows));
    return ok_status();
  }

  Status grow_more(Rows rows) {
    const bool trusted = trusts_prior;
    HONE_TRY(add_margins(rows));
    if (trusted != trusts_prior) return fit(std::move(rows));
    HONE_ASSIGN(matrix, matrix_of(rows));
    for (Booster& member : members) HONE_TRY(member.grow(matrix, kTreesMore));
    return ok_status();
  }
};

CostModel::CostModel(std::shared_ptr<const CostModel> prior) : impl_(std::make_unique<Impl>()) {
  impl_->prior = std::move(prior);
}
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel&&) noexcept = default;
CostModel& CostModel::operator=(CostModel&&) noexcept = default;

bool CostModel::trained() const { return !impl_->members.empty() || impl_->has_prior(); }
double CostModel::held_out_accuracy() const { return impl_->stop.accuracy; }

Status CostModel::fit(const std::vector<CostGroup>& groups) {
  Rows rows = flatten(groups);
  impl_->rows_known = 0;
  for (const CostGroup& group : groups) impl_->rows_known += group.size();
  return rows.rows.empty() ? ok_status() : impl_->fit(std::move(rows));
}

Status CostModel::update(const CostGroup& group) {
  const bool few_are_new = group.size() >= kRowsForHoldOut &&
                           static_cast<double>(group.size()) < kGrowth * static_cast<double>(impl_->rows_known);
  if (impl_->members.empty() || !few_are_new) return fit({group});
  return impl_->grow_more(flatten(std::vector<CostGroup>{group}));
}

Result<std::vector<Prediction>> CostModel::predict(const std::vector<Features>& rows) const {
  CHECK(trained(), "a model predicts once it or its prior has learnt");
  std::vector<Prediction> predictions(rows.size());
  if (rows.empty()) return predictions;
  if (impl_->has_prior()) {
    HONE_ASSIGN(before, impl_->prior->predict(rows));
    predictions = std::move(before);
  }
  std::vector<float> flat;
  for (const Features& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  std::vector<std::vector<float>> scores;
  for (const Booster& member : impl_->members) {
    HONE_ASSIGN(one, member.score(flat));
    scores.push_back(std::move(one));
  }
  if (scores.empty()) return predictions;
  for (size_t i = 0; i < rows.size(); ++i) {
    double sum = 0, squares = 0;
    for (const auto& one : scores) sum += one[i], squares += static_cast<double>(one[i]) * one[i];
    const double mean = sum / static_cast<double>(scores.size());
    predictions[i].score += static_cast<float>(mean);
    predictions[i].spread =
        static_cast<float>(std::sqrt(std::max(0.0, squares / static_cast<double>(scores.size()) - mean * mean)));
  }
  return predictions;
}

double CostModel::speed_of(float score) const {
  const Line& line = impl_->stop.line;
  if (line.known) return std::exp(line.intercept + line.slope * score);
  return impl_->members.empty() && impl_->has_prior() ? impl_->prior->speed_of(score) : 0;
}

}  // namespace hone::tuner
