// Jobs that run a whole model (run, verify, bench): what the service is sent, and what comes back.
#pragma once
#include <string>
#include <vector>

#include "cli/job_runner.h"
#include "codegen/graph/graph.h"

namespace hone::cli {

struct NamedTensor {
  std::string name;
  graph::ConstantTensor tensor;
  bool constant = false;  // an input that becomes a part of the model
};

struct ModelJob {
  protocol::JobRequest request;
  std::string payload;
};
struct ModelJobOptions {
  std::string name;  // the model's, for people
  bool package = false;  // the model is an archive of a package
  bool check = false;
  // Of a bench: protocol::RunOptions says what they mean.
  uint32_t repeats = 0;
  std::vector<std::string> schedules = {"best"};
  double time_s = 0;  // 0: the service's own limit
  bool launches = false;
  bool placements = false;
};
ModelJob model_job(protocol::JobRequest request, const ModelJobOptions& options, const std::string& model,
                   const std::vector<NamedTensor>& inputs);

// Fails: protocol_error when the payload is not what the result says.
Result<std::vector<NamedTensor>> outputs_of(const JobResult& result);

}  // namespace hone::cli
