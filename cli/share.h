// A share as people write one.
#pragma once
#include <string>

#include "base/result.h"

namespace hone::cli {

// "3%" or "0.03", from 0 to 100: how much slower something may be. Fails: invalid_argument, naming --fail-on-regression.
Result<double> parse_share(const std::string& text);

}  // namespace hone::cli
