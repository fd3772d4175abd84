// Reductions over chosen dimensions, and what is made of them.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

struct ReductionParams {
  std::vector<int64_t> axes;  // ≥ 0, each once
  bool keep_dims = true;      // reduced dimensions stay with extent 1
};
// What each element contributes, how contributions join, and what is made of the result (`count` elements were joined).
struct ReductionRule {
  Fold fold = Fold::kSum;
  std::function<Sym(Sym)> value = nullptr;                  // null: the element itself
  std::function<Sym(Sym, double count)> finish = nullptr;   // null: the result itself
};
// Reduction `name`; the kept dimensions give its axes. Fails: bad_model.
Result<Tensor> reduce_over(Builder& b, std::string_view name, Tensor x, const ReductionParams& params, const ReductionRule& rule);

// The mean of (x − center)² over the dimensions `axes`, which stay with extent 1; center has extent 1 there. Fails: bad_model.
Result<Tensor> reduce_differences(Builder& b, std::string_view name, Tensor x, Tensor center, const std::vector<int64_t>& axes);

// 1 at the first largest element along `axis` (≥ 0) and 0 elsewhere, in x's type. Fails: bad_model.
Result<Tensor> hard_choice(Builder& b, Tensor x, int64_t axis);

// The position of the largest (or smallest) element along one dimension, as i64: a reduction over pairs.
struct ArgParams {
  int64_t axis = 0;
  bool keep_dims = true, smallest = false, last_of_equals = false;
};
Result<Tensor> arg_extreme(Builder& b, Tensor x, const ArgParams& params);

// log Σ eˣ over dimensions, of elements of any size: the reductions "max" and "Y". Fails: bad_model.
Result<Tensor> log_sum_exp(Builder& b, Tensor x, const ReductionParams& params);

// exp(x − max) / Σ exp(x − max) over the dimensions `axes`, or its logarithm: the reductions "max" and "sum" and a Map.
Result<Tensor> softmax(Builder& b, Tensor x, const std::vector<int64_t>& axes, bool logarithm);

}  // namespace hone::te
