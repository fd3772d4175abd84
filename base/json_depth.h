// How deep a JSON text nests, found without building anything: a tree that is thousands of levels deep overflows the stack of whoever walks it.
#pragma once
#include <cstddef>
#include <string_view>

namespace hone {

inline constexpr size_t kJsonDepthMax = 64;  // of what others wrote; our own messages and records stay below 20

// Lists and objects within each other. Of a text that is no JSON it is exact up to the place where a parser stops.
size_t json_depth(std::string_view text);

}  // namespace hone
