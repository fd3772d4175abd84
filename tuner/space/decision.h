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
  bool first_is_usual = false;      // a sample has the first value three times in four
  bool is_size() const { return labels.empty(); }
  // The value at a position as text.
  std::string word(size_t at) const {
    return is_size() ? std::to_string(values[at]) : labels[static_cast<size_t>(values[at])];
  }
};

// A value for each decision of a space, as positions in their lists.
using Assignment = std::vector<int>;

}  // namespace hone::tuner
