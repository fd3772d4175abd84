// Gaussian elimination with partial pivoting (Golub and Van Loan 2013, "Matrix computations", 3.4), one column at a time.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// x: [batch, m, m], m ≥ 1, floats; product: [batch], the determinant so far.
struct Eliminated {
  Tensor rest = nullptr;     // [batch, m − 1, m − 1]: the other rows without the first column
  Tensor product = nullptr;  // [batch]: times the pivot, with the sign of moving its row to the top; 0 where there is none
};
// Fails: bad_model.
Result<Eliminated> eliminate_step(Builder& b, Tensor x, Tensor product);

}  // namespace hone::te
