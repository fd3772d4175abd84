#include "codegen/package/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone::package {

double relative_error(const graph::ConstantTensor& y, const graph::ConstantTensor& reference) {
  if (y.shape != reference.shape) return std::numeric_limits<double>::infinity();
  const std::vector<double> got = graph::to_doubles(y), wanted = graph::to_doubles(reference);
  double worst = 0, range = 0;
  for (size_t i = 0; i < got.size(); i++) {
    if (std::isfinite(wanted[i])) range = std::max(range, std::fabs(wanted[i]));
    if (got[i] == wanted[i] || (std::isnan(got[i]) && std::isnan(wanted[i]))) continue;
    if (!std::isfinite(got[i]) || !std::isfinite(wanted[i])) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, std::fabs(got[i] - wanted[i]));
  }
  return range > 0 ? worst / range : worst;
}

}  // namespace hone::package
