// The inverse of error_name.
#pragma once
#include <optional>
#include <string_view>

#include "schema/generated/error_code.h"

namespace hone::tuner {

inline std::optional<ErrorCode> error_from_name(std::string_view name) {
  constexpr int kLastCode = static_cast<int>(ErrorCode::kInternal);
  for (int code = 0; code <= kLastCode; ++code)
    if (name != "unknown" && error_name(static_cast<ErrorCode>(code)) == name) return static_cast<ErrorCode>(code);
  return std::nullopt;
}

}  // namespace hone::tuner
