// Names that nothing else has.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/cat.h"

namespace hone {

// `base` where it is free, else base + separator + the first number from `first` on that makes it so. is_taken(name): asked until it says no.
template <class IsTaken>
std::string fresh_name(const std::string& base, std::string_view separator, int64_t first, const IsTaken& is_taken) {
  std::string name = base;
  for (int64_t number = first; is_taken(name); number++) name = cat(base, separator, number);
  return name;
}

}  // namespace hone
