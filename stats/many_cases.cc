#include "stats/many_cases.h"

#include <algorithm>
#include <numeric>

namespace hone::stats {
namespace {

// The places of p-values, the least value first.
std::vector<size_t> ascending(std::span<const double> p_values) {
  std::vector<size_t> places(p_values.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  return places;
}

}  // namespace

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  double least = 0;  // what is rejected later is no surer
  double left = static_cast<double>(p_values.size());
  for (size_t place : ascending(p_values)) {
    least = std::max(least, std::min(1.0, p_values[place] * left--));
    adjusted[place] = least;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg_adjusted(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.size());
  const std::vector<size_t> places = ascending(p_values);
  const auto count = static_cast<double>(places.size());
  double most = 1;  // what is rejected earlier is at least as sure
  for (size_t rank = places.size(); rank-- > 0;) {
    most = std::min(most, p_values[places[rank]] * count / static_cast<double>(rank + 1));
    adjusted[places[rank]] = most;
  }
  return adjusted;
}

std::vector<Verdict> family_verdicts(std::span<const ComparisonResult> results, double alpha) {
  std::vector<double> p_values;
  for (const ComparisonResult& result : results) p_values.push_back(result.p_value);
  const std::vector<double> adjusted = holm_adjusted(p_values);
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < results.size(); ++i) {
    const Verdict alone = results[i].verdict;
    const bool differs = alone == Verdict::kFaster || alone == Verdict::kSlower;
    if (!differs || adjusted[i] <= alpha) verdicts.push_back(alone);
    else verdicts.push_back(results[i].is_last_look ? Verdict::kInconclusive : Verdict::kMorePairs);
  }
  return verdicts;
}

}  // namespace hone::stats
