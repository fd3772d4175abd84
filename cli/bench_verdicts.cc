#include "cli/bench_verdicts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "stats/across_devices.h"
#include "stats/many_cases.h"
#include "stats/regression.h"

namespace hone::cli {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<protocol::BenchResult*> compared(protocol::BenchReport& report) {
  std::vector<protocol::BenchResult*> out;
  for (protocol::BenchCase& one : report.cases)
    for (protocol::BenchResult& result : one.results)
      if (result.comparison) out.push_back(&result);
  return out;
}

stats::Interval interval_of(const protocol::BenchComparison& comparison) {
  return {comparison.ratio_low ? std::log(*comparison.ratio_low) : -kInfinity, comparison.ratio_high ? std::log(*comparison.ratio_high) : kInfinity};
}

stats::Verdict own_verdict(protocol::Verdict verdict) {
  switch (verdict) {
    case protocol::Verdict::kFaster: return stats::Verdict::kFaster;
    case protocol::Verdict::kSlower: return stats::Verdict::kSlower;
    case protocol::Verdict::kSame: return stats::Verdict::kSame;
    case protocol::Verdict::kInconclusive: break;
  }
  return stats::Verdict::kInconclusive;
}

protocol::Verdict told_verdict(stats::Verdict verdict) {
  switch (verdict) {
    case stats::Verdict::kFaster: return protocol::Verdict::kFaster;
    case stats::Verdict::kSlower: return protocol::Verdict::kSlower;
    case stats::Verdict::kSame: return protocol::Verdict::kSame;
    case stats::Verdict::kMorePairs:
    case stats::Verdict::kInconclusive: break;
  }
  return protocol::Verdict::kInconclusive;
}

void judge_together(const std::vector<protocol::BenchResult*>& results, double alpha) {
  std::vector<stats::ComparisonResult> alone;
  for (const protocol::BenchResult* result : results)
    alone.push_back({.verdict = own_verdict(result->comparison->verdict), .p_value = result->comparison->p_value, .is_last_look = true});
  const std::vector<stats::Verdict> together = stats::family_verdicts(alone, alpha);
  for (size_t i = 0; i < results.size(); ++i) results[i]->comparison->verdict = told_verdict(together[i]);
}

// What the family's correction left undecided is no regression for sure.
protocol::Answer regression_of(const protocol::BenchComparison& comparison, double share) {
  switch (stats::is_slower_by(share, interval_of(comparison))) {
    case stats::Answer::kNo: return protocol::Answer::kNo;
    case stats::Answer::kUnknown: return protocol::Answer::kUnknown;
    case stats::Answer::kYes: break;
  }
  return comparison.verdict == protocol::Verdict::kSlower ? protocol::Answer::kYes : protocol::Answer::kUnknown;
}

std::string class_of(const protocol::BenchDevice& device) { return device.text.empty() ? device.device_key : device.text; }

std::vector<stats::DeviceEffect> effects_of(const protocol::BenchCase& one) {
  std::vector<stats::DeviceEffect> out;
  for (const protocol::BenchResult& result : one.results) {
    if (!result.comparison || !result.device || !result.comparison->standard_error || result.comparison->blocks < 2) continue;
    out.push_back({.device = result.device->device_id, .device_class = class_of(*result.device), .log_ratio = std::log(result.comparison->ratio),
                   .standard_error = *result.comparison->standard_error, .degrees = static_cast<double>(result.comparison->blocks - 1)});
  }
  return out;
}

std::optional<double> ratio_of(double log_ratio) { return std::isfinite(log_ratio) ? std::optional(std::exp(log_ratio)) : std::nullopt; }

Status judge_case(protocol::BenchCase& one, double alpha, double minimum_effect) {
  const std::vector<stats::DeviceEffect> effects = effects_of(one);
  std::set<std::string> classes;
  for (const stats::DeviceEffect& effect : effects) classes.insert(effect.device_class);
  if (effects.size() < 2) return ok_status();
  HONE_ASSIGN(mean, stats::mean_effect(effects, alpha));
  one.mean = protocol::BenchMean{.ratio = std::exp(mean.log_ratio), .ratio_low = ratio_of(mean.interval.low), .ratio_high = ratio_of(mean.interval.high),
                                 .devices = static_cast<uint32_t>(mean.devices), .slower = static_cast<uint32_t>(mean.slower), .faster = static_cast<uint32_t>(mean.faster)};
  if (classes.size() < 2) return ok_status();
  HONE_ASSIGN(told, stats::class_effects(effects, alpha, minimum_effect));
  for (const stats::ClassEffect& effect : told)
    one.classes.push_back({.device_class = effect.device_class, .devices = static_cast<uint32_t>(effect.devices), .ratio = std::exp(effect.log_ratio), .p_value = effect.p_value, .differs = effect.differs});
  return ok_status();
}

}  // namespace

void set_rule(protocol::BenchReport& report) {
  const stats::ComparisonRule rule;
  report.alpha = rule.alpha, report.minimum_effect = rule.minimum_effect;
  report.same_within = std::clamp(report.fail_above.value_or(0), rule.same_within, 1.0);
}

Status judge(protocol::BenchReport& report) {
  const std::vector<protocol::BenchResult*> results = compared(report);
  judge_together(results, report.alpha);
  if (report.fail_above)
    for (protocol::BenchResult* result : results) result->comparison->regression = regression_of(*result->comparison, *report.fail_above);
  for (protocol::BenchCase& one : report.cases) HONE_TRY(judge_case(one, report.alpha, report.minimum_effect));
  return ok_status();
}

bool has_failure(const protocol::BenchReport& report) {
  const auto failed = [](const protocol::BenchResult& result) { return result.state == protocol::BenchState::kFailed; };
  return std::any_of(report.cases.begin(), report.cases.end(), [&](const protocol::BenchCase& one) { return std::any_of(one.results.begin(), one.results.end(), failed); });
}

}  // namespace hone::cli
