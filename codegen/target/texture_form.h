// How a tensor lies in a texture. Its flat physical content fills the texels along x, then y, then the layers.
#pragma once
#include "base/result.h"
#include "codegen/ir/layout.h"
#include "codegen/target/target.h"

namespace hone::target {

// Is a texel a square of 2×2 elements: are the layout's last two dimensions the last two elements of two axes that go on further out?
bool in_squares(const ir::Layout& layout);

// The layout with rows of whole texels: its innermost dimension of more than one element is rounded up to 4. No dims: row-major. A layout in
// squares is whole already.
ir::Layout whole_texels(const ir::Shape& shape, const ir::Layout& layout);

struct TextureForm {
  ir::Texture texture;
  // Dimensions of the layout (behind its layers) that lie along y, those behind them along x: no index needs a division. -1: no such cut
  // fits the device, or it leaves a single row; the content of a layer then runs on from row to row, 4·width numbers each.
  int rows = -1;
};

// Needs: whole_texels(shape, layout). Fails: limit_exceeded where no texture of the device holds the tensor.
Result<TextureForm> texture_form(const ir::Shape& shape, const ir::Layout& layout, const Limits& limits);

}  // namespace hone::target
