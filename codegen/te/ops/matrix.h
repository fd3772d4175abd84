// Matrix products.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

struct MatmulParams {
  bool transpose_a = false;  // the last two dimensions are stored [k, m]
  bool transpose_b = false;  // … [n, k]
};

// C[…, m, n] = Σk A[…, m, k] · B[…, k, n]; leading dimensions broadcast; an operand of rank 1 is a vector (its dimension is left out of C).
// Whole numbers of 8 and 16 bits are multiplied and added up as i32, also those of different types.
// Reduction "C" with axes b… m n and k. Fails: bad_model when the shapes do not fit, with both shapes.
Result<Tensor> matmul(Builder& b, Tensor a, Tensor bmat, const MatmulParams& params = {});

}  // namespace hone::te
