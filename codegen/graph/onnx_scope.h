// What names mean while an ONNX model is read: in its graph, in a subgraph of a node, in the body of a function.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/graph/graph.h"
#include "codegen/graph/onnx_model.h"

namespace hone::graph {

// A tensor is a value of the graph. A sequence is a list of values: it has no place on a device, and is gone when the model is read. An optional
// is its element. Neither: an input that the caller of a function leaves out, or an optional without an element.
struct Meaning {
  ValueId tensor = kNoValue;
  std::shared_ptr<const std::vector<ValueId>> list;

  bool is_absent() const { return tensor == kNoValue && !list; }
};

// An attribute of a node, or what the caller of a function gives for it.
struct GivenAttribute {
  std::string_view name;
  const OnnxAttribute* content = nullptr;
};
using GivenAttributes = std::vector<GivenAttribute>;

struct OnnxScope;

struct OnnxCall {
  const OnnxFunction* function = nullptr;
  GivenAttributes attributes;         // those of the calling node, and the function's defaults
  const OnnxScope* caller = nullptr;
};

struct OnnxScope {
  const OnnxScope* outer = nullptr;  // of a subgraph: its names are read, too
  const OnnxCall* call = nullptr;    // null outside of functions
  size_t depth = 0;                  // subgraphs and calls around it
  int opset = 0;                     // of ONNX's operators
  std::string prefix = {};           // of the names of values that it defines
  std::unordered_map<std::string_view, Meaning> names = {};
};

}  // namespace hone::graph
