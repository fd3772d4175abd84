// The middle of some values.
#pragma once
#include <algorithm>
#include <vector>

namespace hone {

// Of an even number the mean of the two in the middle; of none 0.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

}  // namespace hone
