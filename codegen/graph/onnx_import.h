// ONNX files as graphs.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/graph/graph.h"
#include "codegen/graph/import.h"

namespace hone::graph {

// The graph as the file has it, without nodes that nobody reads: initialisers and Constant nodes are constants, functions of the model are
// replaced by their nodes, inputs have types and shapes (dimensions without a size take theirs from options.dims; one without a name is called
// INPUT.PLACE; a name that the model lacks is refused; a sequence has as many inputs as options.dims says under INPUT.length, called INPUT.0,
// INPUT.1, …, and an optional one or none), everything else has neither yet. Constants stay in the file's bytes, which the graph
// holds. Fails: bad_model, unsupported, limit_exceeded, cancelled.
Result<Graph> graph_from_onnx(SharedBytes file, const ImportOptions& options);
// The same of a copy of the bytes.
Result<Graph> graph_from_onnx(std::string_view bytes, const ImportOptions& options);
// The model's inputs alone, in order, with types and shapes. Fails: as graph_from_onnx.
Result<std::vector<Value>> inputs_of_onnx(std::string_view bytes, const ImportOptions& options);
// What options.dims may bind: the names of the sizes that the model's inputs leave open. None of what is no model.
std::set<std::string> open_dims_of(std::string_view bytes);
// A TensorProto in a file of its own, as ONNX's test folders store inputs and outputs. Fails: bad_model, unsupported.
Result<ConstantTensor> tensor_from_onnx(std::string_view bytes);

}  // namespace hone::graph
