// ONNX files as graphs. The only place that knows protobuf.
#pragma once
#include <string_view>

#include "codegen/graph/graph.h"
#include "codegen/graph/import.h"

namespace hone::graph {

// The graph as the file has it: initialisers and Constant nodes are constants, inputs have types and shapes (symbolic dimensions take
// their values from options.dims), everything else has neither yet. Fails: bad_model, unsupported.
Result<Graph> graph_from_onnx(std::string_view bytes, const ImportOptions& options);
// A TensorProto in a file of its own, as ONNX's test folders store inputs and outputs. Fails: bad_model, unsupported.
Result<ConstantTensor> tensor_from_onnx(std::string_view bytes);

}  // namespace hone::graph
