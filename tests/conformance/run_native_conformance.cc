// run_native_conformance CASES [OPERATOR]: every operator, or this one, in its first CASES random cases on the host, between guard pages. A fault names the kernel.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/cat.h"
#include "codegen/emit/llvm/native_jit.h"
#include "codegen/lower/pipeline.h"
#include "tests/conformance/guarded_run.h"
#include "tests/conformance/report.h"
#include "tests/conformance/schedules.h"

namespace hone::conformance {
namespace {

std::string g_running;  // what the handler of a fault prints

void on_fault(int) {
  constexpr char kWhat[] = ": read or wrote outside of its buffers\n";
  if (write(2, g_running.data(), g_running.size()) > 0 && write(2, kWhat, sizeof kWhat - 1) > 0) _exit(1);
  _exit(2);
}

// "" if the task's kernel computes the values.
std::string fault_of(const Subject& subject, const schedule::Trace& trace, Report& report) {
  const auto kernel = lower::lower_kernel(subject.task, trace, emit::host_target());
  if (!kernel.ok() && kernel.error().code == ErrorCode::kLimitExceeded)
    return ++report.omissions["a limit refused a trace"], "";
  if (!kernel.ok()) return kernel.error().message;
  const auto native = emit::NativeKernel::create(*kernel);
  if (!native.ok()) return native.error().message;
  ++report.kernels;
  return run_guarded(**native, stored_args(subject.values, *kernel), subject.task.program.inputs.size(),
                     subject.values.tolerance);
}

int try_subject(const Subject& subject, int number, Report& report) {
  int failed = 0;
  for (const Scheduled& one : schedules_of(subject, number, emit::host_target(), report.omissions)) {
    g_running = cat(subject.name, ", ", one.source, " ", schedule::trace_to_json(one.trace));
    const std::string fault = fault_of(subject, one.trace, report);
    if (!fault.empty()) std::fprintf(stderr, "%s: %s\n", g_running.c_str(), fault.c_str());
    failed += !fault.empty();
  }
  return failed;
}

int run(int cases, const std::vector<Operator>& operators) {
  struct sigaction action {};
  action.sa_handler = on_fault;
  for (int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &action, nullptr);
  Report report;
  int failed = 0;
  for (const Operator& op : operators)
    for (int number = 0; number < cases; ++number) {
      const std::vector<Subject> subjects = subjects_of(op, number, report.omissions);
      report.count(op, subjects);
      for (const Subject& subject : subjects)
        if (!has_no_results(subject)) failed += try_subject(subject, number, report);
    }
  report.print("native");
  std::printf("%d faults\n", failed);
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace hone::conformance

int main(int argc, char** argv) {
  CHECK(argc == 2 || argc == 3, "usage: run_native_conformance CASES [OPERATOR]");
  return hone::conformance::run(std::atoi(argv[1]), hone::conformance::operators_named(argc > 2 ? argv[2] : ""));
}
