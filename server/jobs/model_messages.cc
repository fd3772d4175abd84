#include "server/jobs/model_messages.h"

#include <cstring>

#include "base/cat.h"
#include "base/json_text.h"
#include "codegen/graph/graph_bytes.h"

namespace hone::server {

namespace {

// An answer begins with a code, then the size of what follows: of the graph's structure, before the contents of its constants, or of a message.
struct AnswerHead {
  uint64_t code = 0;  // ErrorCode
  uint64_t bytes = 0;
};

std::string_view bytes_of(const AnswerHead& head) { return {reinterpret_cast<const char*>(&head), sizeof head}; }

Error error_in(uint64_t number, std::string_view message) {
  const auto code = static_cast<ErrorCode>(number);
  // Nobody cancels within the child.
  if (number > UINT16_MAX || error_name(code) == "unknown" || code == ErrorCode::kCancelled) return no_answer("an error that is none");
  return {code, std::string(message)};
}

Status write_error(int descriptor, const Error& error) {
  HONE_TRY(write_memory(descriptor, bytes_of({static_cast<uint64_t>(error.code), error.message.size()})));
  return write_memory(descriptor, error.message);
}

Status write_first(int descriptor, std::string_view first) {
  HONE_TRY(write_memory(descriptor, bytes_of({static_cast<uint64_t>(ErrorCode::kOk), first.size()})));
  return write_memory(descriptor, first);
}

struct Answer {
  std::string_view first, rest;
};

// Fails: with the error that the child wrote; internal.
Result<Answer> open_answer(std::string_view rest) {
  AnswerHead head;
  if (rest.size() < sizeof head) return no_answer("it ends too early");
  std::memcpy(&head, rest.data(), sizeof head);
  rest.remove_prefix(sizeof head);
  if (head.bytes > rest.size()) return no_answer("it ends too early");
  const Answer answer{rest.substr(0, head.bytes), rest.substr(head.bytes)};
  if (head.code != static_cast<uint64_t>(ErrorCode::kOk)) return error_in(head.code, answer.first);
  return answer;
}

}  // namespace

std::string_view name_of(ModelWork work) {
  if (work == ModelWork::kGraph) return "reading the model";
  return work == ModelWork::kReference ? "computing the model's reference" : "computing a task's reference";
}

Error no_answer(std::string_view what) {
  return {ErrorCode::kInternal, cat("the process that reads models answered with what is no answer: ", what, "; please report it with the model")};
}

std::string to_text(const ChildRequest& asked) {
  nlohmann::json json{{"work", asked.work},
                      {"memory_bytes", asked.limits.memory_bytes},
                      {"written_bytes", asked.limits.written_bytes},
                      {"processor_s", asked.limits.processor_s},
                      {"layers_max", asked.layers_max}};
  if (asked.work != ModelWork::kTaskReference) json["job"] = protocol::to_json(asked.job);
  return json_line(json);
}

Result<ChildRequest> child_request(std::string_view text) {
  HONE_ASSIGN(json, parse_json(text));
  ChildRequest asked{.work = json.at("work").get<ModelWork>(),
                     .limits = {.memory_bytes = json.at("memory_bytes"), .written_bytes = json.at("written_bytes"), .processor_s = json.at("processor_s")},
                     .layers_max = json.at("layers_max")};
  if (asked.work == ModelWork::kTaskReference) return asked;
  HONE_ASSIGN(job, protocol::from_json<protocol::JobRequest>(json.at("job")));
  asked.job = std::move(job);
  return asked;
}

Status write_answer(int descriptor, const Result<graph::Graph>& answer, std::string_view payload) {
  if (!answer.ok()) return write_error(descriptor, answer.error());
  const graph::GraphBytes bytes = graph::graph_to_bytes(*answer, payload);
  HONE_TRY(write_first(descriptor, bytes.structure));
  for (const SharedBytes& part : bytes.contents) HONE_TRY(write_memory(descriptor, *part));
  return ok_status();
}

Result<graph::Graph> read_answer(const SharedBytes& answer, const SharedBytes& payload) {
  HONE_ASSIGN(parts, open_answer(*answer));
  auto graph = graph::graph_from_bytes(parts.first, payload, shared_part(answer, parts.rest));
  return graph.ok() ? std::move(graph) : no_answer(graph.error().message);
}

Status write_bytes(int descriptor, const Result<std::string>& answer) {
  return answer.ok() ? write_first(descriptor, *answer) : write_error(descriptor, answer.error());
}

Result<std::string_view> read_bytes(const SharedBytes& answer) {
  HONE_ASSIGN(parts, open_answer(*answer));
  return parts.rest.empty() ? Result(parts.first) : no_answer("more than was asked for");
}

graph::Graph graph_of_outputs(std::vector<graph::ConstantTensor> outputs) {
  graph::Graph graph;
  for (graph::ConstantTensor& output : outputs)
    graph.outputs.push_back(graph.add_value({.dtype = output.dtype, .shape = std::move(output.shape), .shape_known = true, .constant = true, .bytes = std::move(output.bytes)}));
  return graph;
}

Result<std::vector<graph::ConstantTensor>> outputs_of_graph(const graph::Graph& graph) {
  std::vector<graph::ConstantTensor> outputs;
  for (graph::ValueId id : graph.outputs) {
    const graph::Value& value = graph.value(id);
    if (!value.constant || !value.shape_known || !value.bytes) return no_answer("an output without elements");
    outputs.push_back({value.dtype, value.shape, value.bytes});
  }
  return outputs;
}

}  // namespace hone::server
