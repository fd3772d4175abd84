#include "server/compile/compile_builder.h"

namespace hone::server {

Result<emit::KernelSource> CompileBuilder::build(const te::Task& task, const schedule::Trace& trace) {
  auto start = std::chrono::steady_clock::now();
  Result<emit::KernelSource> source = compile_(task, trace, target_);
  timings_.add(ms_since(start));
  return source;
}

}  // namespace hone::server
