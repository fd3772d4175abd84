// Numbers that whole ones of few bits stand for: q stands for (q − zero) · scale.
#pragma once
#include <string_view>

#include "base/result.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::te {

// Of all elements, (rank 1) of each position along `axis` (≥ 0) its own, or (block > 0) of each `block` positions along it: then they have x's shape
// but for ⌈extent / block⌉ there. zero is of the numbers' type: whole ones, or floats of 8 bits and less.
struct Scaling {
  Operand scale, zero;
  int64_t axis = 0, block = 0;
  bool saturates = true;  // floats beyond the largest become that one; else infinity or NaN
};

// The number of zero's type nearest to x / scale + zero, half to even; beyond its range the nearest one: the Map "Y". Fails: bad_model.
Result<Tensor> quantize(Builder& b, Tensor x, const Scaling& scaling);
// (q − zero) · scale, computed in scale's type, or in f32 where that is of 8 bits: the Map "Y". Fails: bad_model.
Result<Tensor> dequantize(Builder& b, Tensor q, const Scaling& scaling);

// q − zero as i32, what products of quantized numbers are made of: the Map `name`; q itself where zero is known to be 0. Fails: bad_model.
Result<Tensor> without_zero(Builder& b, std::string_view name, Tensor q, const Operand& zero);

// Sums of products of numbers with the scales `factors`, as numbers of the scaling y: nearest(sum · (factors / y.scale)) + y.zero, computed in f32; beyond the range of y.zero's type the nearest number: the Map "scaled". Scales broadcast to the sums. Fails: bad_model.
Result<Tensor> requantize(Builder& b, Tensor sums, const std::vector<Operand>& factors, const Scaling& y);

// x of f32 as u8 with the scaling that just holds all its elements and 0: y, its scale and its zero, both of rank 0. The reductions "low" and
// "high" and the Maps "scale", "zero" and "Y". Fails: bad_model.
struct Quantized {
  Tensor y, scale, zero;
};
Result<Quantized> quantize_by_range(Builder& b, Tensor x);

// Numbers of `bits` bits, several in a byte, the first in the lowest bits: [n, k / block, block · bits / 8] of u8. Each block has a scale, and a zero: [n · blocks] of
// scale's type, or bytes of such numbers, each row of its own; null: half of the range.
struct PackedBlocks {
  int64_t rows = 0, columns = 0, bits = 4, block = 32;
  Tensor numbers = nullptr, scale = nullptr, zero = nullptr;
};
// (number − zero) · scale: [k, n] of scale's type, the Map "unpacked". Fails: bad_model.
Result<Tensor> unpacked_blocks(Builder& b, const PackedBlocks& p);

}  // namespace hone::te
