// PhysicalWalk: visits the elements of a physical tensor in memory order and says which logical element each one holds.
// A physical dimension takes (index[axis] / div) % size (codegen/ir/layout.h); dimensions stand outermost first, row-major.
// No dims: row-major over the logical shape.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone::runtime {

struct PhysicalDim {
  int32_t axis = 0, div = 1, size = 1;
};

struct TensorView {
  std::vector<int32_t> shape;     // logical extents, each ≥ 1
  std::vector<PhysicalDim> dims;  // empty: row-major

  int64_t logical_elements() const;
  int64_t physical_elements() const;
  // Axes in range, div and size ≥ 1, and every axis with an extent above 1 covered by some dimension.
  bool valid() const;
};

// The flat form in which TypeScript hands a view over: rank, extents…, number of dims, (axis, div, size)….
TensorView read_view(const int32_t* words);

constexpr int64_t kPadElement = -1;  // the physical element holds no logical element

namespace walk_detail {
std::vector<int64_t> row_major_strides(const std::vector<int32_t>& shape);
// The logical linear index held at physical coordinates `at`, or kPadElement.
int64_t logical_index(const TensorView& view, const std::vector<int64_t>& strides, const std::vector<int32_t>& at,
                      std::vector<int64_t>& index);
}  // namespace walk_detail

// visit(physical position, logical linear index or kPadElement), positions ascending from 0.
template <class Visit>
void walk_physical(const TensorView& view, Visit&& visit) {
  if (view.dims.empty()) {
    const int64_t count = view.logical_elements();
    for (int64_t i = 0; i < count; i++) visit(i, i);
    return;
  }
  const std::vector<int64_t> strides = walk_detail::row_major_strides(view.shape);
  const PhysicalDim inner = view.dims.back();
  // True when the other parts of the innermost one's axis are whole multiples of it: then a row is one run of neighbours.
  bool one_run = inner.div == 1;
  for (size_t d = 0; d + 1 < view.dims.size(); d++)
    one_run &= view.dims[d].axis != inner.axis || view.dims[d].div % inner.size == 0;
  std::vector<int32_t> at(view.dims.size(), 0);
  std::vector<int64_t> index(view.shape.size(), 0);
  const int64_t rows = view.physical_elements() / inner.size;
  int64_t position = 0;
  for (int64_t row = 0; row < rows; row++) {
    at.back() = 0;
    const int64_t first = walk_detail::logical_index(view, strides, at, index);
    if (one_run) {
      const int64_t left = view.shape[inner.axis] - index[inner.axis];
      const int64_t held = first == kPadElement ? 0 : (inner.size < left ? inner.size : left);
      for (int64_t i = 0; i < held; i++) visit(position++, first + i * strides[inner.axis]);
      for (int64_t i = held; i < inner.size; i++) visit(position++, kPadElement);
    } else {
      for (int32_t i = 0; i < inner.size; i++) {
        at.back() = i;
        visit(position++, walk_detail::logical_index(view, strides, at, index));
      }
    }
    for (size_t d = view.dims.size() - 1; d-- > 0;) {
      if (++at[d] < view.dims[d].size) break;
      at[d] = 0;
    }
  }
}

}  // namespace hone::runtime
