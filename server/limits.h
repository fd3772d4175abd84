// Limits of the service.
#pragma once
#include <cstddef>

namespace hone::server {

inline constexpr size_t kClientFrameBytesMax = 256u << 20;  // a model travels as one frame

}  // namespace hone::server
