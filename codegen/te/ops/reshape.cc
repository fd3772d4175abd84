#include "codegen/te/ops/reshape.h"

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::te {
namespace {

// Dimensions without those of extent 1.
std::vector<size_t> wide_dimensions(const Shape& shape) {
  std::vector<size_t> out;
  for (size_t d = 0; d < shape.size(); d++)
    if (shape[d] != 1) out.push_back(d);
  return out;
}

// The index into `from` of the element at `index` of `to`; both hold the same number of elements, at least one.
std::vector<Sym> index_through(Builder& b, const Shape& from, const Shape& to, const std::vector<Sym>& index) {
  std::vector<Sym> out(from.size(), b.index(0));
  const std::vector<size_t> f = wide_dimensions(from), t = wide_dimensions(to);
  for (size_t i = 0, j = 0; i < f.size();) {
    // The shortest runs f[i, i_end) and t[j, j_end) with the same number of elements.
    size_t i_end = i + 1, j_end = j + 1;
    int64_t left = from[f[i]], right = to[t[j]];
    while (left != right) left < right ? left *= from[f[i_end++]] : right *= to[t[j_end++]];
    Sym flat = index[t[j]];
    for (size_t d = j + 1; d < j_end; d++) flat = flat * double(to[t[d]]) + index[t[d]];
    int64_t below = 1;
    for (size_t d = i_end; d-- > i;) {
      const int64_t extent = from[f[d]];
      Sym at = below == 1 ? flat : flat / double(below);
      if (d > i) at = at % double(extent);
      out[f[d]] = at;
      below *= extent;
    }
    i = i_end;
    j = j_end;
  }
  return out;
}

}  // namespace

Result<Tensor> reshape(Builder& b, Tensor x, const Shape& shape) {
  const int64_t elements = ir::element_count(shape);
  if (elements != ir::element_count(x->shape))
    return Error{ErrorCode::kBadModel, cat("a tensor of shape ", shape_text(x->shape), " cannot take the shape ", shape_text(shape))};
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape);
  const std::vector<Sym> index =
      elements == 0 ? std::vector<Sym>(x->shape.size(), b.index(0)) : index_through(b, x->shape, shape, b.syms(axes));
  return b.map("view", axes, b.at(x, index));
}

}  // namespace hone::te
