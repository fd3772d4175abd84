// ONNX files as graphs. The only place that knows protobuf.
#pragma once
#include <string_view>

#include "codegen/graph/graph.h"
#include "codegen/graph/import.h"

namespace hone::graph {

// The graph as the file has it, without nodes that nobody reads: initialisers and Constant nodes are constants, inputs have types and shapes
// (dimensions without a size take theirs from options.dims; one without a name is called INPUT.PLACE), everything else has neither yet. Fails: bad_model, unsupported.
Result<Graph> graph_from_onnx(std::string_view bytes, const ImportOptions& options);
// A TensorProto in a file of its own, as ONNX's test folders store inputs and outputs. Fails: bad_model, unsupported.
Result<ConstantTensor> tensor_from_onnx(std::string_view bytes);

}  // namespace hone::graph
