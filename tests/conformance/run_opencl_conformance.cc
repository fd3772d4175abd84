// run_opencl_conformance CASES [OPERATOR]: every operator, or this one, in its first CASES random cases on a device of OpenCL.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "codegen/emit/opencl/emit_opencl.h"
#include "codegen/lower/pipeline.h"
#include "tests/conformance/cl_run.h"
#include "tests/conformance/report.h"
#include "tests/conformance/schedules.h"

namespace hone::conformance {
namespace {

// "" if the task's kernel computes the values.
std::string fault_of(const agent::ClDevice& device, const target::Target& target, const Subject& subject,
                     const schedule::Trace& trace, Report& report) {
  const auto kernel = lower::lower_kernel(subject.task, trace, target);
  if (!kernel.ok() && kernel.error().code == ErrorCode::kLimitExceeded)
    return ++report.omissions["a limit refused a trace"], "";
  if (!kernel.ok()) return kernel.error().message;
  const auto source = emit::emit_opencl(*kernel);
  if (!source.ok()) return source.error().message;
  ++report.kernels;
  return run_on_cl(device, *source, kernel->arg_layouts, subject.values, subject.task.program.inputs.size());
}

int try_subject(const agent::ClDevice& device, const target::Target& target, const Subject& subject, int number,
                Report& report) {
  int failed = 0;
  for (const Scheduled& one : schedules_of(subject, number, target, report.omissions)) {
    const std::string fault = fault_of(device, target, subject, one.trace, report);
    if (!fault.empty())
      std::fprintf(stderr, "%s, %s %s: %s\n", subject.name.c_str(), one.source,
                   schedule::trace_to_json(one.trace).c_str(), fault.c_str());
    failed += !fault.empty();
  }
  return failed;
}

int run(int cases, const std::vector<Operator>& operators) {
  const auto opencl = open_opencl();
  if (!opencl.ok()) return std::fprintf(stderr, "%s\n", opencl.error().message.c_str()), 1;
  const agent::ClDevice& device = *opencl->device;
  const target::Target target = device.target();
  Report report;
  int failed = 0;
  for (const Operator& op : operators)
    for (int number = 0; number < cases; ++number) {
      const std::vector<Subject> subjects = subjects_of(op, number, report.omissions, opencl->arithmetic());
      report.count(op, subjects);
      for (const Subject& subject : subjects)
        if (!has_no_results(subject)) failed += try_subject(device, target, subject, number, report);
    }
  report.print("opencl");
  std::printf("%d faults on %s\n", failed, device.name().c_str());
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace hone::conformance

int main(int argc, char** argv) {
  CHECK(argc == 2 || argc == 3, "usage: run_opencl_conformance CASES [OPERATOR]");
  return hone::conformance::run(std::atoi(argv[1]), hone::conformance::operators_named(argc > 2 ? argv[2] : ""));
}
