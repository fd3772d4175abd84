#include "codegen/te/ops/broadcast.h"

#include <algorithm>

#include "base/cat.h"

namespace hone::te {

std::string shape_text(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string out;
  for (size_t i = 0; i < shape.size(); i++) out += cat(i ? "x" : "", shape[i]);
  return out;
}

Result<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); i++) {  // counted from the last dimension
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return Error{ErrorCode::kBadModel, cat("shapes ", shape_text(a), " and ", shape_text(b), " do not broadcast: ", x, " against ", y)};
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

std::vector<Sym> broadcast_index(Builder& b, const std::vector<Sym>& index, const Shape& shape) {
  CHECK(index.size() >= shape.size(), "an operand has more dimensions than the result");
  std::vector<Sym> out;
  for (size_t i = 0; i < shape.size(); i++) out.push_back(shape[i] == 1 ? b.index(0) : index[index.size() - shape.size() + i]);
  return out;
}

}  // namespace hone::te
