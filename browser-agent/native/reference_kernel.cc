#include "browser-agent/native/reference_kernel.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace hone::native {
namespace {

constexpr int64_t kIterationsPerThread = 16;
constexpr int kRounds = 3072;

// A chain of multiply-adds in registers: its time follows the processor's clock.
void chain(void* const*, int64_t begin, int64_t end) {
  static thread_local volatile float sink;  // so that the chain is not dropped
  (void)sink;
  for (int64_t i = begin; i < end; ++i) {
    float a = static_cast<float>(i) * 1e-6f, b = a + 0.25f;
    for (int round = 0; round < kRounds; ++round) {
      a = a * 0.999f + b;
      b = b * 0.998f + 0.001f;
      a = a * 0.997f - b;
      b = b * 0.996f + 0.002f;
    }
    sink = a + b;
  }
}

}  // namespace

int64_t reference_ns(ThreadTeam& team, int runs) {
  using Clock = std::chrono::steady_clock;
  Launch launch{chain, kIterationsPerThread * team.threads(), {}, team.threads()};
  launch.args.resize(static_cast<size_t>(team.threads()));
  const ThreadTeam::Shift shift(team, true);
  int64_t fastest = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < runs; ++i) {
    const auto started = Clock::now();
    team.run(launch);
    fastest = std::min<int64_t>(fastest,
                                std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started).count());
  }
  return fastest;
}

}  // namespace hone::native
