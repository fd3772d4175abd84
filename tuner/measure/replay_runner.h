// A recording in place of compiler and device: ReplayBuilder finds a trace's kernel by its sketch's words, ReplayRunner answers with what
// was measured. Neither compiles, so recordings outlive changes of the code that is emitted.
#pragma once
#include <map>

#include "tuner/measure/recording.h"
#include "tuner/measure/runner.h"

namespace hone::tuner {

// The recording outlives both.
class ReplayBuilder final : public Builder {
 public:
  explicit ReplayBuilder(const Recording& recording) : recording_(recording) {}
  // A source that is only a hash. Fails: not_found for a trace outside of the declared sub-space. The yardstick is always there.
  Result<emit::KernelSource> build(const te::Task& task, const schedule::Trace& trace) override;

 private:
  const Recording& recording_;
};

// Answers inside `submit`, on the caller's thread, the same to every attempt. No racing: all samples were taken.
class ReplayRunner final : public Runner {
 public:
  explicit ReplayRunner(const Recording& recording);
  void submit(MeasureInput input, OnResult on_result) override;
  int capacity() const override { return 1; }
  std::string device_key() const override { return "replay"; }

 private:
  std::map<Hash, RecordedKernel> kernels_;
};

}  // namespace hone::tuner
