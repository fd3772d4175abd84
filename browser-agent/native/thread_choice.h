// Whether a launch runs on all threads or on the leader alone: the others must be woken and waited for, so a short launch is faster alone.
// What takes less time is found by trying.
#pragma once
#include <cstdint>
#include <functional>

namespace hone::native {

inline constexpr int64_t kLongNs =
    3'000'000;  // so long a launch gains from all threads; trying costs more than it tells

// Nanoseconds of so many runs in a row on so many threads.
using TimeRuns = std::function<int64_t(int threads, int runs)>;

// 1 or `all`, for a launch that is warm.
int choose_threads(const TimeRuns& time_ns, int all);

}  // namespace hone::native
