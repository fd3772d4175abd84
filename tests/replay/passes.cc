#include "tests/replay/passes.h"

#include "base/median.h"

namespace hone::replay {

namespace {

constexpr int kRounds = 5;

using Usual = std::map<std::string_view, double>;  // µs by choice

Usual usual_us(const std::vector<Pass>& passes, const std::vector<double>& levels) {
  std::map<std::string_view, std::vector<double>> times_us;
  for (size_t p = 0; p < passes.size(); ++p)
    for (const auto& [choice, m] : passes[p])
      if (m.latency_us > 0) times_us[choice].push_back(m.latency_us / levels[p]);
  Usual usual;
  for (auto& [choice, times] : times_us) usual[choice] = median(std::move(times));
  return usual;
}

double level_of(const Pass& pass, const Usual& usual) {
  std::vector<double> ratios;
  for (const auto& [choice, m] : pass)
    if (m.latency_us > 0) ratios.push_back(m.latency_us / usual.at(choice));
  return ratios.size() < kLevelMin ? 1 : median(std::move(ratios));
}

}  // namespace

std::vector<Pass> levelled(const std::vector<Pass>& passes) {
  std::vector<double> levels(passes.size(), 1);
  for (int round = 0; round < kRounds; ++round) {
    const Usual usual = usual_us(passes, levels);
    for (size_t p = 1; p < passes.size(); ++p) levels[p] = level_of(passes[p], usual);
  }
  std::vector<Pass> out = passes;
  for (size_t p = 0; p < out.size(); ++p)
    for (auto& [choice, m] : out[p]) m.latency_us /= levels[p];
  return out;
}

tuner::RecordedKernel Combined::kernel() const {
  return {.outcome = outcome, .latency_us = latency_us, .samples = samples, .create_ms = create_ms};
}

Combined combine(const std::vector<Pass>& passes, const std::vector<std::string>& choices) {
  Combined combined;
  std::vector<double> times_us, times_ms;
  for (const Pass& pass : passes)
    for (const std::string& choice : choices) {
      auto found = pass.find(choice);
      if (found == pass.end()) continue;
      const Measured& m = found->second;
      if (combined.times == 0) combined.outcome = m.outcome;
      if (m.latency_us == 0) continue;
      times_us.push_back(m.latency_us);
      times_ms.push_back(m.create_ms);
      combined.samples += m.samples;
      ++combined.times;
    }
  combined.latency_us = median(std::move(times_us));
  combined.create_ms = median(std::move(times_ms));
  return combined;
}

}  // namespace hone::replay
