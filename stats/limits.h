// What the statistics take at most.
#pragma once
#include <cstddef>

namespace hone::stats {

inline constexpr size_t kBlocksMax = 200;  // of a comparison: the time of a look grows with their cube
inline constexpr size_t kQuadsPerBlockMax = 1000;
inline constexpr size_t kSeriesPointsMax = 10000;  // of a series: the time of a search grows with their square

}  // namespace hone::stats
