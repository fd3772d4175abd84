// How a model's values lie on devices whose tensors are textures.
#pragma once
#include "codegen/ir/layout.h"
#include "codegen/target/target.h"

namespace hone::graph {

// Policy "texels": the order of `base` (row-major where it has no dims) in whole texels. Of larger tensors blocks of 4 rows × 2 texels, where
// that wastes little, lie in eight layers: a fragment writes a block, a render target for each layer, and reads each operand the less often
// for it. The rows are those of the innermost axis but one. layers_max: what one
// fragment writes; where that is less than eight a block has fewer texels, then fewer rows; 1 for what no kernel writes.
ir::Layout texel_layout(const ir::Shape& shape, const ir::Layout& base, int64_t layers_max = target::kRenderTargets);

// Do two such layouts hold the elements of two shapes, which differ in axes of one element alone, in the same places?
bool same_texels(const ir::Shape& a, const ir::Layout& of_a, const ir::Shape& b, const ir::Layout& of_b);

}  // namespace hone::graph
