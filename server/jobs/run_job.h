// RunJob: one `run` or `bench` of a whole model from request to report: imports the model, waits for a device, chooses each task's
// schedule, plans, has the plan executed, and compares the outputs with the reference where asked to.
#pragma once
#include <map>
#include <memory>
#include <optional>

#include "server/agents/plan_runner.h"
#include "server/jobs/job.h"
#include "server/jobs/model_inputs.h"

namespace hone::server {

// The result: {"job", "device": {"key", and the fingerprint}, "target", "model", "outputs": [{"name", "dtype", "shape"}], "check":
// {"max_error", "error_max", "outputs": [per output]}, "schedules": {"tuned", "seed", "naive"}, "steps", "kernels", "launches", "host_nodes", "memory",
// "create_ms", "first_ms", "run_ms", "kernel_ms", "model_ms_median", "kernel_ms_median", "host_share"}. The payload: each output's
// elements, row-major, in the order of "outputs". The last three keys stand where there were timed runs, and by a device's clock.
class RunJob : public Job {
 public:
  using Job::Job;

 private:
  Result<JobResult> work() override;
  void on_cancel() override;
  Result<JobResult> run_model(const RunRequest& request, const protocol::DeviceInfo& device, graph::Graph graph,
                              package::Tensors inputs);
  Status check_buffers(const package::ModelPlan& plan) const;
  Result<emit::KernelSource> kernel_of(te::Task task);
  Result<protocol::Execute> execute_frame(const graph::Graph& graph, const package::ModelPlan& plan,
                                          const package::Tensors& inputs, uint32_t repeats);
  Result<PlanRunner::Answer> execute(protocol::Execute frame);
  void tell_waiting(double* there_ms);

  std::shared_ptr<PlanRunner> runner_;  // network thread, and the job's thread once the device is known

  // The job's thread.
  target::Target target_;
  tuner::Planner planner_;
  std::string device_key_;
  std::map<std::string, int> schedules_;  // tasks by where their schedule comes from
  std::vector<BlobPtr> blobs_;            // held while the agent may fetch them
};

}  // namespace hone::server
