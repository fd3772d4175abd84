#include "server/jobs/job_tasks.h"

#include <cmath>

#include "base/cat.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/target/target.h"

namespace hone::server {

namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

Result<target::Kind> kind_of(const protocol::JobRequest& request) {
  const auto kind = target::parse_kind(request.target);
  if (kind) return *kind;
  return Error{ErrorCode::kInvalidArgument,
               cat("found the target '", request.target, "'; give ", target::list_of_kinds("or"))};
}

Result<JobTasks> tasks_of_op(const ModelRequest& request, const CancelToken* cancel) {
  const std::string& spec = *request.job.source.op;
  if (ends_with(spec, ".onnx"))
    return Error{ErrorCode::kInvalidArgument,
                 cat("the service reads no files for its clients, found the op ", spec, "; send the file as a model")};
  HONE_ASSIGN(kind, kind_of(request.job));
  graph::ImportOptions options;
  options.stored_types = target::stored_types(kind);
  options.medium = target::stored_in(kind);
  options.layers_max = request.layers_max;
  options.cancel = cancel;
  if (request.job.without_passes) options.without_passes.insert(request.job.without_passes->begin(), request.job.without_passes->end());
  HONE_ASSIGN(task, graph::task_from_spec(spec, options));
  JobTasks out;
  out.tasks.push_back(std::move(task));
  out.weights.push_back(1);
  return out;
}

Result<JobTasks> tasks_of_model(Models& models, const ModelRequest& request, const CancelToken* cancel) {
  HONE_ASSIGN(kind, kind_of(request.job));
  HONE_ASSIGN(graph, models.graph(request, cancel));
  HONE_ASSIGN(model, graph::extract_tasks(graph, target::stored_types(kind), cancel));
  if (model.tasks.empty())
    return Error{ErrorCode::kBadModel,
                 cat(*request.job.source.model_name, " has nothing to tune: no node of it computes on a device")};
  return JobTasks{std::move(model.tasks), std::move(model.weights)};
}

}  // namespace

std::vector<tuner::WeightedTask> JobTasks::weighted() const {
  std::vector<tuner::WeightedTask> out;
  for (size_t i = 0; i < tasks.size(); ++i) out.push_back({&tasks[i], static_cast<int>(std::lround(weights[i]))});
  return out;
}

Result<std::shared_ptr<const JobTasks>> job_tasks(Models& models, const ModelRequest& request, const CancelToken* cancel) {
  const protocol::JobSource& source = request.job.source;
  if (source.op.has_value() == source.model_name.has_value())
    return Error{ErrorCode::kInvalidArgument, "a job needs exactly one of an op and a model"};
  auto tasks = source.op ? tasks_of_op(request, cancel) : tasks_of_model(models, request, cancel);
  if (!tasks.ok()) return tasks.error();
  for (te::Task& task : tasks->tasks)
    if (request.job.tolerance) te::loosen(task, *request.job.tolerance);
  return std::make_shared<const JobTasks>(std::move(*tasks));
}

}  // namespace hone::server
