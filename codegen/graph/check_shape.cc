#include "codegen/graph/check_shape.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/limits.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {

Status check_shape(const Shape& shape, std::string_view what) {
  if (shape.size() > kRankMax)
    return Error{ErrorCode::kLimitExceeded,
                 cat(what, " has ", shape.size(), " dimensions; expected ", kRankMax, " at most")};
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent < 0)
      return Error{ErrorCode::kBadModel, cat(what, " has a dimension of ", extent, "; expected 0 or more")};
    if (extent > te::kExtentMax / elements)
      return Error{ErrorCode::kUnsupported,
                   cat(what, " has more than ", te::kExtentMax, " elements; hone addresses elements with 32 bits")};
    elements *= std::max<int64_t>(extent, 1);
  }
  return ok_status();
}

}  // namespace hone::graph
