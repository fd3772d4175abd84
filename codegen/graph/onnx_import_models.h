// Models for tests of the importer, from protobuf's text form.
#pragma once
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/cat.h"
#include "base/check.h"
#include "base/number_text.h"
#include "base/rng.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/import.h"
#include "codegen/graph/overflow.h"
#include "codegen/graph/onnx_import.h"

namespace hone::graph {

// A model from protobuf's text.
inline std::string whole_model(const std::string& text) {
  onnx::ModelProto model;
  CHECK(google::protobuf::TextFormat::ParseFromString(text, &model), text);
  return model.SerializeAsString();
}
// `graph` is the body of its GraphProto.
inline std::string model_bytes(const std::string& graph, int opset = 13) {
  return whole_model(cat("ir_version: 7 opset_import { version: ", opset, " } graph { name: 'g' ", graph, " }"));
}

inline std::string tensor_type(const std::string& dims, int type = 1) {
  return cat("type { tensor_type { elem_type: ", type, " shape { ", dims, " } } }");
}
inline std::string dim(int64_t extent) { return cat("dim { dim_value: ", extent, " } "); }
inline std::string input(const std::string& name, const std::string& dims, int type = 1) {
  return cat("input { name: '", name, "' ", tensor_type(dims, type), " } ");
}
inline std::string output(const std::string& name) {
  return cat("output { name: '", name, "' ", tensor_type(""), " } ");
}
inline std::string node(const std::string& op, const std::vector<std::string>& inputs, const std::string& result,
                        const std::string& rest = "") {
  std::string out = cat("node { op_type: '", op, "' ");
  for (const std::string& name : inputs) out += cat("input: '", name, "' ");
  return cat(out, "output: '", result, "' ", rest, "} ");
}
inline std::string weights(const std::string& name, const std::vector<int64_t>& dims, uint64_t seed) {
  std::string out = cat("initializer { name: '", name, "' data_type: 1 ");
  int64_t count = 1;
  for (int64_t d : dims) out += cat("dims: ", d, " "), count *= d;
  for (int64_t i = 0; i < count; i++) out += cat("float_data: ", uniform_at(seed, static_cast<uint64_t>(i)) + 1.5, " ");
  return out + "} ";
}

// Of one tensor of 64-bit whole numbers, as axes, sizes and parts are.
inline std::string integers(const std::string& name, const std::vector<int64_t>& values) {
  std::string out = cat("initializer { name: '", name, "' data_type: 7 dims: ", values.size(), " ");
  for (int64_t v : values) out += cat("int64_data: ", v, " ");
  return out + "} ";
}
inline std::string with_integer(const std::string& name, int64_t value) {
  return cat("attribute { name: '", name, "' type: INT i: ", value, " } ");
}
inline std::string with_text(const std::string& name, const std::string& value) {
  return cat("attribute { name: '", name, "' type: STRING s: '", value, "' } ");
}

// An attribute that is a graph, of the body of its GraphProto.
inline std::string with_graph(const std::string& name, const std::string& body) {
  return cat("attribute { name: '", name, "' type: GRAPH g { name: 'inner' ", body, " } } ");
}
inline std::string with_integers(const std::string& name, const std::vector<int64_t>& values) {
  std::string out = cat("attribute { name: '", name, "' type: INTS ");
  for (int64_t v : values) out += cat("ints: ", v, " ");
  return out + "} ";
}
inline std::string scalar(const std::string& name, int64_t value) {
  return cat("initializer { name: '", name, "' data_type: 7 int64_data: ", value, " } ");
}
inline std::string truth(const std::string& name, bool value) {
  return cat("initializer { name: '", name, "' data_type: 9 int32_data: ", value ? 1 : 0, " } ");
}
inline std::string bare_input(const std::string& name) { return cat("input { name: '", name, "' } "); }

// What hone says to the model: "accepted", or its error; one of another code says so.
inline std::string message_of(const std::string& bytes, ErrorCode code, const ImportOptions& options = {}) {
  const auto tasks = tasks_from_onnx(bytes, options);
  if (tasks.ok()) return "accepted";
  return tasks.error().code == code ? tasks.error().message : cat("of another code: ", tasks.error().message);
}

// What the model makes of inputs of 1, 2, … each: "y=1,2, z=3,", by the names of its outputs; or why it was refused.
inline std::string results_of(const std::string& bytes, const ImportOptions& options = {}) {
  auto graph = graph_from_onnx(bytes, options);
  if (!graph.ok()) return graph.error().message;
  if (const Status ready = prepare_graph(*graph, {.verify = true}); !ready.ok()) return ready.error().message;
  ValueMap inputs;
  for (ValueId id : graph->inputs)
    for (int64_t i = 0; i < ir::element_count(graph->value(id).shape); i++) inputs[id].push_back(static_cast<double>(i + 1));
  const auto results = evaluate_graph(*graph, inputs);
  if (!results.ok()) return results.error().message;
  std::vector<ConstantTensor> tensors;
  for (size_t i = 0; i < results->size(); i++) tensors.push_back(from_doubles(graph->value(graph->outputs[i]).dtype, graph->value(graph->outputs[i]).shape, (*results)[i]));
  auto own = own_outputs(*graph, std::move(tensors));
  if (!own.ok()) return own.error().message;
  tensors = std::move(*own);
  std::string out;
  for (size_t i = 0; i < tensors.size(); i++) {
    out += cat(i ? " " : "", graph->value(graph->outputs[i]).name, "=");
    for (double v : to_doubles(tensors[i])) out += cat(given_text(std::round(v * 1e6) / 1e6), ",");
  }
  return out;
}

#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

}  // namespace hone::graph
