// Scheduled kernels on the host itself: what tests/wasm tries in Node, with the host's vectors, and read back from text as an agent does.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/cat.h"
#include "browser-agent/native/load_kernel.h"
#include "codegen/emit/llvm/native_jit.h"
#include "codegen/ir/interpreter.h"
#include "codegen/ir/printer.h"
#include "codegen/lower/pipeline.h"
#include "tests/property/operators.h"
#include "tests/wasm/core_trace.h"
#include "tests/wasm/corpus.h"
#include "tuner/space/space.h"

namespace hone {
namespace {

constexpr int kTraces = 12;  // per operator
constexpr int kSamples = 4;  // of a task's space
constexpr float kPoison = -7.25e33f;
constexpr size_t kBorder = 16;  // floats

// Buffers of f32 between poisoned borders, which are as long as reads may reach.
class Memory {
 public:
  Memory(const emit::NativeKernel& native, size_t args) : arg_count_(args), spaces_(args + native.temps().size()) {
    for (const auto& launch : native.launches())
      for (const emit::Binding& b : launch.bindings) {
        Space& space = of(b);
        space.count = std::max(space.count, static_cast<size_t>(b.bytes) / sizeof(float));
        space.border = std::max(space.border, kBorder + static_cast<size_t>(b.reach_bytes) / sizeof(float));
      }
    for (Space& space : spaces_) space.floats.assign(space.count + 2 * space.border, kPoison);
  }
  float* begin(const emit::Binding& b) { return of(b).floats.data() + of(b).border; }
  float* arg(size_t i) { return spaces_[i].floats.data() + spaces_[i].border; }
  bool has_arg(size_t i) const { return spaces_[i].count > 0; }
  bool borders_are_whole() const {
    for (const Space& space : spaces_)
      for (size_t i = 0; i < space.floats.size(); ++i)
        if ((i < space.border || i >= space.border + space.count) && space.floats[i] != kPoison) return false;
    return true;
  }

 private:
  struct Space {
    size_t count = 0, border = kBorder;
    std::vector<float> floats;
  };
  Space& of(const emit::Binding& b) {
    return spaces_[static_cast<size_t>(b.position) + (b.kind == emit::Binding::Kind::kTemp ? arg_count_ : 0)];
  }
  size_t arg_count_;
  std::vector<Space> spaces_;
};

void run(const emit::NativeKernel& native, Memory& memory) {
  for (const auto& launch : native.launches()) {
    std::vector<void*> pointers;
    for (const emit::Binding& b : launch.bindings) pointers.push_back(memory.begin(b));
    std::vector<long double> scratch(static_cast<size_t>(launch.scratch_bytes) / sizeof(long double) + 1);
    pointers.push_back(scratch.data());
    launch.entry(pointers.data(), launch.extent / 2, launch.extent);
    launch.entry(pointers.data(), 0, launch.extent / 2);
  }
}

// "" if the kernel computes the values.
std::string difference(const te::Task& task, const TaskValues& values, const ir::Kernel& kernel) {
  auto native = native::load_kernel(ir::print(kernel));
  if (!native.ok()) return native.error().message;
  Memory memory(**native, values.args.size());
  const size_t inputs = task.program.inputs.size();
  std::vector<ir::TensorValue> physical;
  for (size_t i = 0; i < values.args.size(); ++i) {
    physical.push_back(ir::to_physical(values.args[i], kernel.arg_layouts[i]));
    for (size_t e = 0; i < inputs && memory.has_arg(i) && e < physical[i].size(); ++e)
      memory.arg(i)[e] = static_cast<float>(physical[i].real[e]);
  }
  run(**native, memory);
  for (size_t i = inputs; i < physical.size(); ++i)
    for (size_t e = 0; e < physical[i].size(); ++e) {
      const double expected = physical[i].real[e], found = memory.arg(i)[e];
      if (!std::isnan(expected) && !(std::fabs(found - expected) <= values.tolerance.absolute))
        return cat("argument ", i, " element ", e, " is ", found, ", expected ", expected);
    }
  return memory.borders_are_whole() ? "" : "something was written beyond a buffer";
}

// Given random legal traces of the sample operators for the host, when compiled and run, then the results are the definitions' and nothing
// else is written.
TEST(NativeKernels, RandomTracesKeepTheResult) {
  const target::Target host = emit::host_target();
  Rng rng(41);
  for (const auto& [name, tasks] : sample_operators()) {
    const std::vector<TaskValues> values(tasks.begin(), tasks.end());
    for (int i = 0; i < kTraces; ++i) {
      const size_t which = static_cast<size_t>(i) % tasks.size();
      const schedule::Trace trace = random_core_trace(tasks[which], host, rng);
      const auto kernel = lower::lower_kernel(tasks[which], trace, host);
      if (!kernel.ok()) {
        ASSERT_EQ(kernel.error().code, ErrorCode::kLimitExceeded) << kernel.error().message;
        continue;
      }
      ASSERT_EQ(difference(tasks[which], values[which], *kernel), "") << name << "\n"
                                                                      << trace_to_json(trace) << "\n"
                                                                      << ir::print(*kernel);
    }
  }
}

// Given the experts' schedules and samples of the space for the host's own vectors, when compiled and run, then the results are the
// definitions'.
TEST(NativeKernels, TheSpaceKeepsTheResult) {
  const target::Target host = emit::host_target();
  Rng rng(43);
  for (const auto& [name, tasks] : sample_operators())
    for (const te::Task& task : tasks) {
      const auto space = tuner::Space::derive(task, host);
      ASSERT_TRUE(space.ok()) << space.error().message;
      std::vector<schedule::Trace> traces = space->seeds();
      for (int i = 0; i < kSamples; ++i)
        if (auto trace = space->trace(space->sample(rng)); trace.ok()) traces.push_back(std::move(*trace));
      const TaskValues values(task);
      for (const schedule::Trace& trace : traces) {
        const auto kernel = lower::lower_kernel(task, trace, host);
        ASSERT_TRUE(kernel.ok()) << kernel.error().message;
        ASSERT_EQ(difference(task, values, *kernel), "") << name << "\n" << trace.sketch;
      }
    }
}

}  // namespace
}  // namespace hone
