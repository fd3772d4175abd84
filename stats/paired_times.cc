#include "stats/paired_times.h"

#include <cmath>

#include "base/cat.h"

namespace hone::stats {
namespace {

Status check_time(double us) {
  if (std::isfinite(us) && us > 0) return ok_status();
  return Error{ErrorCode::kInvalidArgument, cat("a time is ", us, " µs and must be a positive finite number")};
}

}  // namespace

Result<std::vector<double>> log_ratios(const std::vector<Quad>& quads) {
  if (quads.empty()) return Error{ErrorCode::kInvalidArgument, "a block has no times and must have a quad of them"};
  std::vector<double> all;
  for (const Quad& quad : quads) {
    for (const Pair& pair : {quad.first, quad.second}) {
      HONE_TRY(check_time(pair.old_us));
      HONE_TRY(check_time(pair.new_us));
      all.push_back(std::log(pair.new_us) - std::log(pair.old_us));
    }
  }
  return all;
}

}  // namespace hone::stats
