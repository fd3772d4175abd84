// What a person gives a model to run on, and what is made up for the rest.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "codegen/package/model_plan.h"
#include "schema/generated/protocol.h"

namespace hone::server {

std::string shape_text(const ir::Shape& shape);  // for people

// A job that runs a model, from its request. job.options are protocol::RunOptions; the payload holds the model, then each input's
// elements, row-major and little-endian, in that order.
struct RunRequest {
  struct Input {
    std::string name;
    graph::ConstantTensor tensor;
    bool constant = false;  // becomes a part of the model: shapes and index maps may follow from it
  };
  std::string_view model;  // ONNX, or an archive of a package; a part of the payload
  bool package = false;
  std::vector<Input> inputs;
  bool check = false;                               // compare the outputs with the reference
  uint32_t repeats = 0;                             // timed runs
  std::vector<protocol::ScheduleChoice> schedules;  // at least one
  double time_s = 0;                                // for the timed runs of each of them
  bool launches = false;                            // tell how long each task takes
  bool placements = false;                          // tell where each node of the model ran
};
// Fails: invalid_argument when the request does not say what the payload holds.
Result<RunRequest> run_request(const protocol::JobRequest& job, std::string_view payload);

// The tensors that are given, in the model's type. Inputs that are constant become constants of the graph. Before prepare_graph.
// Fails: invalid_argument for a name that the model does not have, another shape, or a type that the model's cannot hold.
Result<package::Tensors> bind_inputs(graph::Graph& graph, const std::vector<RunRequest::Input>& inputs);
// Pseudo-random elements of the value's type and shape: floats in [-1, 1), whole numbers 0 or 1.
graph::ConstantTensor generated_tensor(const graph::Value& value, uint64_t seed);
// Adds a tensor for each input of the graph that has none. It takes as much memory as the inputs
// have bytes; count it before.
void generate_inputs(const graph::Graph& graph, uint64_t seed, package::Tensors& tensors);

}  // namespace hone::server
