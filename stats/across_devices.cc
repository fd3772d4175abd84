#include "stats/across_devices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/cat.h"
#include "stats/many_cases.h"
#include "stats/quantiles.h"
#include "stats/welch.h"

namespace hone::stats {
namespace {

constexpr double kStandardErrorMin = 1e-6;

double variance_of(const DeviceEffect& device) {
  const double error = std::max(device.standard_error, kStandardErrorMin);
  return error * error;
}

Status check_effects(std::span<const DeviceEffect> devices, double alpha) {
  if (devices.empty()) return Error{ErrorCode::kInvalidArgument, "there is no device, and there must be one at least"};
  if (!(alpha > 0 && alpha < 1))
    return Error{ErrorCode::kInvalidArgument, cat("alpha is ", alpha, " and must be between 0 and 1")};
  for (const DeviceEffect& d : devices) {
    if (std::isfinite(d.log_ratio) && std::isfinite(d.standard_error) && d.standard_error >= 0 && d.degrees > 0)
      continue;
    return Error{ErrorCode::kInvalidArgument,
                 cat("the device ", d.device, " has a log-ratio of ", d.log_ratio, " ± ", d.standard_error, " with ",
                     d.degrees, " degrees of freedom; leave devices out that have too few blocks")};
  }
  return ok_status();
}

// Sums over the devices, weighted by 1 / (variance + tau²).
struct Weighted {
  double weights = 0, squared_weights = 0, mean = 0, scatter = 0;
};

Weighted weighted(std::span<const DeviceEffect> devices, double tau_squared) {
  Weighted sums;
  for (const DeviceEffect& d : devices) {
    const double weight = 1 / (variance_of(d) + tau_squared);
    sums.weights += weight;
    sums.squared_weights += weight * weight;
    sums.mean += weight * d.log_ratio;
  }
  sums.mean /= sums.weights;
  for (const DeviceEffect& d : devices)
    sums.scatter += std::pow(d.log_ratio - sums.mean, 2) / (variance_of(d) + tau_squared);
  return sums;
}

// The moment estimate; Cochran's Q in the paper is `scatter`.
MeanEffect random_effects(std::span<const DeviceEffect> devices) {
  const Weighted fixed = weighted(devices, 0);
  const double degrees = static_cast<double>(devices.size()) - 1;
  const double scale = fixed.weights - fixed.squared_weights / fixed.weights;
  const double tau_squared = scale > 0 ? std::max(0.0, (fixed.scatter - degrees) / scale) : 0;
  MeanEffect mean{.log_ratio = weighted(devices, tau_squared).mean,
                  .standard_error = 1 / std::sqrt(weighted(devices, tau_squared).weights),
                  .tau = std::sqrt(tau_squared),
                  .i_squared = fixed.scatter > 0 ? std::max(0.0, 1 - degrees / fixed.scatter) : 0,
                  .devices = static_cast<int>(devices.size())};
  for (const DeviceEffect& d : devices) {
    mean.slower += d.log_ratio > 0;
    mean.faster += d.log_ratio < 0;
  }
  return mean;
}

// Of a class of several devices the variance is known, as DerSimonian and Laird take it to be.
EstimatedMean mean_of(const std::vector<DeviceEffect>& devices) {
  const MeanEffect mean = random_effects(devices);
  const double degrees = devices.size() == 1 ? devices[0].degrees : std::numeric_limits<double>::infinity();
  return {.mean = mean.log_ratio, .standard_error = mean.standard_error, .degrees = degrees};
}

size_t middle_of(const std::vector<EstimatedMean>& classes) {
  std::vector<size_t> places(classes.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) { return classes[a].mean < classes[b].mean; });
  const size_t lower = places[(places.size() - 1) / 2], upper = places[places.size() / 2];
  return std::fabs(classes[upper].mean) < std::fabs(classes[lower].mean) ? upper : lower;
}

struct DifferenceRule {
  double alpha, minimum_effect;
};

void compare_with_middle(const std::vector<EstimatedMean>& means, const DifferenceRule& rule,
                         std::vector<ClassEffect>& classes) {
  const size_t middle = middle_of(means);
  std::vector<double> p_values;
  for (size_t i = 0; i < means.size(); ++i)
    if (i != middle) p_values.push_back(welch_p(means[i], means[middle]));
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (size_t i = 0, next = 0; i < means.size(); ++i) {
    classes[i].difference = means[i].mean - means[middle].mean;
    if (i != middle) classes[i].p_value = adjusted[next++];
    classes[i].differs =
        classes[i].p_value <= rule.alpha && std::fabs(classes[i].difference) >= std::log1p(rule.minimum_effect);
  }
}

}  // namespace

Result<MeanEffect> mean_effect(std::span<const DeviceEffect> devices, double alpha) {
  HONE_TRY(check_effects(devices, alpha));
  MeanEffect mean = random_effects(devices);
  double degrees = devices[0].degrees;
  if (devices.size() > 1) {
    degrees = static_cast<double>(devices.size()) - 1;
    const double q = weighted(devices, mean.tau * mean.tau).scatter / degrees;  // q in Hartung and Knapp
    mean.standard_error *= std::sqrt(std::max(1.0, q));
  }
  const double reach = students_t_quantile(1 - alpha / 2, degrees) * mean.standard_error;
  mean.interval = {mean.log_ratio - reach, mean.log_ratio + reach};
  return mean;
}

Result<std::vector<ClassEffect>> class_effects(std::span<const DeviceEffect> devices, double alpha,
                                               double minimum_effect) {
  HONE_TRY(check_effects(devices, alpha));
  std::map<std::string, std::vector<DeviceEffect>> by_class;
  for (const DeviceEffect& d : devices) by_class[d.device_class].push_back(d);
  std::vector<ClassEffect> classes;
  std::vector<EstimatedMean> means;
  for (const auto& [name, members] : by_class) {
    means.push_back(mean_of(members));
    classes.push_back({.device_class = name,
                       .devices = static_cast<int>(members.size()),
                       .log_ratio = means.back().mean,
                       .standard_error = means.back().standard_error});
  }
  compare_with_middle(means, {.alpha = alpha, .minimum_effect = minimum_effect}, classes);
  return classes;
}

}  // namespace hone::stats
