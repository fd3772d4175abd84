#include "codegen/ir/tensor_value.h"

#include <limits>

#include "base/cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "codegen/ir/numeric.h"

namespace hone::ir {
namespace {

// Calls visit(linear logical index, physical offset) for each logical element.
template <class Visit>
void for_each_element(const Shape& shape, const Layout& layout, const Visit& visit) {
  const int64_t count = element_count(shape);
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(static_cast<size_t>(i), static_cast<size_t>(physical_offset(shape, layout, index)));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace

TensorValue make_tensor(DType dtype, Shape shape) {
  TensorValue tensor{dtype, std::move(shape), {}, {}};
  const size_t count = static_cast<size_t>(element_count(tensor.shape));
  if (is_float(dtype)) tensor.real.assign(count, 0);
  else tensor.whole.assign(count, 0);
  return tensor;
}

TensorValue make_tensor(Shape shape, std::vector<float> values) {
  TensorValue tensor{DType::kF32, std::move(shape), {values.begin(), values.end()}, {}};
  CHECK(static_cast<int64_t>(tensor.real.size()) == element_count(tensor.shape),
        cat(tensor.real.size(), " values for ", element_count(tensor.shape), " elements"));
  return tensor;
}

TensorValue uniform_tensor(DType dtype, Shape shape, uint64_t seed) {
  TensorValue tensor = make_tensor(dtype, std::move(shape));
  for (size_t i = 0; i < tensor.real.size(); ++i) tensor.real[i] = round_to(dtype, uniform_at(seed, i));
  for (size_t i = 0; i < tensor.whole.size(); ++i) {
    const int64_t value = static_cast<int64_t>(hash_mix(seed, i) >> 60);
    tensor.whole[i] = wrap_to(dtype, is_unsigned(dtype) || dtype == DType::kBool ? value : value - 8);
  }
  return tensor;
}

TensorValue to_physical(const TensorValue& logical, const Layout& layout) {
  TensorValue physical = make_tensor(logical.dtype, physical_shape(logical.shape, layout));
  if (layout.pad == Pad::kAny) {
    physical.real.assign(physical.real.size(), std::numeric_limits<double>::quiet_NaN());
    physical.whole.assign(physical.whole.size(), wrap_to(logical.dtype, kPoison));
  }
  for_each_element(logical.shape, layout, [&](size_t from, size_t to) {
    if (is_float(logical.dtype)) physical.real[to] = logical.real[from];
    else physical.whole[to] = logical.whole[from];
  });
  return physical;
}

TensorValue from_physical(const TensorValue& physical, const Shape& shape, const Layout& layout) {
  TensorValue logical = make_tensor(physical.dtype, shape);
  for_each_element(shape, layout, [&](size_t to, size_t from) {
    if (is_float(logical.dtype)) logical.real[to] = physical.real.at(from);
    else logical.whole[to] = physical.whole.at(from);
  });
  return logical;
}

TensorValue rounded(const TensorValue& tensor, DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  CHECK(is_float(tensor.dtype) && is_float(dtype), "only float types round to each other");
  TensorValue out = make_tensor(dtype, tensor.shape);
  for (size_t i = 0; i < out.real.size(); ++i) out.real[i] = round_to(dtype, tensor.real[i]);
  return out;
}

}  // namespace hone::ir
