// Operators that put elements where indices say. Each is written from the side of the result, which looks for what comes to it: no two writers meet, the order of joining
// is the same each time, and targets that cannot scatter compute it, too.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

enum class ScatterJoin : uint8_t { kReplace, kAdd, kMultiply, kMax, kMin };

// y = x, with updates[i…] joined to the element at i… with indices[i…] along `axis` (≥ 0). indices and updates have one shape, of x's rank, and reach no further than x in
// the other dimensions. Of several updates that replace one element the last counts. Negative indices count from the end; others outside of x count nothing.
// Fails: bad_model.
Result<Tensor> scatter_elements(Builder& b, Tensor x, Tensor indices, Tensor updates, int64_t axis, ScatterJoin join);

// y = x, with updates[i…, inner…] joined to x[indices[i…, 0], …, indices[i…, q − 1], inner…]. The rest as in scatter_elements.
Result<Tensor> scatter_tuples(Builder& b, Tensor x, Tensor indices, Tensor updates, ScatterJoin join);

// y = x, with updates[n, …] along `axis` (≥ 1) from starts[n] on (null: 0), beyond the end at its beginning where `around`, else not at all. Fails: bad_model.
Result<Tensor> write_from(Builder& b, Tensor x, Tensor updates, Tensor starts, int64_t axis, bool around);

// x[n, c, i…] at the place indices[n, c, i…] of a tensor of `shape` [n, c, …], counted row-major through all of it; 0 elsewhere. An index leads to its own n and c.
// Fails: bad_model.
Result<Tensor> unpool(Builder& b, Tensor x, Tensor indices, const Shape& shape);

}  // namespace hone::te
