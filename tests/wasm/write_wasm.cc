// write_wasm FILE [GOLDEN SPEC]: kernels for run_wasm.mjs; with a golden kernel and a task only these, for bench/wasm_speed.mjs.
// Sources: the golden kernels of this target, random legal traces of the sample operators, random programs, and kernels by hand.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/lower/reference_loops.h"
#include "codegen/random_program.h"
#include "codegen/random_trace.h"
#include "codegen/schedule/schedule.h"
#include "tests/property/operators.h"
#include "tests/wasm/corpus.h"
#include "tests/wasm/hand_written.h"

namespace hone {
namespace {

constexpr int kRandomTraces = 24;  // per operator

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

target::Target relaxed() {
  target::Target t = target::wasm_default();
  t.has_relaxed_simd = true;
  return t;
}

target::Target shared() {
  target::Target t = target::wasm_default();
  t.has_threads = true;
  return t;
}

// A random trace, and of each stage that is a launch the first loop that may be one bound to `core`.
schedule::Trace random_core_trace(const te::Task& task, const target::Target& target, Rng& rng) {
  schedule::Trace trace = random_legal_trace(task, target, rng, 8 + static_cast<int>(rng.below(16)));
  auto schedule = schedule::apply_trace(task, trace, target);
  CHECK(schedule.ok(), "a legal trace applies");
  for (const schedule::Stage& stage : (*schedule)->stages()) {
    if (!stage.root() || stage.inlined) continue;
    for (const schedule::Loop& loop : stage.order) {
      trace.steps.push_back(schedule::bind(stage.name, loop.name, "core"));
      auto bound = schedule::apply_trace(task, trace, target);
      if (bound.ok() && schedule::check_complete(**bound).ok()) break;
      trace.steps.pop_back();
    }
  }
  return trace;
}

void add_random(WasmCorpus& corpus, const std::string& name, const std::vector<te::Task>& tasks) {
  const target::Target targets[] = {target::wasm_default(), relaxed(), shared()};
  std::vector<Oracle> oracles(tasks.begin(), tasks.end());
  Rng rng(31);
  for (int i = 0; i < kRandomTraces; ++i) {
    const size_t which = static_cast<size_t>(i) % tasks.size();
    const target::Target& target = targets[i % 3];
    const schedule::Trace trace = random_core_trace(tasks[which], target, rng);
    corpus.add_task(cat("random trace ", i, " of ", name), tasks[which], oracles[which], trace, target);
  }
}

void add_golden(WasmCorpus& corpus, const std::string& name, const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), spec);
  for (te::Arg& arg : task->args) arg.free = true;
  const auto trace = schedule::trace_from_json(read(cat(HONE_SOURCE_DIR, "/tests/golden/", name, "/trace.json")));
  CHECK(trace.ok(), name);
  const Oracle oracle(*task);
  for (const target::Target& target : {target::wasm_default(), relaxed(), shared()})
    CHECK(corpus.add_task(cat("golden ", name, " on ", spec,
                              target.has_relaxed_simd ? ", relaxed"
                              : target.has_threads    ? ", shared memory"
                                                      : ""),
                          *task, oracle, *trace, target),
          "a golden kernel is compiled");
}

// Every operation on every integer type, bit by bit; loops as the reference has them.
void add_programs(WasmCorpus& corpus) {
  for (uint64_t seed = 0; seed < 64; ++seed) {
    te::Task task;
    task.program = random_program(seed, false);
    const auto kernel = lower::reference_loops(task);
    CHECK(kernel.ok(), kernel.error().message);
    std::vector<ir::TensorValue> args;
    for (const ir::Buffer buffer : kernel->args)
      args.push_back(ir::uniform_tensor(buffer->dtype, buffer->shape, args.size() + 40));
    corpus.add_kernel(cat("random program ", seed), *kernel, std::move(args), target::wasm_default(), 0);
  }
}

int run(const char* path) {
  WasmCorpus corpus;
  add_golden(corpus, "core_panels", "matmul:64x64x512");
  add_hand_written(corpus);
  add_programs(corpus);
  for (const auto& [name, tasks] : sample_operators()) add_random(corpus, name, tasks);
  std::printf("%zu kernels\n", corpus.size());
  return corpus.write(path) ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  CHECK(argc == 2 || argc == 4, "usage: write_wasm FILE [GOLDEN SPEC]");
  if (argc == 2) return hone::run(argv[1]);
  hone::WasmCorpus corpus;
  hone::add_golden(corpus, argv[2], argv[3]);
  return corpus.write(argv[1]) ? 0 : 1;
}
