// What a model's operators and tensors must not be is answered with this error.
#pragma once
#include <string>
#include <utility>

#include "base/result.h"

namespace hone::te {

inline Error bad_model(std::string message) { return {ErrorCode::kBadModel, std::move(message)}; }

}  // namespace hone::te
