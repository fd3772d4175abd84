// The tasks of a job's source.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/te/task.h"
#include "schema/generated/protocol.h"
#include "server/jobs/models.h"
#include "tuner/search/tune.h"

namespace hone::server {

struct JobTasks {
  std::vector<te::Task> tasks;
  std::vector<double> weights;
  std::vector<tuner::WeightedTask> weighted() const;  // refers to tasks
};

// What makes the tasks of a request; the token is heard within a second.
using ReadTasks = std::function<Result<std::shared_ptr<const JobTasks>>(const ModelRequest&, const CancelToken*)>;

// A model is read by `models`; a SPEC here: it says the sizes of one operator of hone's.
// Fails: invalid_argument (no source, a bad SPEC, a file's path as a SPEC: the service reads no files for its clients), and what the
// importer says of the model.
Result<std::shared_ptr<const JobTasks>> job_tasks(Models& models, const ModelRequest& request, const CancelToken* cancel);

}  // namespace hone::server
