// A simulated GPU in place of compiler and device: SimulatedBuilder lowers a trace as far as its loops and asks what they take, SimulatedRunner
// answers with that. Candidates differ as their traces do: nothing is emitted.
#pragma once
#include <map>
#include <mutex>

#include "tuner/measure/runner.h"
#include "tuner/measure/simulated_gpu.h"

namespace hone::tuner {

class SimulatedBuilder final : public Builder {
 public:
  explicit SimulatedBuilder(SimulatedGpu gpu) : gpu_(std::move(gpu)) {}
  // A source that is only a hash. Fails as lower_to_loops does.
  Result<emit::KernelSource> build(const te::Task& task, const schedule::Trace& trace) override;
  double time_us(const Hash& source) const;  // of what it built
  const SimulatedGpu& gpu() const { return gpu_; }

 private:
  const SimulatedGpu gpu_;
  mutable std::mutex mutex_;
  std::map<Hash, double> times_us_;
};

// Answers inside `submit`, on the caller's thread. Each time is off by up to `noise` of itself, always by the same for a source.
class SimulatedRunner final : public Runner {
 public:
  // The builder outlives it.
  SimulatedRunner(const SimulatedBuilder& builder, double noise) : builder_(builder), noise_(noise) {}
  void submit(MeasureInput input, OnResult on_result) override;
  int capacity() const override { return 1; }
  std::string device_key() const override { return "simulated-" + builder_.gpu().name; }

 private:
  const SimulatedBuilder& builder_;
  const double noise_;
};

}  // namespace hone::tuner
