// The smallest model that a device can run, for tests.
#pragma once
#include <string_view>

namespace hone::cli {

using namespace std::string_view_literals;

// ir_version 8; graph g: Relu from x, float[4096], to y; opset 13.
inline constexpr std::string_view kReluModel =
    "\x08\x08\x3a\x35\x0a\x0c\x0a\x01x\x12\x01y\"\x04Relu\x12\x01g"
    "Z\x10\x0a\x01x\x12\x0b\x0a\x09\x08\x01\x12\x05\x0a\x03\x08\x80\x20"
    "b\x10\x0a\x01y\x12\x0b\x0a\x09\x08\x01\x12\x05\x0a\x03\x08\x80\x20"
    "\x42\x04\x0a\0\x10\x0d"sv;

}  // namespace hone::cli
