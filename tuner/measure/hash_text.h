// The inverse of Hash::hex.
#pragma once
#include <cstdlib>
#include <string>

#include "base/hash.h"

namespace hone::tuner {

// The empty hash for a text that is none.
inline Hash hash_from_hex(const std::string& hex) {
  if (hex.size() != 32 || hex.find_first_not_of("0123456789abcdef") != std::string::npos) return {};
  return {std::strtoull(hex.substr(0, 16).c_str(), nullptr, 16), std::strtoull(hex.substr(16).c_str(), nullptr, 16)};
}

}  // namespace hone::tuner
