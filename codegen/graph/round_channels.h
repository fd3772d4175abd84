// Channel counts that vectors of 4 divide.
#pragma once
#include "codegen/graph/graph.h"

namespace hone::graph {

// A graph input whose channels feed an ungrouped convolution with constant weights, directly or through a quantisation of its own, and are no
// multiple of 4 is padded to one with channels of zeros, by a node that runs on upload (at_boundary); the weights get zero input channels.
// Only where that adds at most a third, as for the 3 channels of an image. Results and outputs stay as they are.
void round_channels(Graph& graph);

}  // namespace hone::graph
