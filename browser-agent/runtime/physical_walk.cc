#include "browser-agent/runtime/physical_walk.h"

namespace hone::runtime {

int64_t TensorView::logical_elements() const {
  int64_t count = 1;
  for (int32_t extent : shape) count *= extent;
  return count;
}

int64_t TensorView::physical_elements() const {
  if (dims.empty()) return logical_elements();
  int64_t count = 1;
  for (const PhysicalDim& dim : dims) count *= dim.size;
  return count;
}

bool TensorView::valid() const {
  for (int32_t extent : shape)
    if (extent < 1) return false;
  if (dims.empty()) return true;
  std::vector<bool> covered(shape.size(), false);
  for (const PhysicalDim& dim : dims) {
    if (dim.axis < 0 || dim.axis >= static_cast<int32_t>(shape.size()) || dim.div < 1 || dim.size < 1) return false;
    covered[dim.axis] = true;
  }
  for (size_t axis = 0; axis < shape.size(); axis++)
    if (shape[axis] > 1 && !covered[axis]) return false;
  return true;
}

TensorView read_view(const int32_t* words) {
  TensorView view;
  const int32_t rank = *words++;
  for (int32_t i = 0; i < rank; i++) view.shape.push_back(*words++);
  const int32_t count = *words++;
  for (int32_t i = 0; i < count; i++, words += 3) view.dims.push_back({words[0], words[1], words[2]});
  return view;
}

namespace walk_detail {

std::vector<int64_t> row_major_strides(const std::vector<int32_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

int64_t logical_index(const TensorView& view, const std::vector<int64_t>& strides, const std::vector<int32_t>& at,
                      std::vector<int64_t>& index) {
  for (int64_t& i : index) i = 0;
  for (size_t d = 0; d < at.size(); d++) index[view.dims[d].axis] += int64_t{at[d]} * view.dims[d].div;
  int64_t linear = 0;
  for (size_t axis = 0; axis < index.size(); axis++) {
    if (index[axis] >= view.shape[axis]) return kPadElement;
    linear += index[axis] * strides[axis];
  }
  // Dimensions of one axis may overlap (a halo stored twice, say); a position whose coordinates contradict each other holds nothing.
  for (size_t d = 0; d < at.size(); d++) {
    const PhysicalDim& dim = view.dims[d];
    if (index[dim.axis] / dim.div % dim.size != at[d]) return kPadElement;
  }
  return linear;
}

}  // namespace walk_detail
}  // namespace hone::runtime
