// write_wasm FILE [GOLDEN SPEC]: kernels for run_wasm.mjs; with a golden kernel and a task only these, for bench/wasm_speed.mjs.
// Sources: the golden kernels of this target, random legal traces of the sample operators, random programs, kernels by hand, the space of
// some products and windows, and every task of ONNX's backend tests.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/lower/reference_loops.h"
#include "codegen/random_program.h"
#include "tests/property/operators.h"
#include "tests/wasm/core_trace.h"
#include "tests/wasm/corpus.h"
#include "tests/wasm/hand_written.h"
#include "tuner/space/space.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kRandomTraces = 24;  // per operator
constexpr int kSamples = 16;       // of a task's space
constexpr double kFlopsMax = 2e5;  // the evaluator is slow

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

void add_random(WasmCorpus& corpus, const std::string& name, const std::vector<te::Task>& tasks) {
  const target::Target targets[] = {target::wasm_default(), relaxed(), shared()};
  std::vector<TaskValues> values(tasks.begin(), tasks.end());
  Rng rng(31);
  for (int i = 0; i < kRandomTraces; ++i) {
    const size_t which = static_cast<size_t>(i) % tasks.size();
    const target::Target& target = targets[i % 3];
    const schedule::Trace trace = random_core_trace(tasks[which], target, rng);
    corpus.add_task(cat("random trace ", i, " of ", name), tasks[which], values[which], trace, target);
  }
}

void add_golden(WasmCorpus& corpus, const std::string& name, const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), spec);
  for (te::Arg& arg : task->args) arg.free = true;
  const auto trace = schedule::trace_from_json(read(cat(HONE_SOURCE_DIR, "/tests/golden/", name, "/trace.json")));
  CHECK(trace.ok(), name);
  const TaskValues values(*task);
  for (const target::Target& target : {target::wasm_default(), relaxed(), shared()})
    CHECK(corpus.add_task(cat("golden ", name, " on ", spec,
                              target.has_relaxed_simd ? ", relaxed"
                              : target.has_threads    ? ", shared memory"
                                                      : ""),
                          *task, values, *trace, target),
          "a golden kernel is compiled");
}

// The yardstick, the seeds and samples of the space.
void add_space(WasmCorpus& corpus, const te::Task& task) {
  const target::Target targets[] = {target::wasm_default(), relaxed(), shared()};
  const TaskValues values(task);
  corpus.add_task(cat("yardstick of ", task.name), task, values, baseline_trace(task, targets[0]).value(), targets[0]);
  auto space = tuner::Space::derive(task, targets[1]);
  CHECK(space.ok(), space.error().message);
  std::vector<schedule::Trace> traces = space->seeds();
  Rng rng(37);
  for (int i = 0; i < kSamples; ++i)
    if (auto trace = space->trace(space->sample(rng)); trace.ok()) traces.push_back(*trace);
  for (size_t i = 0; i < traces.size(); ++i)
    corpus.add_task(cat("trace ", i, " of ", task.name), task, values, traces[i], targets[i % 3]);
}

bool is_storable(const te::Task& task) {
  const auto narrow = [](te::Tensor t) { return t->dtype == ir::DType::kF16 || t->dtype == ir::DType::kBF16; };
  const te::Program& p = task.program;
  return std::none_of(p.inputs.begin(), p.inputs.end(), narrow) &&
         std::none_of(p.outputs.begin(), p.outputs.end(), narrow);
}

// Every distinct task of ONNX's backend tests, by the yardstick and the first seed.
void add_models(WasmCorpus& corpus) {
  std::set<std::string> seen;
  for (const char* suite : {"node", "pytorch-operator", "pytorch-converted"}) {
    const fs::path root = fs::path("/usr/share/libonnx-testdata/data") / suite;
    CHECK(fs::exists(root), "libonnx-testdata is not installed: run scripts/setup");
    for (const auto& folder : fs::directory_iterator(root)) {
      const auto tasks = graph::tasks_from_onnx(read(folder.path() / "model.onnx"));
      if (!tasks.ok()) continue;
      for (const te::Task& task : tasks->tasks) {
        if (task.flops > kFlopsMax || !is_storable(task) || !seen.insert(task.id.hex()).second) continue;
        const TaskValues values(task);
        const target::Target target = relaxed();
        const std::string name = cat(folder.path().filename().string(), ", ", task.name);
        corpus.add_task(cat("yardstick of ", name), task, values, baseline_trace(task, target).value(), target);
        auto space = tuner::Space::derive(task, target);
        if (!space.ok()) continue;
        if (auto seeds = space->seeds(); !seeds.empty())
          corpus.add_task(cat("seed of ", name), task, values, seeds[0], target);
      }
    }
  }
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
  for (const char* spec : {"matmul:33x35x37", "matmul:2x16x48x32", "conv:1x8x14x14,16x8x3x3,pad=1",
                           "conv:2x8x14x14,8x1x3x3,pad=1,groups=8", "conv:1x3x20x20,8x3x7x7,pad=3,stride=2"}) {
    const auto task = graph::task_from_spec(spec);
    CHECK(task.ok(), spec);
    add_space(corpus, *task);
  }
  add_models(corpus);
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
