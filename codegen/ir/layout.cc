#include "codegen/ir/layout.h"

#include "base/cat.h"

namespace hone::ir {

int64_t element_count(const Shape& shape) {
  int64_t n = 1;
  bool overflows = false;
  for (int64_t extent : shape) {
    if (extent == 0) return 0;
    overflows = __builtin_mul_overflow(n, extent, &n) || overflows;
  }
  return overflows ? INT64_MAX : n;
}

Layout permuted_layout(const Shape& shape, const std::vector<int>& order) {
  Layout layout;
  for (int axis : order) layout.dims.push_back({axis, 1, shape[axis]});
  return layout;
}

Shape physical_shape(const Shape& shape, const Layout& layout) {
  if (layout.row_major()) return shape;
  Shape out;
  for (const PhysicalDim& dim : layout.dims) out.push_back(dim.size);
  return out;
}

int64_t physical_offset(const Shape& shape, const Layout& layout, const std::vector<int64_t>& index) {
  int64_t offset = 0;
  if (layout.row_major()) {
    for (size_t d = 0; d < shape.size(); d++) offset = offset * shape[d] + index[d];
    return offset;
  }
  for (const PhysicalDim& dim : layout.dims) offset = offset * dim.size + index[dim.axis] / dim.div % dim.size;
  return offset;
}

std::string layout_text(const Layout& layout) {
  if (layout.row_major()) return "row-major";
  std::string out = "[";
  for (const PhysicalDim& dim : layout.dims) {
    if (out.size() > 1) out += ", ";
    out += cat(dim.axis, "/", dim.div, "%", dim.size);
  }
  return cat(out, "] lanes 1", layout.pad == Pad::kZero ? " pad zero" : "",
             layout.layers > 0 ? cat(" layers ", layout.layers) : "");
}

}  // namespace hone::ir
