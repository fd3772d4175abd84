// scripts/bench compile: from a trace to WGSL text, from a task to a random legal trace, and to what its kernels are compared with; vectorize_loops
// alone. Wanted: 3 ms from trace to text; vectorize_loops doubles with the expression.
#include <benchmark/benchmark.h>

#include "base/rng.h"
#include "codegen/compile.h"
#include "codegen/emit/llvm/reference.h"
#include "codegen/graph/import.h"
#include "codegen/lower/passes.h"
#include "tuner/space/space.h"

namespace hone {
namespace {

constexpr int kTraces = 32;
constexpr const char* kSpecs[] = {"matmul:512x512x512", "conv:1x64x56x56,64x64x3x3,pad=1,stride=1", "conv:1x3x224x224,64x3x7x7,pad=3,stride=2"};

te::Task task_of(const char* spec) {
  Result<te::Task> task = graph::task_from_spec(spec);
  CHECK(task.ok(), task.error().message);
  return std::move(*task);
}

tuner::Space space_of(const te::Task& task) {
  Result<tuner::Space> space = tuner::Space::derive(task, target::webgpu_default());
  CHECK(space.ok(), space.error().message);
  return std::move(*space);
}

std::vector<schedule::Trace> random_traces(const tuner::Space& space) {
  std::vector<schedule::Trace> traces;
  for (Rng rng(1); traces.size() < kTraces;)
    if (auto trace = space.trace(space.sample(rng)); trace.ok()) traces.push_back(*trace);
  return traces;
}

void trace_to_wgsl(benchmark::State& state) {
  const char* spec = kSpecs[state.range(0)];
  const te::Task task = task_of(spec);
  const std::vector<schedule::Trace> traces = random_traces(space_of(task));
  const target::Target device = target::webgpu_default();
  size_t next = 0, bytes = 0, refused = 0;
  for (auto _ : state) {
    auto source = compile_kernel(task, traces[next++ % traces.size()], device);
    if (!source.ok()) { ++refused; continue; }
    for (const emit::LaunchSource& launch : source->launches) bytes += launch.code.size();
  }
  state.SetLabel(spec);
  state.counters["refused_share"] = static_cast<double>(refused) / static_cast<double>(state.iterations());
  state.counters["code_bytes"] = static_cast<double>(bytes) / static_cast<double>(state.iterations());
}
BENCHMARK(trace_to_wgsl)->DenseRange(0, std::size(kSpecs) - 1)->Unit(benchmark::kMillisecond);

void seed_to_wgsl(benchmark::State& state) {
  const char* spec = kSpecs[state.range(0)];
  const te::Task task = task_of(spec);
  const std::vector<schedule::Trace> seeds = space_of(task).seeds();
  CHECK(!seeds.empty(), spec);
  for (auto _ : state) benchmark::DoNotOptimize(compile_kernel(task, seeds.front(), target::webgpu_default()));
  state.SetLabel(spec);
}
BENCHMARK(seed_to_wgsl)->DenseRange(0, std::size(kSpecs) - 1)->Unit(benchmark::kMillisecond);

void sample_to_trace(benchmark::State& state) {
  const te::Task task = task_of(kSpecs[state.range(0)]);
  const tuner::Space space = space_of(task);
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(space.trace(space.sample(rng)));
  state.SetLabel(kSpecs[state.range(0)]);
}
BENCHMARK(sample_to_trace)->DenseRange(0, std::size(kSpecs) - 1)->Unit(benchmark::kMillisecond);

void task_to_reference(benchmark::State& state) {
  const te::Task task = task_of(kSpecs[state.range(0)]);
  for (auto _ : state) benchmark::DoNotOptimize(emit::reference_outputs(task, 1));
  state.SetLabel(kSpecs[state.range(0)]);
  state.counters["flops"] = benchmark::Counter(task.flops, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(task_to_reference)->DenseRange(0, std::size(kSpecs) - 1)->Unit(benchmark::kMillisecond)->UseRealTime();

// C[i] = f(… f(A[i])) over four lanes. is_tower: f(x) = x · exp(x), which written out doubles with each f; else f(x) = exp(x).
ir::Kernel applied(int64_t times, bool is_tower) {
  ir::Kernel kernel;
  kernel.arena = std::make_shared<ir::Arena>();
  ir::Arena& a = *kernel.arena;
  const ir::Buffer in = a.buffer("A", ir::DType::kF32, {4}), out = a.buffer("C", ir::DType::kF32, {4});
  const ir::Var lane = a.var("i", ir::kIndexType, 4);
  ir::Expr value = a.load(in, {lane});
  for (int64_t i = 0; i < times; i++) {
    const ir::Expr applied = a.call(ir::Intrinsic::kExp, {value});
    value = is_tower ? a.mul(value, applied) : applied;
  }
  kernel.args = {in, out};
  kernel.input_count = 1;
  kernel.launches.emplace_back();
  kernel.launches[0].body = a.loop(lane, 4, ir::Place::kVectorize, a.store(out, {lane}, value));
  return kernel;
}

void vectorize(benchmark::State& state, bool is_tower) {
  const ir::Kernel kernel = applied(state.range(0), is_tower);
  for (auto _ : state) benchmark::DoNotOptimize(lower::vectorize_loops(kernel));
  state.SetComplexityN(state.range(0));
}
BENCHMARK_CAPTURE(vectorize, chain, false)->RangeMultiplier(2)->Range(2500, 20000)->Unit(benchmark::kMillisecond)->Complexity(benchmark::oN);
BENCHMARK_CAPTURE(vectorize, tower, true)->RangeMultiplier(2)->Range(2500, 20000)->Unit(benchmark::kMillisecond)->Complexity(benchmark::oN);

}  // namespace
}  // namespace hone
