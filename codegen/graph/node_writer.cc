#include "codegen/graph/node_writer.h"

#include "base/cat.h"

namespace hone::graph {

std::vector<ValueId> NodeWriter::add_all(std::string_view op, std::vector<ValueId> inputs, Attributes attributes, size_t outputs) {
  Node node{.op = std::string(op), .inputs = std::move(inputs), .attributes = std::move(attributes)};
  while (!node.inputs.empty() && node.inputs.back() == kNoValue) node.inputs.pop_back();
  for (size_t i = 0; i < outputs; i++) {
    Value value;
    value.name = cat(op, "#", graph_.values.size());
    node.outputs.push_back(graph_.add_value(std::move(value)));
  }
  graph_.nodes.push_back(node);
  return node.outputs;
}

ValueId NodeWriter::constant(DType dtype, Shape shape, const std::vector<double>& numbers) {
  Value value;
  value.name = cat("constant#", graph_.values.size());
  value.dtype = dtype;
  value.bytes = from_doubles(dtype, shape, numbers).bytes;
  value.shape = std::move(shape);
  value.shape_known = value.constant = true;
  return graph_.add_value(std::move(value));
}

}  // namespace hone::graph
