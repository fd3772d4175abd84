#include "tuner/records/store.h"

namespace hone::tuner {

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::kNaive:
      return "naive";
    case Origin::kSeed:
      return "seed";
    case Origin::kSearch:
      return "search";
    case Origin::kRecheck:
      return "recheck";
    case Origin::kCheck:
      return "check";
  }
  return "unknown";
}

bool parse_origin(std::string_view name, Origin* out) {
  for (Origin origin : {Origin::kNaive, Origin::kSeed, Origin::kSearch, Origin::kRecheck, Origin::kCheck}) {
    if (origin_name(origin) != name) continue;
    *out = origin;
    return true;
  }
  return false;
}

std::string_view standing_name(Standing standing) {
  switch (standing) {
    case Standing::kUnconfirmed:
      return "unconfirmed";
    case Standing::kConfirmed:
      return "confirmed";
    case Standing::kRefuted:
      return "refuted";
  }
  return "unknown";
}

bool gives_time(Origin origin, ErrorCode outcome, double latency_us_median) {
  const bool beside_rivals = origin == Origin::kRecheck && outcome == ErrorCode::kUnstable && latency_us_median > 0;
  return outcome == ErrorCode::kOk || beside_rivals;
}

bool is_final(ErrorCode outcome, int times_seen) {
  switch (outcome) {
    case ErrorCode::kOk:
    case ErrorCode::kCompileError:
    case ErrorCode::kValidationError:
    case ErrorCode::kWrongOutput:
    case ErrorCode::kNotWritten:
      return true;
    case ErrorCode::kTimeout:
    case ErrorCode::kDeviceLost:
      return times_seen >= 2;
    default:
      return false;
  }
}

}  // namespace hone::tuner
