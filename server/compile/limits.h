// Limits of the compile server's stores.
#pragma once
#include <cstddef>

namespace hone::server {

inline constexpr size_t kExpectedBytesMax = 256u << 20;  // expected outputs held in memory; the oldest go first

}  // namespace hone::server
