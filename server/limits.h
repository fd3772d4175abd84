// Limits of the service.
#pragma once
#include <cstddef>

namespace hone::server {

inline constexpr size_t kClientFrameBytesMax = 256u << 20;  // a model travels as one frame

// A page of the device list ends with the device that goes past the bytes; one takes 2 to 8 KiB, or all of an agent's 64 KiB hello.
inline constexpr size_t kDevicesPerPage = 256;
inline constexpr size_t kDevicesPageBytes = 256 << 10;

}  // namespace hone::server
