#include "server/jobs/job_tasks.h"

#include <cmath>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "codegen/target/target.h"

namespace hone::server {

namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

Result<graph::ImportOptions> import_options(const protocol::JobRequest& request, int64_t layers_max,
                                            const CancelToken* cancel) {
  const auto kind = target::parse_kind(request.target);
  if (!kind)
    return Error{ErrorCode::kInvalidArgument,
                 cat("found the target '", request.target, "'; give ", target::list_of_kinds("or"))};
  graph::ImportOptions options;
  options.dims.insert(request.dims.begin(), request.dims.end());
  options.stored_types = target::stored_types(*kind);
  options.medium = target::stored_in(*kind);
  options.layers_max = layers_max;
  options.cancel = cancel;
  if (request.without_passes) options.without_passes.insert(request.without_passes->begin(), request.without_passes->end());
  return options;
}

Result<JobTasks> tasks_of_op(const protocol::JobRequest& request, int64_t layers_max, const CancelToken* cancel) {
  const std::string& spec = *request.source.op;
  if (ends_with(spec, ".onnx"))
    return Error{ErrorCode::kInvalidArgument,
                 cat("the service reads no files for its clients, found the op ", spec, "; send the file as a model")};
  HONE_ASSIGN(options, import_options(request, layers_max, cancel));
  HONE_ASSIGN(task, graph::task_from_spec(spec, options));
  JobTasks out;
  out.tasks.push_back(std::move(task));
  out.weights.push_back(1);
  return out;
}

Result<JobTasks> tasks_of_model(const protocol::JobRequest& request, const std::string& bytes, int64_t layers_max,
                                const CancelToken* cancel) {
  HONE_ASSIGN(options, import_options(request, layers_max, cancel));
  HONE_ASSIGN(model, graph::tasks_from_onnx(bytes, options));
  if (model.tasks.empty())
    return Error{ErrorCode::kBadModel,
                 cat(*request.source.model_name, " has nothing to tune: no node of it computes on a device")};
  return JobTasks{std::move(model.tasks), std::move(model.weights)};
}

}  // namespace

std::vector<tuner::WeightedTask> JobTasks::weighted() const {
  std::vector<tuner::WeightedTask> out;
  for (size_t i = 0; i < tasks.size(); ++i) out.push_back({&tasks[i], static_cast<int>(std::lround(weights[i]))});
  return out;
}

Result<std::shared_ptr<const JobTasks>> job_tasks(const protocol::JobRequest& request, const std::string& model_bytes,
                                                  int64_t layers_max, const CancelToken* cancel) {
  if (request.source.op.has_value() == request.source.model_name.has_value())
    return Error{ErrorCode::kInvalidArgument, "a job needs exactly one of an op and a model"};
  auto tasks = request.source.op ? tasks_of_op(request, layers_max, cancel)
                                 : tasks_of_model(request, model_bytes, layers_max, cancel);
  if (!tasks.ok()) return tasks.error();
  for (te::Task& task : tasks->tasks)
    if (request.tolerance) te::loosen(task, *request.tolerance);
  return std::make_shared<const JobTasks>(std::move(*tasks));
}

}  // namespace hone::server
