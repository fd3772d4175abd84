// write_wasm FILE: kernels for run_wasm.mjs. Sources: the golden kernels of this target, random legal traces of the sample operators, and
// kernels by hand of what schedules make seldom.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/random_trace.h"
#include "codegen/schedule/schedule.h"
#include "tests/property/operators.h"
#include "tests/wasm/corpus.h"

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

void add_golden(WasmCorpus& corpus, const std::string& name, const char* spec) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), spec);
  for (te::Arg& arg : task->args) arg.free = true;
  const auto trace = schedule::trace_from_json(read(cat(HONE_SOURCE_DIR, "/tests/golden/", name, "/trace.json")));
  CHECK(trace.ok(), name);
  const Oracle oracle(*task);
  for (const target::Target& target : {target::wasm_default(), relaxed(), shared()})
    CHECK(corpus.add_task(cat("golden ", name, " on ", spec), *task, oracle, *trace, target),
          "a golden kernel is compiled");
}

int run(const char* path) {
  WasmCorpus corpus;
  add_golden(corpus, "core_panels", "matmul:64x64x512");
  for (const auto& [name, tasks] : sample_operators()) add_random(corpus, name, tasks);
  std::printf("%zu kernels\n", corpus.size());
  return corpus.write(path) ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  CHECK(argc == 2, "usage: write_wasm FILE");
  return hone::run(argv[1]);
}
