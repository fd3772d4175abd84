// CompileBuilder: the compiler as the search sees it, for one target, with the time of each build.
#pragma once
#include "codegen/target/target.h"
#include "server/compile/timings.h"
#include "tuner/measure/runner.h"

namespace hone::server {

class CompileBuilder : public tuner::Builder {
 public:
  explicit CompileBuilder(target::Target target) : target_(std::move(target)) {}
  Result<emit::KernelSource> build(const te::Task& task, const schedule::Trace& trace) override;
  const Timings& timings() const { return timings_; }

 private:
  const target::Target target_;
  Timings timings_;
};

}  // namespace hone::server
