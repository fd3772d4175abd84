// CompileBuilder: the compiler as the search sees it, for one target, with the time of each build.
#pragma once
#include <functional>

#include "codegen/target/target.h"
#include "server/compile/timings.h"
#include "tuner/measure/runner.h"

namespace hone::server {

// compile_kernel, or what stands for it: bench/mutants changes kernels on their way. Any thread.
using Compile = std::function<Result<emit::KernelSource>(const te::Task&, const schedule::Trace&, const target::Target&)>;

class CompileBuilder : public tuner::Builder {
 public:
  CompileBuilder(target::Target target, Compile compile) : target_(std::move(target)), compile_(std::move(compile)) {}
  Result<emit::KernelSource> build(const te::Task& task, const schedule::Trace& trace) override;
  const Timings& timings() const { return timings_; }

 private:
  const target::Target target_;
  const Compile compile_;
  Timings timings_;
};

}  // namespace hone::server
