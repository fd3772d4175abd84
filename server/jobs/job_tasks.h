// The tasks of a job's source.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/te/task.h"
#include "schema/generated/protocol.h"
#include "tuner/search/tune.h"

namespace hone::server {

struct JobTasks {
  std::vector<te::Task> tasks;
  std::vector<double> weights;
  std::vector<tuner::WeightedTask> weighted() const;  // refers to tasks
};

// What makes the tasks of a request; the second argument is the model's bytes, the third what a fragment of the device writes (Graph::layers_max),
// the last is heard within a second.
using ReadTasks = std::function<Result<std::shared_ptr<const JobTasks>>(const protocol::JobRequest&, const std::string&,
                                                                        int64_t, const CancelToken*)>;

// Fails: invalid_argument (no source, a bad SPEC, a file's path as a SPEC: the service reads no files for its clients), and what the
// importer says of the model.
Result<std::shared_ptr<const JobTasks>> job_tasks(const protocol::JobRequest& request, const std::string& model_bytes,
                                                  int64_t layers_max, const CancelToken* cancel);

}  // namespace hone::server
