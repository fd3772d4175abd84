// Layout: how the elements of a logical tensor lie in memory. A physical dimension takes (index[axis] / div) % size.
// Dimensions stand outermost first; the physical tensor is row-major over them. No dims: row-major over the logical shape.
// Example: NCHW stored channels last in blocks of 4: {axis 0},{axis 2},{axis 3},{axis 1, div 4},{axis 1, div 1, size 4}.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hone::ir {

enum class Pad : uint8_t { kAny, kZero };  // content of physical elements that hold no logical element
enum class Medium : uint8_t { kBuffer, kTexture2D };

struct PhysicalDim {
  int axis = 0;     // logical axis
  int64_t div = 1;  // ≥ 1
  int64_t size =
      0;  // extent of this physical dimension, ≥ 1; the outermost part of an axis has size ≥ ceil(extent / div)
  friend bool operator==(const PhysicalDim&, const PhysicalDim&) = default;
};

struct Layout {
  std::vector<PhysicalDim> dims;
  Pad pad = Pad::kAny;
  Medium medium = Medium::kBuffer;
  int layers = 0;  // textures: so many of the outermost dims are the layers of an array
  bool row_major() const { return dims.empty(); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

// A texture of 4 numbers a texel; its content is the flat physical tensor, first along x, then y, then the layers. layers > 1: an array.
struct Texture {
  int64_t width = 0, height = 0, layers = 0;  // texels; 0: no texture
  int64_t texels() const { return width * height * layers; }
  friend bool operator==(const Texture&, const Texture&) = default;
};

using Shape = std::vector<int64_t>;

int64_t element_count(const Shape& shape);  // INT64_MAX where it has more
// The layout that stores the axes in the order `order` (outermost first), nothing split.
Layout permuted_layout(const Shape& shape, const std::vector<int>& order);
// The physical dimensions' extents; the logical shape itself when row-major.
Shape physical_shape(const Shape& shape, const Layout& layout);
// The physical linear position of a logical index.
int64_t physical_offset(const Shape& shape, const Layout& layout, const std::vector<int64_t>& index);
std::string layout_text(const Layout& layout);  // "[0, 2, 3, 1/4, 1%4]"-like; for dumps and hashes, whose constant words stay

}  // namespace hone::ir
