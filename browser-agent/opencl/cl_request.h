// ClRequests: what the runner does for a request of the agent. Owns all buffers, programs and rows of launches. One thread, the device's.
//
// The requests are those of native/pipe_frame.h, but for:
//   build  payload: a program of OpenCL C (emit_opencl.h); bindings: [], since only its caller knows them
//   bind   calls: [{kernel, buffers: [id…], writes: [bool…], bytes: [that it may touch…], grid: [work-groups along x, y, z]}]
//   settle runs one work-group of each call, since drivers compile at the first launch; ns: of that
// Times are those of cl_device.h, run_ns. A device that is lost ends the runner, as a crash would.
#pragma once
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "browser-agent/native/answer.h"
#include "browser-agent/opencl/cl_device.h"
#include "browser-agent/opencl/cl_reference.h"

namespace hone::agent {

class ClRequests {
 public:
  ClRequests(nlohmann::json description, const ClDevice& device, const ClReference& reference)
      : description_(std::move(description)), device_(device), reference_(reference) {}

  // Never fails: an error is an answer, too.
  native::PipeFrame answer(const native::PipeFrame& request);

 private:
  using Answer = native::Answer;

  Answer handle(const native::PipeFrame& request);
  Answer make(const nlohmann::json& header);
  Answer write(const native::PipeFrame& request);
  Answer poison(const nlohmann::json& header);
  Answer copies(const nlohmann::json& header);
  Answer read(const nlohmann::json& header);
  Answer build(const native::PipeFrame& request);
  Answer bind(const nlohmann::json& header);
  Answer turns(const nlohmann::json& header);
  Status add_launches(const nlohmann::json& calls, ClRow& row);
  Result<std::unique_ptr<ClLaunch>> launch_of(const nlohmann::json& call);
  Answer run(const nlohmann::json& header);
  Answer settle(const nlohmann::json& header);
  Answer inspect(const nlohmann::json& header);

  // Launches of which a run takes so many, beginning behind those of the run before.
  struct Program {
    ClRow row;
    size_t of_run = 0;
    size_t next = 0;
  };

  const nlohmann::json description_;
  const ClDevice& device_;
  const ClReference& reference_;
  int64_t next_id_ = 1;
  std::unordered_map<int64_t, std::shared_ptr<ClBuffer>> buffers_;
  std::unordered_map<int64_t, std::shared_ptr<const ClProgram>> kernels_;
  std::unordered_map<int64_t, Program> programs_;
};

}  // namespace hone::agent
