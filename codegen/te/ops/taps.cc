#include "codegen/te/ops/taps.h"

#include "base/cat.h"

namespace hone::te {
namespace {

constexpr size_t kLoadsMax = 64;  // of one element of the result: cubic in three dimensions, linear in six

// The sum over the taps of dimension d and of those after it.
Sym blended_from(Builder& b, Tensor x, const std::vector<std::vector<Tap>>& taps, std::vector<Sym>& index, size_t d) {
  if (d == taps.size()) return b.at(x, index);
  Sym sum;
  for (size_t k = 0; k < taps[d].size(); k++) {
    index[d] = taps[d][k].index;
    Sym part = blended_from(b, x, taps, index, d + 1);
    if (taps[d][k].weighted) part = part * taps[d][k].weight;
    sum = k == 0 ? part : sum + part;
  }
  return sum;
}

}  // namespace

Status check_taps(const std::vector<std::vector<Tap>>& taps) {
  size_t loads = 1;
  for (const auto& of_dimension : taps) {
    loads *= of_dimension.size();
    if (loads > kLoadsMax) return Error{ErrorCode::kUnsupported, cat("blending more than ", kLoadsMax, " elements into one is not supported")};
  }
  return ok_status();
}

Sym blended(Builder& b, Tensor x, const std::vector<std::vector<Tap>>& taps) {
  std::vector<Sym> index(taps.size());
  return blended_from(b, x, taps, index, 0);
}

// In factors, which lose nothing where the weight goes to 0.
Sym cubic_near(Sym d, double a) { return (d - 1.0) * (((a + 2) * d - 1.0) * d - 1.0); }
Sym cubic_far(Sym d, double a) { return (d - 2.0) * (d - 2.0) * (d - 1.0) * a; }

Sym clamped(Sym at, int64_t extent) { return max(min(at, double(extent - 1)), 0.0); }

}  // namespace hone::te
