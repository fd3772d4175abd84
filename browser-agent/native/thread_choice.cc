#include "browser-agent/native/thread_choice.h"

#include <algorithm>

namespace hone::native {
namespace {

constexpr int64_t kBatchNs = 100'000;  // that a batch of runs lasts at least
constexpr int kBatchMax = 1000;
constexpr int kBatches = 2;  // of each kind; the faster one counts
// An ideal second thread gives 0.5; what gains less is lost again when the others come late.
constexpr double kGainMin = 0.8;

double run_ns(const TimeRuns& time_ns, int threads) {
  int runs = 1;
  int64_t elapsed = time_ns(threads, runs);
  while (elapsed < kBatchNs && runs < kBatchMax) elapsed = time_ns(threads, runs = std::min(kBatchMax, runs * 4));
  int64_t fastest = elapsed;
  for (int i = 1; i < kBatches; ++i) fastest = std::min(fastest, time_ns(threads, runs));
  return static_cast<double>(fastest) / runs;
}

}  // namespace

int choose_threads(const TimeRuns& time_ns, int all) {
  if (all == 1) return 1;
  if (time_ns(all, 1) >= kLongNs) return all;
  return run_ns(time_ns, all) < kGainMin * run_ns(time_ns, 1) ? all : 1;
}

}  // namespace hone::native
