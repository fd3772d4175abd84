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

enum class Border : uint8_t { kConstant, kEdge, kReflect };
struct PadParams {
  std::vector<int64_t> begin, end;  // per dimension; negative ones cut off
  Border border = Border::kConstant;
  double fill = 0;
};
// Fails: bad_model when an extent becomes negative or a reflection reaches beyond the tensor.
Result<Tensor> pad(Builder& b, Tensor x, const PadParams& params);

// y = x broadcast to `shape` together with x's own. Fails: bad_model.
Result<Tensor> expand(Builder& b, Tensor x, const Shape& shape);

// y[outer…, index…, inner…] = x[outer…, indices[index…], inner…] along `axis` (≥ 0). Negative indices count from the end; an index outside
// the tensor reads its nearest element. Fails: bad_model.
Result<Tensor> gather(Builder& b, Tensor x, Tensor indices, int64_t axis);

// y = x repeated `times[d]` times along dimension d.
Tensor tile(Builder& b, Tensor x, const std::vector<int64_t>& times);

}  // namespace hone::te
