// run_browser_conformance TARGET CASES [OPERATOR]: every operator, or this one, in its first CASES random cases on a headless Chromium's webgpu,
// webgl or wasm, through the real protocol, many kernels to a frame.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

#include "base/cat.h"
#include "base/check.h"
#include "base/log.h"
#include "codegen/compile.h"
#include "tests/conformance/browser_device.h"
#include "tests/conformance/kernel_plan.h"
#include "tests/conformance/report.h"
#include "tests/conformance/schedules.h"

namespace hone::conformance {
namespace {

constexpr size_t kKernelsPerFrame = 48;

class Trial {
 public:
  explicit Trial(BrowserDevice& device) : device_(device) {}

  void add(const Subject& subject, int number) {
    const auto shared = std::make_shared<const Subject>(subject);
    for (const Scheduled& one : schedules_of(subject, number, device_.target(), report_.omissions)) {
      auto name = cat(subject.name, ", ", one.source, " ", schedule::trace_to_json(one.trace));
      auto source = compile_kernel(subject.task, one.trace, device_.target());
      if (source.ok()) waiting_.push_back({std::move(name), shared, std::move(*source)});
      else if (source.error().code == ErrorCode::kLimitExceeded) ++report_.omissions["a limit refused a trace"];
      else tell(name, source.error().message);
    }
    if (waiting_.size() >= kKernelsPerFrame) flush();
  }

  void flush() {
    report_.kernels += static_cast<int>(waiting_.size());
    judge_all(std::exchange(waiting_, {}));
  }

  Report& report() { return report_; }
  int faults() const { return faults_; }
  int frames() const { return frames_; }

 private:
  // A frame that fails as a whole does so by one of its kernels: halves of it find that one.
  void judge_all(std::span<const PlannedKernel> kernels) {
    if (kernels.empty()) return;
    KernelPlan plan = plan_of(kernels, device_.blobs());
    const auto outputs = device_.execute(std::move(plan.frame));
    ++frames_;
    if (!outputs.ok() && kernels.size() > 1) {
      const size_t half = kernels.size() / 2;
      judge_all(kernels.first(half));
      return judge_all(kernels.subspan(half));
    }
    if (!outputs.ok()) return tell(kernels[0].name, outputs.error().message);
    const std::vector<std::string> faults = faults_of(kernels, *outputs);
    for (size_t i = 0; i < faults.size(); ++i)
      if (!faults[i].empty()) tell(kernels[i].name, faults[i]);
  }

  void tell(const std::string& name, const std::string& fault) {
    ++faults_;
    std::fprintf(stderr, "%s: %s\n", name.c_str(), fault.c_str());
  }

  BrowserDevice& device_;
  Report report_;
  std::vector<PlannedKernel> waiting_;
  int faults_ = 0, frames_ = 0;
};

int run(const std::string& kind, int cases, const std::vector<Operator>& operators) {
  log_from(LogLevel::kWarn);
  auto device = BrowserDevice::open(kind);
  if (!device.ok()) return std::fprintf(stderr, "%s\n", device.error().message.c_str()), 1;
  const bool shades = (*device)->target().kind != target::Kind::kWasm;
  const auto started = std::chrono::steady_clock::now();
  Trial trial(**device);
  for (const Operator& op : operators)
    for (int number = 0; number < cases; ++number) {
      const std::vector<Subject> subjects =
          subjects_of(op, number, trial.report().omissions, shades ? Arithmetic::kShader : Arithmetic::kIeee);
      trial.report().count(op, subjects);
      for (const Subject& subject : subjects)
        if (!has_no_results(subject)) trial.add(subject, number);
    }
  trial.flush();
  trial.report().print(kind.c_str());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  std::printf("%d faults on %s; %d frames, %.0f s\n", trial.faults(), (*device)->name().c_str(), trial.frames(),
              wall.count());
  return trial.faults() ? 1 : 0;
}

}  // namespace
}  // namespace hone::conformance

int main(int argc, char** argv) {
  CHECK(argc == 3 || argc == 4, "usage: run_browser_conformance TARGET CASES [OPERATOR]");
  return hone::conformance::run(argv[1], std::atoi(argv[2]),
                                hone::conformance::operators_named(argc > 3 ? argv[3] : ""));
}
