#include "codegen/target/texture_form.h"

#include <algorithm>

#include "base/cat.h"

namespace hone::target {

namespace {

constexpr int64_t kNarrowTexels =
    8;  // fewer may lie in one row: fragments run in squares of 2×2, and half of them are idle there

int64_t product(const std::vector<int64_t>& sizes, size_t from, size_t to) {
  int64_t all = 1;
  for (size_t i = from; i < to; i++) all *= sizes[i];
  return all;
}

// The most square cut of `sizes` (the last one in texels) into rows and columns; -1: none fits.
int best_cut(const std::vector<int64_t>& sizes, int64_t size_max) {
  int best = -1;
  int64_t longest = size_max + 1;
  for (size_t cut = 0; cut <= sizes.size(); cut++) {
    const int64_t height = product(sizes, 0, cut), width = product(sizes, cut, sizes.size());
    const bool idle = std::min(width, height) == 1 && width * height >= kNarrowTexels;
    if (idle || std::max(width, height) >= longest) continue;
    longest = std::max(width, height);
    best = static_cast<int>(cut);
  }
  return best;
}

// The innermost one of more than one element is of whole texels.
void cut_texels(std::vector<int64_t>& sizes) {
  for (size_t d = sizes.size(); d-- > 0;)
    if (sizes[d] > 1) {
      sizes[d] /= 4;
      return;
    }
}

// Of a single layer the last row may have texels to spare; a layer with others behind it has none.
int64_t run_width(int64_t texels, int64_t layers) {
  int64_t width = 1;
  while (width * width < texels) width *= 2;
  if (layers == 1) return width;
  while (texels % width != 0) --width;
  return width == 1 ? texels : width;
}

bool goes_on(const ir::Layout& layout, int axis) {
  const auto outer = [axis](const ir::PhysicalDim& dim) { return dim.axis == axis && dim.div == 2; };
  return std::any_of(layout.dims.begin(), layout.dims.end(), outer);
}

}  // namespace

bool in_squares(const ir::Layout& layout) {
  const size_t n = layout.dims.size();
  if (n < static_cast<size_t>(layout.layers) + 2) return false;
  const ir::PhysicalDim &row = layout.dims[n - 2], &column = layout.dims[n - 1];
  const auto last_two = [&](const ir::PhysicalDim& dim) {
    return dim.div == 1 && dim.size == 2 && goes_on(layout, dim.axis);
  };
  return row.axis != column.axis && last_two(row) && last_two(column);
}

ir::Layout whole_texels(const ir::Shape& shape, const ir::Layout& layout) {
  ir::Layout out = layout;
  if (in_squares(layout)) return out;
  if (layout.row_major())
    for (size_t d = 0; d < shape.size(); d++)
      out.dims.push_back({static_cast<int>(d), 1, std::max<int64_t>(shape[d], 1)});
  for (size_t d = out.dims.size(); d-- > static_cast<size_t>(out.layers);)
    if (out.dims[d].size > 1) {
      out.dims[d].size = (out.dims[d].size + 3) / 4 * 4;
      break;
    }
  return out;
}

Result<TextureForm> texture_form(const ir::Shape& shape, const ir::Layout& layout, const Limits& limits) {
  std::vector<int64_t> sizes;
  int64_t layers = 1;
  for (size_t d = 0; d < layout.dims.size(); d++) {
    if (d < static_cast<size_t>(layout.layers)) layers *= layout.dims[d].size;
    else sizes.push_back(layout.dims[d].size);
  }
  if (in_squares(layout)) sizes.resize(sizes.size() - 2);
  else cut_texels(sizes);
  const int64_t texels = product(sizes, 0, sizes.size());
  TextureForm form;
  form.rows = best_cut(sizes, limits.texture_size_max);
  const size_t cut = static_cast<size_t>(std::max(form.rows, 0));
  form.texture.layers = layers;
  // There is no texture without texels: one of no elements has one.
  form.texture.width = std::max<int64_t>(form.rows >= 0 ? product(sizes, cut, sizes.size()) : run_width(texels, layers), 1);
  form.texture.height = std::max<int64_t>((texels + form.texture.width - 1) / form.texture.width, 1);
  if (layers > limits.texture_layers_max || form.texture.width > limits.texture_size_max ||
      form.texture.height > limits.texture_size_max)
    return Error{ErrorCode::kLimitExceeded,
                 cat("a tensor of ", ir::element_count(shape), " elements needs a texture of ", form.texture.width, "x",
                     form.texture.height, "x", layers, " texels; the device's are at most ", limits.texture_size_max,
                     "x", limits.texture_size_max, "x", limits.texture_layers_max)};
  return form;
}

}  // namespace hone::target
