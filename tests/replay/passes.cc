#include "tests/replay/passes.h"

#include <algorithm>

#include "base/median.h"

namespace hone::replay {

namespace {

double least(const std::vector<double>& times_us) {
  return times_us.empty() ? 0 : *std::min_element(times_us.begin(), times_us.end());
}

}  // namespace

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
  std::erase_if(times_us, [least_us = least(times_us)](double us) { return us > kSameTime * least_us; });
  combined.confirmed = static_cast<int>(times_us.size());
  combined.latency_us = median(std::move(times_us));
  combined.create_ms = median(std::move(times_ms));
  return combined;
}

}  // namespace hone::replay
