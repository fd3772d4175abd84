#include "stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/cat.h"
#include "stats/energy_split.h"
#include "stats/limits.h"
#include "stats/welch.h"

namespace hone::stats {
namespace {

constexpr double kFirstPassFactor = 10;  // of the p-value, as in Hunter

EstimatedMean estimated_mean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (double v : values) mean += v / count;
  for (double v : values) squares += (v - mean) * (v - mean);
  return {.mean = mean, .standard_error = std::sqrt(squares / (count - 1) / count), .degrees = count - 1};
}

// What lies between two known changes, or all.
class Stretch {
 public:
  Stretch(const std::vector<double>& logs, const ChangeRule& rule) : logs_(logs), rule_(rule) {}

  // The change points within [from, to), in order.
  std::vector<size_t> find(size_t from, size_t to) const {
    std::vector<size_t> places;
    split(from, to, places);
    std::sort(places.begin(), places.end());
    while (take_back_one(from, to, places)) {}
    return places;
  }

  ChangePoint judge(size_t from, size_t at, size_t to) const {
    ChangePoint point{.at = at};
    if (at - from < rule_.points_min || to - at < rule_.points_min) {
      point.finding = Finding::kTooFewPoints;
      return point;
    }
    const EstimatedMean before = mean(from, at), after = mean(at, to);
    point.before_us = std::exp(before.mean);
    point.after_us = std::exp(after.mean);
    point.change = std::expm1(after.mean - before.mean);
    point.p_value = welch_p(before, after);
    const bool is_large = std::fabs(after.mean - before.mean) >= std::log1p(rule_.change_min);
    point.finding = point.p_value < rule_.p_value_max && is_large ? Finding::kChanged : Finding::kUnchanged;
    return point;
  }

 private:
  EstimatedMean mean(size_t from, size_t to) const { return estimated_mean(std::span(logs_).subspan(from, to - from)); }

  void split(size_t from, size_t to, std::vector<size_t>& places) const {
    if (to - from < 2 * rule_.points_min) return;
    const size_t at = from + energy_split(std::span(logs_).subspan(from, to - from), rule_.points_min);
    if (welch_p(mean(from, at), mean(at, to)) >= kFirstPassFactor * rule_.p_value_max) return;
    places.push_back(at);
    split(from, at, places);
    split(at, to, places);
  }

  bool take_back_one(size_t from, size_t to, std::vector<size_t>& places) const {
    size_t least_sure = places.size();
    double p_value = -1;
    for (size_t i = 0; i < places.size(); ++i) {
      const ChangePoint point =
          judge(i == 0 ? from : places[i - 1], places[i], i + 1 == places.size() ? to : places[i + 1]);
      if (point.finding == Finding::kChanged || point.p_value <= p_value) continue;
      p_value = point.p_value;
      least_sure = i;
    }
    if (least_sure == places.size()) return false;
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(least_sure));
    return true;
  }

  const std::vector<double>& logs_;
  const ChangeRule& rule_;
};

Status check_known(const Series& series) {
  size_t before = 0;
  for (const KnownChange& known : series.known) {
    if (known.at <= before || known.at >= series.times_us.size())
      return Error{ErrorCode::kInvalidArgument,
                   cat("the known change ", known.cause, " is at ", known.at, " of a series of ",
                       series.times_us.size(), " points and must lie within it, behind the one before")};
    before = known.at;
  }
  return ok_status();
}

Status check_series(const Series& series, const ChangeRule& rule) {
  if (rule.points_min < 2 || !(rule.p_value_max > 0 && rule.p_value_max < 1) || !(rule.change_min >= 0))
    return Error{ErrorCode::kInvalidArgument,
                 "a change point has two points or more on each side, a p-value between 0 and 1, and a least change of "
                 "0 or more"};
  if (series.times_us.size() > kSeriesPointsMax)
    return Error{ErrorCode::kLimitExceeded,
                 cat("a series has ", series.times_us.size(), " points and may have ", kSeriesPointsMax)};
  for (double us : series.times_us)
    if (!(std::isfinite(us) && us > 0))
      return Error{ErrorCode::kInvalidArgument, cat("a time is ", us, " µs and must be a positive finite number")};
  return check_known(series);
}

std::vector<double> logs_of(const std::vector<double>& times_us) {
  std::vector<double> logs;
  for (double us : times_us) logs.push_back(std::log(us));
  return logs;
}

// The known places, and those found between them, with the ends of the series around.
std::vector<size_t> all_places(const Series& series, const Stretch& stretch) {
  std::vector<size_t> places{0};
  const auto add_up_to = [&](size_t to) {
    for (size_t place : stretch.find(places.back(), to)) places.push_back(place);
    places.push_back(to);
  };
  for (const KnownChange& known : series.known) add_up_to(known.at);
  add_up_to(series.times_us.size());
  return places;
}

}  // namespace

Result<std::vector<ChangePoint>> change_points(const Series& series, const ChangeRule& rule) {
  HONE_TRY(check_series(series, rule));
  const std::vector<double> logs = logs_of(series.times_us);
  const Stretch stretch(logs, rule);
  const std::vector<size_t> places = all_places(series, stretch);
  std::vector<ChangePoint> points;
  auto known = series.known.begin();
  for (size_t i = 1; i + 1 < places.size(); ++i) {
    points.push_back(stretch.judge(places[i - 1], places[i], places[i + 1]));
    if (known != series.known.end() && known->at == places[i]) points.back().cause = (known++)->cause;
  }
  return points;
}

}  // namespace hone::stats
