// Operators that only move elements: each is a Map whose index expressions say where an element comes from.
#pragma once
#include <vector>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// y[…] = x with its dimensions in the order `order`: y's dimension d is x's dimension order[d]. Fails: bad_model if no permutation.
Result<Tensor> transpose(Builder& b, Tensor x, const std::vector<int64_t>& order);

// The tensors one behind the other along `axis` (≥ 0); all other extents agree. A chain of selects. Fails: bad_model.
Result<Tensor> concat(Builder& b, const std::vector<Tensor>& parts, int64_t axis);

// y[i] = x[begin + i · step] in each dimension; begin lies in x where extent > 0. Needs: all of x's rank, every read in bounds.
struct Slice {
  std::vector<int64_t> begin, step;
  Shape shape;
};
Tensor slice(Builder& b, Tensor x, const Slice& s);

enum class Border : uint8_t { kConstant, kEdge, kReflect, kWrap };
struct PadParams {
  std::vector<int64_t> begin, end;  // per dimension; negative ones cut off
  Border border = Border::kConstant;
  double fill = 0;
};
// Fails: bad_model when an extent becomes negative, a reflection reaches beyond the tensor, or what wraps leaves 32 bits.
Result<Tensor> pad(Builder& b, Tensor x, const PadParams& params);

// y = x broadcast to `shape` together with x's own. Fails: bad_model.
Result<Tensor> expand(Builder& b, Tensor x, const Shape& shape);

// y[outer…, index…, inner…] = x[outer…, indices[index…], inner…] along `axis` (≥ 0). Negative indices count from the end; an index outside
// the tensor reads its nearest element. Fails: bad_model.
Result<Tensor> gather(Builder& b, Tensor x, Tensor indices, int64_t axis);

// y[i…] = x[i… with indices[i…] along `axis` (≥ 0)]; indices has x's rank and reaches no further in the other dimensions. Wrapping and
// clamping as in gather. Fails: bad_model.
Result<Tensor> gather_elements(Builder& b, Tensor x, Tensor indices, int64_t axis);

// y[batch…, index…, inner…] = x[batch…, indices[batch…, index…, 0], …, indices[…, q − 1], inner…]: the last dimension of indices holds q positions, one for
// each of x's dimensions behind the first `batch`. Wrapping and clamping as in gather. Fails: bad_model.
Result<Tensor> gather_tuples(Builder& b, Tensor x, Tensor indices, int64_t batch);

// The middle of x, or x in the middle of zeros, so that it has `shape`; where it cannot be even, one element more is behind. Fails: bad_model.
Result<Tensor> centered(Builder& b, Tensor x, const Shape& shape);

// Of each entry along `batch` the first lengths[entry] elements along `time` in reverse order, the others as they are; both ≥ 0, different. Fails: bad_model.
Result<Tensor> reverse_starts(Builder& b, Tensor x, Tensor lengths, int64_t time, int64_t batch);

// x where column − row ≥ diagonal (upper) or ≤ diagonal (else) in the last two dimensions, 0 elsewhere. Fails: bad_model.
struct Triangle {
  bool upper = true;
  int64_t diagonal = 0;
};
Result<Tensor> triangle(Builder& b, Tensor x, const Triangle& t);

// `on` where the index (negative ones count from the end) is the position along the new dimension `axis` of `depth` elements, else `off`.
struct OneHot {
  int64_t axis = 0, depth = 0;
  DType dtype = DType::kF32;
  double on = 1, off = 0;
};
Tensor one_hot(Builder& b, Tensor indices, const OneHot& params);

// y = x repeated `times[d]` times along dimension d.
Tensor tile(Builder& b, Tensor x, const std::vector<int64_t>& times);

}  // namespace hone::te
