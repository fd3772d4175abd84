// An operator that hone does not ship, defined here and nowhere else: y[i, j] = Σ_k |a[i, k] − b[k, j]|.
#pragma once
#include "codegen/tuple_tasks.h"

namespace hone::conformance {

inline te::Task distance_task(int64_t m, int64_t n, int64_t k) {
  te::Builder b;
  const te::Tensor x = b.input("a", kF32, {m, k}), y = b.input("b", kF32, {k, n});
  const te::Axis i = b.axis("m", m), j = b.axis("n", n), r = b.axis("k", k);
  const te::Sym left = b.at(x, {b.sym(i), b.sym(r)}), right = b.at(y, {b.sym(r), b.sym(j)});
  return finished_task(b, b.reduce("Y", {i, j}, {r}, te::Fold::kSum, te::absolute(left - right)));
}

}  // namespace hone::conformance
