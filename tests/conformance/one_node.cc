#include "tests/conformance/one_node.h"

#include "base/cat.h"

namespace hone::conformance {

using graph::ValueId;

OneNode::OneNode(std::string_view op, int opset) {
  graph_.opset = opset;
  graph_.name = node_.op = op;
}

ValueId OneNode::add(std::string name, DType dtype, Shape shape) {
  graph::Value value;
  value.name = std::move(name);
  value.dtype = dtype;
  value.shape = std::move(shape);
  value.shape_known = true;
  return graph_.add_value(std::move(value));
}

OneNode& OneNode::input(Shape shape, DType dtype) {
  node_.inputs.push_back(add(cat("in", node_.inputs.size()), dtype, std::move(shape)));
  graph_.inputs.push_back(node_.inputs.back());
  return *this;
}

OneNode& OneNode::weights(Shape shape, DType dtype) {
  node_.inputs.push_back(add(cat("weights", node_.inputs.size()), dtype, std::move(shape)));
  graph_.value(node_.inputs.back()).constant = true;
  return *this;
}

OneNode& OneNode::constant(DType dtype, Shape shape, const std::vector<double>& values) {
  weights(shape, dtype);
  graph_.value(node_.inputs.back()).bytes = graph::from_doubles(dtype, shape, values).bytes;
  return *this;
}

OneNode& OneNode::integers(const Integers& values) {
  return constant(DType::kI64, {static_cast<int64_t>(values.size())}, {values.begin(), values.end()});
}

OneNode& OneNode::no_input() {
  node_.inputs.push_back(graph::kNoValue);
  return *this;
}

OneNode& OneNode::set(std::string name, graph::Attribute value) {
  node_.attributes[std::move(name)] = std::move(value);
  return *this;
}

graph::Graph OneNode::with_outputs(size_t count) const {
  graph::Graph out = graph_;
  graph::Node node = node_;
  for (size_t i = 0; i < count; ++i) {
    graph::Value value;
    value.name = cat("out", i);
    node.outputs.push_back(out.add_value(std::move(value)));
  }
  out.outputs = node.outputs;
  out.nodes = {std::move(node)};
  return out;
}

}  // namespace hone::conformance
