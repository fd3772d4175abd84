// Requests: what the runner does for a request of the agent (pipe_frame.h lists them). Owns all buffers, kernels and programs. One thread.
#pragma once
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "browser-agent/native/answer.h"
#include "browser-agent/native/program.h"

namespace hone::native {

class Requests {
 public:
  // host: what hello answers besides {"threads", "clock_step_ns"}.
  Requests(nlohmann::json host, ThreadTeam& team) : host_(std::move(host)), team_(team) {}

  // Never fails: an error is an answer, too.
  PipeFrame answer(const PipeFrame& request);

 private:
  Answer handle(const PipeFrame& request);
  Answer hello();
  Answer make(const nlohmann::json& header);
  Answer free(const nlohmann::json& header);
  Answer write(const PipeFrame& request);
  Answer poison(const nlohmann::json& header);
  Answer copies(const nlohmann::json& header);
  Answer read(const nlohmann::json& header);
  Answer build(const PipeFrame& request);
  Answer drop(const nlohmann::json& header);
  Answer bind(const nlohmann::json& header);
  Answer turns(const nlohmann::json& header);
  Answer unbind(const nlohmann::json& header);
  Answer run(const nlohmann::json& header);
  Answer settle(const nlohmann::json& header);
  Answer inspect(const nlohmann::json& header);
  Answer reference(const nlohmann::json& header);
  Result<Call> call_of(const nlohmann::json& one);
  Result<std::vector<Call>> calls_of(const nlohmann::json& all);

  // Programs that run in turns.
  struct Turns {
    std::vector<std::unique_ptr<Program>> rows;
    size_t next = 0;
  };

  const nlohmann::json host_;
  ThreadTeam& team_;
  int64_t next_id_ = 1;
  std::unordered_map<int64_t, BlockPtr> blocks_;
  std::unordered_map<int64_t, KernelPtr> kernels_;
  std::unordered_map<int64_t, std::unique_ptr<Program>> programs_;
  std::unordered_map<int64_t, Turns> turns_;  // ends before programs_
};

}  // namespace hone::native
