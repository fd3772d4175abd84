// Graph: a model as a plain value. Nodes name operators in ONNX's terms, values are tensors with type and shape; constants carry their
// bytes. Passes are functions Graph → Graph; nothing here knows protobuf.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/shared_bytes.h"
#include "codegen/ir/layout.h"
#include "codegen/ir/type.h"
#include "codegen/target/target.h"

namespace hone::graph {

using ir::DType;
using ir::Shape;

// Elements of one dtype, row-major, little-endian; of bool, and of types of less than 8 bits, each in a byte. Shared because passes copy graphs, not weights.
struct ConstantTensor {
  DType dtype = DType::kF32;
  Shape shape;
  SharedBytes bytes;
};
std::vector<double> to_doubles(const ConstantTensor& tensor);
// The nearest numbers of the type; whole numbers are cut, and saturate.
ConstantTensor from_doubles(DType dtype, Shape shape, const std::vector<double>& values);

using ValueId = int;
inline constexpr ValueId kNoValue = -1;  // an optional input that is left out

struct Value {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  bool shape_known = false;  // infer_shapes sets it
  bool constant = false;     // an initialiser, or computed from initialisers
  SharedBytes bytes;         // of a constant, row-major; null: the contents are not known (an op SPEC's weights)
  std::vector<ValueId> lengths;  // by dimension: who says how much of it counts, kNoValue: all; empty: all of all (lengths.h)
};

using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>, std::vector<std::string>, ConstantTensor>;

struct Node {
  std::string name;  // the model's; may be empty
  std::string op;    // ONNX's operator type
  std::vector<ValueId> inputs, outputs;
  std::map<std::string, Attribute, std::less<>> attributes;
  bool at_boundary =
      false;  // shows a graph input with zeros behind its elements, for hone's own use; done on upload, so it is no task
  int model_node = -1;  // into Graph::model_nodes: for which of them it was written; −1: none
  double padding_flops = 0;  // operations on the zeros that round_channels added; they are not the definition's
};

// A node as the model's file has it.
struct ModelNode {
  std::string name;  // or that of its first output
  std::string op;
  ValueId result = kNoValue;  // its first output, where that is a tensor that is asked for
};

struct Graph {
  std::string name;
  int opset = 13;
  std::vector<Value> values;
  std::vector<Node> nodes;  // in topological order
  std::vector<ValueId> inputs, outputs;
  std::vector<ModelNode> model_nodes;  // of the model's own graph, in its order (placements.h)
  size_t hidden_outputs = 0;  // the last of the outputs, which the model has none of: they say how much of others counts (lengths.h), and the last what has left 32 bits
  std::vector<std::string> watched;  // values that may leave 32 bits, the last one first (overflow.h); empty: none, and no output tells
  ir::Medium medium = ir::Medium::kBuffer;      // what holds the values on the device
  int64_t layers_max = target::kRenderTargets;  // of a texture: what one fragment writes

  ValueId add_value(Value value) {
    values.push_back(std::move(value));
    return static_cast<ValueId>(values.size()) - 1;
  }
  const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  Value& value(ValueId id) { return values[static_cast<size_t>(id)]; }
};

// "node 'conv1' (Conv)" for messages; unnamed nodes go by their first output.
std::string node_text(const Graph& graph, const Node& node);
// For each value the indices of the nodes that read it (once per input), and how often the graph hands it out.
std::vector<std::vector<int>> consumers_of(const Graph& graph);
// The node that writes each value, or -1.
std::vector<int> producers_of(const Graph& graph);
// For each value whether it is one of `ids`, which may be graph.inputs or graph.outputs.
std::vector<bool> marks_of(const Graph& graph, const std::vector<ValueId>& ids);
// One line per node; for dumps.
std::string print_graph(const Graph& graph);

}  // namespace hone::graph
