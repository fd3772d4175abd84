// How a tensor that moves no element lies under other axes: what a Reshape or a Transpose shows of a layout.
#pragma once
#include <optional>
#include <vector>

#include "codegen/graph/choose_layouts.h"

namespace hone::graph {

// Result axis i is axis order[i] of the layout's.
ir::Layout transposed_layout(const ir::Layout& layout, const std::vector<int>& order);

// nullopt where the places of an element of `to` are no parts of its indices: axes are joined whose memory has gaps, or cut inside a part.
// No dims stand for row-major on both sides. Both shapes have as many elements.
std::optional<ir::Layout> reshaped_layout(const ir::Shape& from, const ir::Layout& layout, const ir::Shape& to);

// Finds the views among the graph's Transposes and Reshapes, and sets Layouts::turned and Layouts::views. Needs Layouts::channels_last: values
// that lie so are left alone.
void find_views(const Graph& graph, Layouts& layouts);

}  // namespace hone::graph
