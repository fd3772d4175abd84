// Data sets of ONNX's backend tests: input_0.pb, …, output_0.pb, … beside a model.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/graph/graph.h"
#include "codegen/graph/import.h"

namespace hone::graph {

struct StoredInput {
  std::string name;
  ConstantTensor tensor;
  bool constant = false;  // models hold such inputs as constants: shapes and conditions follow from them
};

// Sequences and optionals are given as the tensors that they have, as graph_from_onnx names them.
struct StoredSet {
  std::vector<StoredInput> inputs;
  std::vector<ConstantTensor> outputs;
};

// The contents of one file of the set; none where there is no such file.
using ReadStored = std::function<Result<std::optional<std::string>>(const std::string& file)>;

// Adds to `options` the inputs that are constants, the lengths of sequences, and the sizes that the model leaves open and nobody has bound. Fails: as inputs_of_onnx and tensor_from_onnx; unsupported where a
// file is missing, or an input has another shape than the model says.
Result<StoredSet> read_stored_set(std::string_view model, const ReadStored& read, ImportOptions& options);

}  // namespace hone::graph
