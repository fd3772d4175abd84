// Structural mutants of ONNX models: what the file still says in the right form, but no longer means.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hone::mutants {

struct Mutant {
  std::string bytes;
  std::string changes;  // for people: "drop_input of Conv 'c'; retype_attribute strides of MaxPool 'p'"
};

// One to three changes drawn by `seed`: inputs dropped, left out, rewired, swapped; attributes retyped, changed, dropped; operators, types,
// dimensions, contents of initialisers, outputs and the opset changed; nodes dropped, doubled, moved; in the graph, or in a subgraph of a node. The same model and seed give the same
// mutant. Bytes that are no model come back as they are.
Mutant mutate_model(std::string_view model, uint64_t seed);

}  // namespace hone::mutants
