// run_opengl_conformance CASES [OPERATOR | all [TARGETS]]: every operator, or this one, in its first CASES random cases as fragment shaders, drawn by
// EGL without a browser; TARGETS: as on a device with so few render targets.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/emit/glsl/emit_glsl.h"
#include "codegen/lower/pipeline.h"
#include "tests/conformance/gl_run.h"
#include "tests/conformance/report.h"
#include "tests/conformance/schedules.h"

namespace hone::conformance {
namespace {

// "" if the task's kernel computes the values.
std::string fault_of(agent::GlDevice& device, const target::Target& target, const Subject& subject,
                     const schedule::Trace& trace, Report& report) {
  const auto kernel = lower::lower_kernel(subject.task, trace, target);
  if (!kernel.ok() && kernel.error().code == ErrorCode::kLimitExceeded)
    return ++report.omissions["a limit refused a trace"], "";
  if (!kernel.ok()) return kernel.error().message;
  const auto source = emit::emit_glsl(*kernel, target);
  if (!source.ok()) return source.error().message;
  ++report.kernels;
  return run_on_gl(device, *source, kernel->arg_layouts, subject.values, subject.task.program.inputs.size());
}

int try_subject(agent::GlDevice& device, const target::Target& target, const Subject& subject, int number,
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

int run(int cases, const std::vector<Operator>& operators, int64_t render_targets_max) {
  auto device = agent::GlDevice::open();
  if (!device.ok()) return std::fprintf(stderr, "%s\n", device.error().message.c_str()), 1;
  target::Target target = (*device)->target();
  target.limits.render_targets_max = std::min(target.limits.render_targets_max, render_targets_max);
  Report report;
  int failed = 0;
  for (const Operator& op : operators)
    for (int number = 0; number < cases; ++number) {
      const std::vector<Subject> subjects = subjects_of(op, number, report.omissions, Arithmetic::kShader);
      report.count(op, subjects);
      for (const Subject& subject : subjects)
        if (!has_no_results(subject)) failed += try_subject(**device, target, subject, number, report);
    }
  report.print("opengl");
  std::printf("%d faults on %s\n", failed, (*device)->renderer().c_str());
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace hone::conformance

int main(int argc, char** argv) {
  CHECK(argc >= 2 && argc <= 4, "usage: run_opengl_conformance CASES [OPERATOR | all [TARGETS]]");
  const std::string op = argc > 2 && argv[2] != std::string("all") ? argv[2] : "";
  const int64_t targets = argc > 3 ? std::atoi(argv[3]) : hone::target::kRenderTargets;
  return hone::conformance::run(std::atoi(argv[1]), hone::conformance::operators_named(op), targets);
}
