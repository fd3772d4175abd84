// run_mutants COUNT [--seed N] [--models N] PATH…: takes ONNX models (files, or folders that hold them), keeps those that hone accepts,
// and imports, plans and compiles COUNT mutants of them for three targets in turn, each in a child with limits on memory and time. Prints a line for each child that
// died or asked for too much, which `run_mutants 1 --seed N FILE` repeats, and a summary as JSON. Exit 1 when there was one.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/import.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/package/model_plan.h"
#include "tests/mutants/mutate_model.h"

namespace hone::mutants {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kMemoryBytesMax = rlim_t{1} << 30;
constexpr rlim_t kSecondsMax = 5;          // of processor time: other work on the machine is no hang
constexpr double kCompiledFlopsMax = 1e8;  // larger tasks are planned, not compiled
constexpr int kCompiledMax = 4;            // of a model

struct Request {
  uint64_t count = 0, seed = 1;
  size_t models = 100;
  std::vector<fs::path> files;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The first few small tasks with their baseline kernels, the others with none.
package::KernelOf kernels(const target::Target& target, int& compiled) {
  return [&](const te::Task& task) -> Result<emit::KernelSource> {
    if (task.flops > kCompiledFlopsMax || compiled >= kCompiledMax) return emit::KernelSource{};
    compiled++;
    const auto trace = baseline_trace(task, target);
    return trace.ok() ? compile_kernel(task, *trace, target) : Result<emit::KernelSource>(trace.error());
  };
}

// All that stands between a model's bytes and its plan.
Status import_and_plan(const std::string& bytes, const target::Target& target) {
  graph::ImportOptions options;
  options.stored_types = target::stored_types(target.kind);
  options.medium = target::stored_in(target.kind);
  options.layers_max = target.limits.render_targets_max;
  HONE_ASSIGN(graph, graph::graph_from_onnx(bytes, options));
  HONE_TRY(graph::prepare_graph(graph));
  graph.medium = options.medium;
  graph.layers_max = options.layers_max;
  HONE_TRY(graph::extract_tasks(graph, options.stored_types));
  int compiled = 0;
  HONE_TRY(package::plan_model(graph, kernels(target, compiled)));
  return ok_status();
}

// Buffers, textures and memory of a processor in turn.
target::Target target_of(uint64_t seed) {
  switch (seed % 3) {
    case 0:
      return target::webgpu_default();
    case 1:
      return target::webgl_default();
    default:
      return target::wasm_default();
  }
}

// The child's end of it: 0 accepted, 2 refused.
[[noreturn]] void judge(const std::string& bytes, uint64_t seed) {
  rlimit memory{kMemoryBytesMax, kMemoryBytesMax}, time{kSecondsMax, kSecondsMax + 1}, core{0, 0};
#ifndef __SANITIZE_ADDRESS__  // its shadow alone is 16 TiB of addresses
  setrlimit(RLIMIT_AS, &memory);
#else
  static_cast<void>(memory);
#endif
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_CORE, &core);
  const Status status = import_and_plan(bytes, target_of(seed));
  if (!status.ok() && std::getenv("HONE_PRINT_REFUSALS")) std::printf("refused: %s\n", status.error().message.c_str());
  std::fflush(stdout);
  const bool one_sentence = status.ok() || !status.error().message.empty();
  _exit(!one_sentence ? 3 : status.ok() ? 0 : status.error().code == ErrorCode::kInternal ? 3 : 2);
}

struct Ending {
  int status = 0;
  int64_t peak_kib = 0;
  double seconds = 0;
};

Ending run_child(const std::string& bytes, uint64_t seed) {
  const pid_t child = fork();
  if (child == 0) judge(bytes, seed);
  Ending out;
  rusage usage{};
  wait4(child, &out.status, 0, &usage);
  out.peak_kib = usage.ru_maxrss;
  out.seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  return out;
}

struct Summary {
  uint64_t accepted = 0, refused = 0, signals = 0, hangs = 0, internal_errors = 0;
  int64_t peak_kib = 0;
  double seconds_max = 0;
  std::string slowest;  // what repeats it

  void count(const Ending& e, const std::string& command) {
    peak_kib = std::max(peak_kib, e.peak_kib);
    if (e.seconds > seconds_max) {
      seconds_max = e.seconds;
      slowest = command;
    }
    if (WIFSIGNALED(e.status)) (WTERMSIG(e.status) == SIGXCPU ? hangs : signals)++;
    else (WEXITSTATUS(e.status) == 0 ? accepted : WEXITSTATUS(e.status) == 2 ? refused : internal_errors)++;
  }
  bool clean() const { return signals + hangs + internal_errors == 0; }
};

bool died(const Ending& e) { return WIFSIGNALED(e.status) || WEXITSTATUS(e.status) == 3; }

// Models that hone accepts as they are, `wanted` of them evenly spread.
std::vector<fs::path> sound_models(const std::vector<fs::path>& paths, size_t wanted) {
  std::vector<fs::path> files, sound, out;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) files.push_back(path);
    else
      for (const auto& entry : fs::recursive_directory_iterator(path))
        if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files)
    if (graph::tasks_from_onnx(read_file(file)).ok()) sound.push_back(file);
  const size_t count = std::min(wanted, sound.size());
  for (size_t i = 0; i < count; i++) out.push_back(sound[i * sound.size() / count]);
  return out;
}

int run(const Request& request) {
  const std::vector<fs::path> models = sound_models(request.files, request.models);
  if (models.empty()) {
    std::fprintf(stderr,
                 "none of the paths holds a model that hone accepts; expected .onnx files or folders of them\n");
    return 2;
  }
  Summary summary;
  for (uint64_t i = 0; i < request.count; i++) {
    const fs::path& model = models[i % models.size()];
    const uint64_t seed = request.seed + i;
    const Mutant mutant = mutate_model(read_file(model), seed);
    const Ending ending = run_child(mutant.bytes, seed);
    const std::string command = cat("run_mutants 1 --seed ", seed, " ", model.string(), "   # ", mutant.changes);
    summary.count(ending, command);
    if (!died(ending)) continue;
    std::printf("%s: %s\n", WIFSIGNALED(ending.status) ? strsignal(WTERMSIG(ending.status)) : "internal error",
                command.c_str());
    std::fflush(stdout);
  }
  std::printf(
      "{\"models\": %zu, \"mutants\": %llu, \"accepted\": %llu, \"refused\": %llu, \"signals\": %llu, \"hangs\": %llu, "
      "\"internal_errors\": %llu, \"peak_mib\": %lld, \"seconds_max\": %.2f}\nslowest: %s\n",
      models.size(), static_cast<unsigned long long>(request.count), static_cast<unsigned long long>(summary.accepted),
      static_cast<unsigned long long>(summary.refused), static_cast<unsigned long long>(summary.signals),
      static_cast<unsigned long long>(summary.hangs), static_cast<unsigned long long>(summary.internal_errors),
      static_cast<long long>(summary.peak_kib / 1024), summary.seconds_max, summary.slowest.c_str());
  return summary.clean() ? 0 : 1;
}

}  // namespace
}  // namespace hone::mutants

int main(int argc, char** argv) {
  hone::mutants::Request request;
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    if (word == "--seed" && i + 1 < argc) request.seed = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--models" && i + 1 < argc) request.models = std::strtoull(argv[++i], nullptr, 10);
    else if (i == 1) request.count = std::strtoull(argv[i], nullptr, 10);
    else request.files.push_back(word);
  }
  if (request.count == 0 || request.files.empty()) {
    std::fprintf(stderr, "usage: run_mutants COUNT [--seed N] [--models N] PATH...\n");
    return 2;
  }
  return hone::mutants::run(request);
}
