#include "tests/replay/passes.h"

#include <algorithm>
#include <numeric>

#include "base/median.h"
#include "tuner/records/store.h"

namespace hone::replay {

namespace {

constexpr size_t kFastest = 20;
constexpr size_t kFastestMargin = 10;  // the next fastest are measured with them: one may turn out to be among them
constexpr int kTimesFastest = 10, kTimesUnconfirmed = 5;

// Whether another pass may give it a time.
bool is_open(const Combined& kernel) { return kernel.times == 0 && !tuner::is_final(kernel.outcome, 2); }

// Whether another pass should say which of its times is its own.
bool is_doubtful(const Combined& kernel) {
  return kernel.times > 0 && kernel.confirmed < 2 && kernel.times < kTimesUnconfirmed;
}

bool is_measured_seldom(const Combined& kernel) { return kernel.times > 0 && kernel.times < kTimesFastest; }

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

std::vector<size_t> next_pass(const std::vector<Combined>& now) {
  std::vector<size_t> places(now.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return now[a].latency_us > 0 && (now[b].latency_us == 0 || now[a].latency_us < now[b].latency_us);
  });
  const bool measures_fastest =
      std::any_of(places.begin(), places.begin() + static_cast<long>(std::min(kFastest, places.size())),
                  [&](size_t place) { return is_measured_seldom(now[place]); });
  std::vector<size_t> next, open;
  for (size_t rank = 0; rank < places.size(); ++rank) {
    const Combined& kernel = now[places[rank]];
    const bool is_fast = measures_fastest && rank < kFastest + kFastestMargin && is_measured_seldom(kernel);
    if (is_open(kernel)) open.push_back(places[rank]);
    else if (is_fast || is_doubtful(kernel)) next.push_back(places[rank]);
  }
  const bool is_first = std::all_of(now.begin(), now.end(), is_open);
  if (is_first || !next.empty()) next.insert(next.end(), open.begin(), open.end());
  return next;
}

}  // namespace hone::replay
