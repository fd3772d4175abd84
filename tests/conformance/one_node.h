// Models of one node, as the importer makes them of ONNX.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/graph/graph.h"

namespace hone::conformance {

using graph::DType;
using graph::Shape;
using Integers = std::vector<int64_t>;

class OneNode {
 public:
  explicit OneNode(std::string_view op, int opset = 18);

  // The node's next input: an input of the model; a constant of unknown contents, which schedules may pack; known numbers; none.
  OneNode& input(Shape shape, DType dtype = DType::kF32);
  OneNode& weights(Shape shape, DType dtype = DType::kF32);
  OneNode& constant(DType dtype, Shape shape, const std::vector<double>& values);
  OneNode& integers(const Integers& values);  // i64 of rank 1
  OneNode& no_input();

  OneNode& set(std::string name, graph::Attribute value);
  OneNode& set(std::string name, const char* value) {
    return set(std::move(name), graph::Attribute(std::string(value)));
  }
  template <std::integral T>
  OneNode& set(std::string name, T value) {
    return set(std::move(name), graph::Attribute(static_cast<int64_t>(value)));
  }
  OneNode& set(std::string name, double value) { return set(std::move(name), graph::Attribute(value)); }
  operator graph::Graph() const { return with_outputs(1); }
  graph::Graph with_outputs(size_t count) const;

 private:
  graph::ValueId add(std::string name, DType dtype, Shape shape);
  graph::Graph graph_;
  graph::Node node_;
};

}  // namespace hone::conformance
