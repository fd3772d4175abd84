// What stands in a task's expected output where its reference does not say which of two values is right (codegen/emit/llvm/reference.h).
#pragma once
#include <cstdint>

namespace hone {

// A quiet NaN with a payload that no arithmetic makes. A whole number that happens to be this one is not compared either.
inline constexpr uint32_t kUnspecifiedBits = 0x7fdea11e;

}  // namespace hone
