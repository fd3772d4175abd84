// RunJob: one `run` of a whole model from request to report: has the model read, waits for a device, chooses each task's schedule, plans,
// has the plan executed, and compares the outputs with a reference where asked to. BenchJob has its steps in common.
#pragma once
#include <map>
#include <memory>
#include <optional>

#include "server/agents/plan_runner.h"
#include "server/jobs/job.h"
#include "server/jobs/kernel_choice.h"
#include "server/jobs/model_inputs.h"
#include "server/jobs/package_choice.h"
#include "server/jobs/plan_cap.h"

namespace hone::server {

// The result: {"job", "device": {"key", and the fingerprint}, "target", "model", "outputs": [{"name", "dtype", "shape"}], "check":
// {"max_error", "error_max", "outputs": [per output]}, "schedules": {"tuned", "seed", "naive"}, "steps", "kernels", "launches", "host_nodes", "memory",
// "create_ms", "first_ms", "run_ms", "kernel_ms", "clock_resolution_ns", "device_changes" where there were some}. The payload: each output's elements, row-major, in the order of
// "outputs".
class RunJob : public Job {
 public:
  using Job::Job;

 protected:
  struct ModelOnDevice {
    const RunRequest& request;
    protocol::DeviceInfo device;  // that ran it, or is to run it
    graph::Graph graph;
    package::Tensors inputs;  // those given; of all inputs after generate
  };
  struct Planned {
    protocol::ScheduleChoice choice{};
    package::ModelPlan plan;
    std::map<Hash, ChosenKernel> kernels;    // by package::PlanStep::task; of a package's plan one without a source
    std::optional<protocol::PlanHead> head;  // of a package's plan
    int older_browser = 0;  // tuned kernels that were timed in an older version of the device's browser
  };
  // On the job's thread, once the device is there.
  virtual Result<JobResult> with_model(ModelOnDevice& model);
  Result<Planned> plan(const ModelOnDevice& model, protocol::ScheduleChoice choice);
  Status generate(ModelOnDevice& model) const;
  // Its blobs are held as long as the job.
  Result<protocol::Execute> execute_frame(const ModelOnDevice& model, const package::ModelPlan& plan,
                                          const PlanTiming& timing);
  // [bytes] of constants and inputs in a plan's layouts, which its maker chose: as packed, and as blobs.
  static double packed_bytes(const package::ModelPlan& plan);
  static void set_timing(protocol::Execute& frame, const PlanTiming& timing, const package::ModelPlan& plan);
  Result<PlanRunner::Answer> execute(protocol::Execute frame);
  // Whether it comes from another device than the model was on; then the model is on that one.
  bool moved(ModelOnDevice& model, const PlanRunner::Answer& answer);

  void tell_running(std::string what);  // as the job's progress, also while the device is waited for

  nlohmann::json head_of(const ModelOnDevice& model) const;              // "job" to "model"
  static nlohmann::json to_json(const Planned& planned);                 // "schedules" to "memory"
  static nlohmann::json times_json(const protocol::Executed& executed);  // "create_ms" to "clock_resolution_ns"

  Status check_buffers(const package::ModelPlan& plan) const;

  // The job's thread.
  int device_changes_ = 0;  // how often an equal device came in the place of the one before
  std::vector<BlobPtr> blobs_;  // held while the agent may fetch them

 private:
  Result<JobResult> work() override;
  Result<graph::Graph> open_model(const RunRequest& request);  // ready to be planned; of a package here: it is checked, and nothing computed
  Result<Planned> packaged_plan(const ModelOnDevice& model);
  void on_cancel() override;
  Result<JobResult> on_device(ModelOnDevice model);
  void tell_waiting(double* there_ms);

  std::shared_ptr<PlanRunner> runner_;  // network thread, and the job's thread once the device is known

  // The job's thread.
  target::Target target_;
  std::optional<KernelChooser> chooser_;
  std::string running_;
  std::optional<package::OpenPackage> package_;
  std::optional<MemoryBudget::Share> packed_;  // what a package's layouts make of its weights and inputs
};

}  // namespace hone::server
