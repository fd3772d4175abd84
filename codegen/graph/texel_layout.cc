#include "codegen/graph/texel_layout.h"

#include <algorithm>
#include <array>
#include <vector>

#include "codegen/target/texture_form.h"

namespace hone::graph {

namespace {

constexpr int64_t kTexelsMin = 64;  // of a tensor in layers
constexpr int64_t kRows = 4, kTexels = 2;

int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to; }

// Blocks of `size` that waste a quarter at most.
bool fits(int64_t extent, int64_t size) { return extent >= size && 4 * round_up(extent, size) * size <= 5 * extent; }

std::vector<int> axes_in_order(const ir::Shape& shape, const ir::Layout& base) {
  std::vector<int> order;
  for (const ir::PhysicalDim& dim : base.dims) order.push_back(dim.axis);
  if (order.empty())
    for (size_t a = 0; a < shape.size(); a++) order.push_back(static_cast<int>(a));
  return order;
}

// The axes of more than one element, numbered, with what the layout makes of them.
std::vector<std::array<int64_t, 3>> parts(const ir::Shape& shape, const ir::Layout& layout) {
  std::vector<int64_t> number(shape.size(), -1);
  int64_t next = 0;
  for (size_t a = 0; a < shape.size(); a++)
    if (shape[a] > 1) number[a] = next++;
  std::vector<std::array<int64_t, 3>> out;
  for (size_t d = 0; d < layout.dims.size(); d++) {
    const ir::PhysicalDim& dim = layout.dims[d];
    const int64_t layer = static_cast<int>(d) < layout.layers ? 1 : 0;
    if (dim.size > 1) out.push_back({2 * number[static_cast<size_t>(dim.axis)] + layer, dim.div, dim.size});
  }
  return out;
}

}  // namespace

ir::Layout texel_layout(const ir::Shape& shape, const ir::Layout& base, int64_t layers_max) {
  const std::vector<int> order = axes_in_order(shape, base);
  const auto extent = [&](int axis) { return shape[static_cast<size_t>(axis)]; };
  int lane = -1, row = -1;
  for (size_t i = order.size(); i-- > 0;)
    if (extent(order[i]) > 1 && row < 0) (lane < 0 ? lane : row) = order[i];
  ir::Layout out;
  if (lane >= 0 && ir::element_count(shape) > 0) {
    const bool large = ir::element_count(shape) / 4 >= kTexelsMin;
    const int64_t rows = row >= 0 && large && kRows <= layers_max && fits(extent(row), kRows) ? kRows : 1;
    const int64_t texels =
        large && rows * kTexels <= layers_max && fits(round_up(extent(lane), 4), kTexels) ? kTexels : 1;
    if (rows > 1) out.dims.push_back({row, 1, rows});
    if (texels > 1) out.dims.push_back({lane, 4, texels});
    out.layers = static_cast<int>(out.dims.size());
    for (int axis : order) {
      if (axis == row && rows > 1) out.dims.push_back({axis, rows, round_up(extent(axis), rows)});
      else if (axis == lane && texels > 1) out.dims.push_back({axis, 4 * texels, round_up(extent(axis), 4 * texels)});
      else if (axis != lane) out.dims.push_back({axis, 1, std::max<int64_t>(extent(axis), 1)});
    }
    out.dims.push_back({lane, 1, texels > 1 ? 4 : extent(lane)});
  }
  if (ir::element_count(shape) > 0) out = target::whole_texels(shape, out);
  out.medium = ir::Medium::kTexture2D;
  return out;
}

bool same_texels(const ir::Shape& a, const ir::Layout& of_a, const ir::Shape& b, const ir::Layout& of_b) {
  std::vector<int64_t> x, y;
  for (int64_t extent : a)
    if (extent > 1) x.push_back(extent);
  for (int64_t extent : b)
    if (extent > 1) y.push_back(extent);
  return x == y && parts(a, of_a) == parts(b, of_b);
}

}  // namespace hone::graph
