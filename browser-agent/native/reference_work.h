// How much a row of a GPU's reference kernel does, as in src/core/reference_work.ts: rounds of multiply-adds in registers, by as many threads as fill most GPUs, in
// few launches, so that a row times them and not what lies between launches.
#pragma once
#include <algorithm>
#include <cstdint>

namespace hone::agent {

struct ReferenceWork {
  static constexpr int64_t kThreads = 16'384, kRoundsFirst = 8;

  int64_t rounds = kRoundsFirst, launches = 1;  // rounds: of each launch

  // Of a row that takes so long: about a millisecond of it.
  void fit(int64_t row_ns) {
    constexpr int64_t kRowNs = 1'000'000, kRoundsMax = 65'536, kLaunchesFew = 8, kLaunchesMax = 1000;
    const int64_t wanted = std::max<int64_t>(1, rounds * launches * kRowNs / std::max<int64_t>(1, row_ns));
    rounds = std::clamp(wanted / kLaunchesFew, kRoundsFirst, kRoundsMax);
    launches = std::clamp<int64_t>(wanted / rounds, 1, kLaunchesMax);
  }
  // Of the first work, one launch of kRoundsFirst rounds: comparable between openings of one device.
  int64_t first_ns(int64_t row_ns) const { return row_ns * kRoundsFirst / (rounds * launches); }
};

}  // namespace hone::agent
