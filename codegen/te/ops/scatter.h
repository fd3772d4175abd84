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

// Scatters of many updates go by the numbers of their rows, put in order (graph/order_updates.cc):

// indices[…, q]: the row-major number of the row […, q] of a tensor of these extents, one for each q; −1 where an index lies outside. Negative ones count from the end. i64.
Result<Tensor> row_numbers(Builder& b, Tensor indices, const Shape& extents);
// y[i] along `axis` (≥ 0) = x[i] joined to x[i − stride], x[i − 2 · stride], …, kFoldWays in all, as far as they have i's key. keys: x's shape, or 1 in other dimensions. By strides
// 1, kFoldWays, kFoldWays², … the last of equal keys next to each other holds what they join to: a segmented scan (Blelloch 1990, "Prefix sums and their applications", 1.5).
inline constexpr int64_t kFoldWays = 8;
Result<Tensor> fold_equals(Builder& b, Tensor x, Tensor keys, int64_t axis, int64_t stride, ScatterJoin join);

// y = x, with updates[n, …] along `axis` (≥ 1) from starts[n] on (null: 0), beyond the end at its beginning where `around`, else not at all. Fails: bad_model.
Result<Tensor> write_from(Builder& b, Tensor x, Tensor updates, Tensor starts, int64_t axis, bool around);

// x[n, c, i…] at the place indices[n, c, i…] of a tensor of `shape` [n, c, …], counted row-major through all of it; 0 elsewhere. An index leads to its own n and c.
// Fails: bad_model.
Result<Tensor> unpool(Builder& b, Tensor x, Tensor indices, const Shape& shape);

}  // namespace hone::te
