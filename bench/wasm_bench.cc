// scripts/bench wasm: from a trace to a WebAssembly module, and whether LLVM gives its memory back. Wanted: 12 ms from trace to module on
// one core, 1.5 times as many with two threads, memory within 5 % from the 1,000th kernel to the 10,000th.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "codegen/compile.h"
#include "codegen/graph/import.h"

namespace hone {
namespace {

constexpr const char* kSpecs[] = {"matmul:512x512x512", "matmul:128x3072x768", "matmul:33x35x37"};

te::Task task_of(const char* spec) {
  Result<te::Task> task = graph::task_from_spec(spec);
  CHECK(task.ok(), task.error().message);
  for (te::Arg& arg : task->args) arg.free = true;
  return std::move(*task);
}

// The golden kernel's 4×8 register tile, its panels of as many rows as the task has.
schedule::Trace panels_of(const te::Task& task) {
  std::ifstream file(HONE_REPLAY_FILES "/../golden/core_panels/trace.json");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto trace = schedule::trace_from_json(text);
  CHECK(trace.ok(), trace.error().message);
  for (schedule::Step& step : trace->steps)
    if (step.primitive == schedule::Primitive::kLayout) {
      const ir::Shape& b = task.program.inputs[1]->shape;
      step.factors = {1, 8, (b[1] + 7) / 8, 0, 1, b[0], 1, 1, 8};
    }
  return *trace;
}

size_t compile(const te::Task& task, const schedule::Trace& trace, bool has_relaxed_simd) {
  target::Target target = target::wasm_default();
  target.has_relaxed_simd = has_relaxed_simd;
  auto source = compile_kernel(task, trace, target);
  CHECK(source.ok(), source.error().message);
  return source->launches[0].code.size();
}

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void trace_to_wasm(benchmark::State& state) {
  const te::Task task = task_of(kSpecs[state.range(0)]);
  const schedule::Trace trace = panels_of(task);
  size_t bytes = 0;
  for (auto _ : state) bytes = compile(task, trace, true);
  state.SetLabel(kSpecs[state.range(0)]);
  state.counters["code_bytes"] = static_cast<double>(bytes);
  state.counters["kernels"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(trace_to_wasm)->DenseRange(0, std::size(kSpecs) - 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(trace_to_wasm)->Arg(0)->Threads(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void memory_over_kernels(benchmark::State& state) {
  std::vector<te::Task> tasks;
  for (const char* spec : kSpecs) tasks.push_back(task_of(spec));
  double settled = 0;
  for (auto _ : state)
    for (size_t i = 0; i < 10'000; ++i) {
      const te::Task& task = tasks[i % tasks.size()];
      benchmark::DoNotOptimize(compile(task, panels_of(task), i % 2 == 0));
      if (i == 999) settled = resident_mib();
    }
  state.counters["mib_after_1000"] = settled;
  state.counters["mib_after_10000"] = resident_mib();
}
BENCHMARK(memory_over_kernels)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace hone
