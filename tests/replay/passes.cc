#include "tests/replay/passes.h"

#include "base/median.h"

namespace hone::replay {

namespace {

// Its usual time when nothing was normalised yet.
double usual_reference_us(const Pass& pass) {
  std::vector<double> times;
  for (const auto& [choice, m] : pass)
    if (m.latency_us > 0 && m.reference_us > 0) times.push_back(m.reference_us);
  return median(std::move(times));
}

}  // namespace

void normalise(std::vector<Pass>& passes) {
  const double usual_us = usual_reference_us(passes.front());
  for (auto& [choice, m] : passes.back())
    if (m.reference_us > 0 && usual_us > 0) m.latency_us *= usual_us / m.reference_us;
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
