// Decision: one choice of a schedule, under a key that names its role ("rows.threads"), the same for every shape.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hone::tuner {

struct Decision {
  std::string key;
  std::vector<int64_t> values;      // ascending where they are sizes: neighbours are similar choices
  std::vector<std::string> labels;  // where values are names; else empty
  bool is_size() const { return labels.empty(); }
};

// A value for each decision of a space, as positions in their lists.
using Assignment = std::vector<int>;

}  // namespace hone::tuner
