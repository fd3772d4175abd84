#include "tests/conformance/inputs.h"

#include <algorithm>
#include <limits>

#include "codegen/ir/numeric.h"

namespace hone::conformance {
namespace {

using Limits = std::numeric_limits<float>;
constexpr double kSmallest = Limits::denorm_min(), kInfinity = Limits::infinity();

// The largest numbers only where results are exact: beside them 2e-5 of the largest result would let anything pass.
double special_real(const Operator& op, Draw& d) {
  const double sign = d.coin() ? 1 : -1;
  const int64_t which = d.below(op.match == Match::kRounded ? 6 : 8);
  if (which == 0 && op.values == Values::kAll) return Limits::quiet_NaN();
  if (which == 1) return sign * kInfinity;
  if (which == 2) return sign * kSmallest;
  if (which == 3) return sign * ir::round_to(ir::DType::kF32, 1e-40 * d.real(0.1, 1));
  if (which == 4) return sign;
  if (which == 6) return sign * Limits::max();
  if (which == 7) return sign * Limits::min();
  return sign * 0.0;
}

int64_t special_whole(ir::DType dtype, Draw& d) {
  if (ir::is_unsigned(dtype)) return d.any_of<int64_t>({0, 1, UINT32_MAX, UINT32_MAX - 1, int64_t{1} << 31});
  return d.any_of<int64_t>({0, 1, -1, INT32_MAX, INT32_MIN, INT32_MIN + 1});
}

bool reduces(const te::Task& task) {
  return std::any_of(task.program.computes.begin(), task.program.computes.end(),
                     [](const te::Compute& c) { return c.reduce.has_value(); });
}

void fill(ir::TensorValue& value, bool is_bool, const Operator& op, Draw& d) {
  for (double& v : value.real) v = ir::round_to(value.dtype, d.real(op.low, op.high));
  for (int64_t& v : value.whole)
    v = is_bool ? d.below(2) : ir::is_unsigned(value.dtype) ? d.below(16) : d.between(-8, 7);
}

void sprinkle(ir::TensorValue& value, bool is_bool, size_t count, const Operator& op, Draw& d) {
  for (size_t i = 0; i < count && value.size() > 0; ++i) {
    const auto at = static_cast<size_t>(d.below(static_cast<int64_t>(value.size())));
    if (ir::is_float(value.dtype)) value.real[at] = special_real(op, d);
    else if (!is_bool) value.whole[at] = special_whole(value.dtype, d);
  }
}

}  // namespace

std::vector<ir::TensorValue> random_inputs(const te::Task& task, const std::vector<ir::DType>& model_types,
                                           const Operator& op, bool special, uint64_t seed) {
  Draw d(hash_mix(seed, 1), Role::kPlain);
  const bool few = reduces(task);
  std::vector<ir::TensorValue> out;
  for (te::Tensor tensor : task.program.inputs) {
    ir::TensorValue value = ir::make_tensor(tensor->dtype, tensor->shape);
    const bool is_bool = model_types[out.size()] == ir::DType::kBool;
    fill(value, is_bool, op, d);
    const size_t count = few ? static_cast<size_t>(d.below(4)) : value.size() / 3 + 1;
    if (special) sprinkle(value, is_bool, count, op, d);
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace hone::conformance
