// What a schedule must not do is answered with this error.
#pragma once
#include <string>
#include <utility>

#include "base/result.h"

namespace hone::schedule {

inline Error illegal(std::string message) { return {ErrorCode::kIllegalSchedule, std::move(message)}; }

}  // namespace hone::schedule
