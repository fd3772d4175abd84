#include "cli/share.h"

#include <cstdlib>

#include "base/cat.h"

namespace hone::cli {

Result<double> parse_share(const std::string& text) {
  std::string digits = text;
  const bool percent = digits.ends_with('%');
  if (percent) digits.pop_back();
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0' || !(value >= 0 && value <= 100)) return Error{ErrorCode::kInvalidArgument, cat("found --fail-on-regression ", text, ", expected a share such as 3%")};
  return percent ? value / 100 : value;
}

}  // namespace hone::cli
