// What shapes a model's tensors may have, checked wherever one enters or is computed.
#pragma once
#include <string_view>

#include "codegen/graph/graph.h"

namespace hone::graph {

// Every extent lies in [0, te::kExtentMax], and so does their product, empty dimensions counted as 1; at most kRankMax dimensions.
// `what` begins the message: "input 'x'". Fails: bad_model (a negative extent), unsupported (too many elements), limit_exceeded (the rank).
Status check_shape(const Shape& shape, std::string_view what);

}  // namespace hone::graph
