// What the service and its child say to each other about a model or a task. Both are the same program; the service takes the child's answer for anybody's all the same: the model may have made
// the child write it.
#pragma once
#include <string>
#include <string_view>

#include "codegen/graph/graph.h"
#include "schema/generated/protocol.h"
#include "server/child/child_limits.h"
#include "server/child/shared_memory.h"

namespace hone::server {

enum class ModelWork : uint8_t {
  kGraph,
  kReference,     // of a model
  kTaskReference  // of a task (te/task_bytes.h), which is the payload
};
std::string_view name_of(ModelWork work);  // "reading the model"

// To the child; the payload comes beside it.
struct ChildRequest {
  ModelWork work = ModelWork::kGraph;
  ChildLimits limits;
  int64_t layers_max = 0;
  protocol::JobRequest job;  // of kTaskReference none
};
std::string to_text(const ChildRequest& asked);
// Fails: internal, protocol_error: it is the service's own.
Result<ChildRequest> child_request(std::string_view text);

// From the child: a graph, whose constants may be parts of the payload; a reference is one whose outputs are constants. Or an error.
// descriptor: of memory to write to. Fails: as write_memory.
Status write_answer(int descriptor, const Result<graph::Graph>& answer, std::string_view payload);
// Fails: with the error that the child wrote; internal where it wrote neither a graph nor an error.
Result<graph::Graph> read_answer(const SharedBytes& answer, const SharedBytes& payload);

// As those, of bytes that mean something else: a task's reference (reference_bytes.h).
Status write_bytes(int descriptor, const Result<std::string>& answer);
Result<std::string_view> read_bytes(const SharedBytes& answer);  // parts of it

// internal: the child wrote something else than it was asked for.
Error no_answer(std::string_view what);

graph::Graph graph_of_outputs(std::vector<graph::ConstantTensor> outputs);
// Fails: internal where an output is no constant.
Result<std::vector<graph::ConstantTensor>> outputs_of_graph(const graph::Graph& graph);

}  // namespace hone::server
