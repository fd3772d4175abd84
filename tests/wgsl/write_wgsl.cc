// write_wgsl FILE: writes WGSL of every kind that hone emits, for a browser's compiler to judge. A JSON array of
// {"name", "code", "pipeline"}; with pipeline true its pipeline is to be made too. Sources: the golden kernels; random legal traces of the
// sample operators; the yardstick, the seeds and samples of the space for the tasks of ResNet-18 and some products; every task of ONNX's
// backend tests (Debian: libonnx-testdata) by the yardstick and the first seed.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/random_trace.h"
#include "codegen/te/narrow.h"
#include "codegen/te/ops/matrix.h"
#include "tests/property/operators.h"
#include "tuner/space/space.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kRandomTraces = 40;  // per operator
constexpr int kSamples = 12;       // of the space, per task

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Corpus {
 public:
  void add(const std::string& name, const std::string& code, bool pipeline) {
    if (seen_.insert(code).second) all_.push_back({{"name", name}, {"code", code}, {"pipeline", pipeline}});
  }
  // A trace that a limit refuses adds nothing; any other refusal is a fault of the compiler.
  void add(const std::string& name, const te::Task& task, const schedule::Trace& trace, bool pipeline) {
    auto source = compile_kernel(task, trace, target_);
    if (!source.ok()) {
      CHECK(source.error().code == ErrorCode::kLimitExceeded, cat(name, ": ", source.error().message));
      return;
    }
    for (const emit::LaunchSource& launch : source->launches) add(name, launch.code, pipeline);
  }
  void add_golden(const fs::path& root) {
    for (const auto& folder : fs::directory_iterator(root))
      if (fs::exists(folder.path() / "kernel.wgsl"))
        for (const std::string& module : modules(read(folder.path() / "kernel.wgsl")))
          add(cat("golden ", folder.path().filename().string()), module, !asks_for_others(module));
  }
  // Of a device whose subgroups differ in size: kernels that ask for those that SwiftShader has.
  void add_asking(const te::Task& task) {
    target::Target target = target_;
    target.subgroup_size = 0;
    target.subgroup_sizes = {kSubgroup};
    auto space = tuner::Space::derive(task, target);
    CHECK(space.ok(), space.error().message);
    Rng rng(31);
    for (int i = 0; i < 4 * kSamples; ++i) {
      const auto trace = space->trace(space->sample(rng));
      const auto source = trace.ok() ? compile_kernel(task, *trace, target) : Result<emit::KernelSource>(trace.error());
      if (!source.ok()) continue;
      for (const emit::LaunchSource& launch : source->launches)
        add(cat("asking for subgroups, ", task.name), launch.code,
            launch.code.find("@subgroup_size(") != std::string::npos);
    }
  }
  void add_random(const std::string& name, const std::vector<te::Task>& tasks) {
    Rng rng(23);
    for (int i = 0; i < kRandomTraces; ++i) {
      const te::Task& task = tasks[static_cast<size_t>(i) % tasks.size()];
      add(cat("random trace of ", name), task,
          random_legal_trace(task, target_, rng, 8 + static_cast<int>(rng.below(16))), false);
    }
  }
  void add_space(const te::Task& task) {
    add(cat("yardstick of ", task.name), task, baseline_trace(task, target_).value(), true);
    auto space = tuner::Space::derive(task, target_);
    CHECK(space.ok(), space.error().message);
    bool first = true;
    for (const schedule::Trace& seed : space->seeds())
      add(cat("seed of ", task.name), task, seed, std::exchange(first, false));
    Rng rng(29);
    for (int i = 0; i < kSamples; ++i)
      if (auto trace = space->trace(space->sample(rng)); trace.ok())
        add(cat("sample of ", task.name), task, *trace, false);
  }
  void add_model(const std::string& name, const std::string& bytes) {
    const auto tasks = graph::tasks_from_onnx(bytes);
    if (!tasks.ok()) return;
    for (const te::Task& task : tasks->tasks) {
      add(cat("yardstick of ", name, ", ", task.name), task, baseline_trace(task, target_).value(), false);
      auto space = tuner::Space::derive(task, target_);
      if (!space.ok()) continue;
      if (auto seeds = space->seeds(); !seeds.empty())
        add(cat("seed of ", name, ", ", task.name), task, seeds[0], false);
    }
  }
  bool write(const char* path) const {
    std::ofstream file(path, std::ios::binary);
    file << nlohmann::json(all_).dump() << std::flush;
    std::printf("%zu distinct modules\n", all_.size());
    return file.good();
  }

 private:
  static constexpr int64_t kSubgroup = 4;

  // Their modules are right; their pipelines are none of this device.
  static bool asks_for_others(const std::string& module) {
    return module.find("@subgroup_size(") != std::string::npos &&
           module.find(cat("@subgroup_size(", kSubgroup, ")")) == std::string::npos;
  }

  // A golden file holds the modules of all launches, each beginning with its first binding or the directive before it.
  static std::vector<std::string> modules(const std::string& text) {
    constexpr std::string_view kFirst = "@group(0) @binding(0)", kEnable = "enable ";
    std::vector<std::string> out;
    const auto begin_of_next = [&](size_t from) {
      size_t at = text.find(kFirst, from);
      while (at != std::string::npos && at > 0) {
        const size_t line = at < 2 ? 0 : text.rfind('\n', at - 2) + 1;  // npos + 1 is 0
        if (text.compare(line, kEnable.size(), kEnable) != 0) break;
        at = line;
      }
      return at;
    };
    for (size_t at = begin_of_next(0); at != std::string::npos;) {
      const size_t next = begin_of_next(text.find(kFirst, at) + 1);
      out.push_back(text.substr(at, next == std::string::npos ? next : next - at));
      at = next;
    }
    CHECK(!out.empty(), "a golden kernel.wgsl binds buffers");
    return out;
  }

  // SwiftShader's subgroups, and what Chromium's WGSL has.
  static target::Target with_features() {
    target::Target target = target::webgpu_default();
    target.subgroup_size = kSubgroup;
    target.has_packed_products = true;
    return target;
  }
  const target::Target target_ = with_features();
  std::vector<nlohmann::json> all_;
  std::set<std::string> seen_;
};

te::Task product_of_bytes(ir::DType dtype) {
  te::Builder b;
  const te::Tensor x = b.input("A", dtype, {32, 48}), y = b.input("B", dtype, {48, 40});
  b.output(*te::matmul(b, x, y));
  te::Task task{.name = cat("matmul of ", ir::dtype_name(dtype)),
                .program = te::narrow_types(b.take()),
                .args = {{}, {}, {te::Role::kOutput}}};
  te::finish_task(task);
  return task;
}

te::Task task_of(const char* spec) {
  auto task = graph::task_from_spec(spec);
  CHECK(task.ok(), spec);
  return *task;
}

std::string resnet18() {
  const fs::path path = fs::temp_directory_path() / cat("hone_write_wgsl_", ::getpid(), ".onnx");
  CHECK(std::system(cat(HONE_SOURCE_DIR, "/scripts/gen_model resnet18 --out ", path.string()).c_str()) == 0,
        "scripts/gen_model");
  std::string bytes = read(path);
  fs::remove(path);
  return bytes;
}

int run(const char* path) {
  Corpus corpus;
  corpus.add_golden(HONE_SOURCE_DIR "/tests/golden");
  for (const auto& [name, tasks] : sample_operators()) corpus.add_random(name, tasks);
  const auto tasks = graph::tasks_from_onnx(resnet18());
  CHECK(tasks.ok(), "the project's ResNet-18 is read");
  for (const te::Task& task : tasks->tasks) corpus.add_space(task);
  for (const char* spec :
       {"matmul:512x512x512", "matmul:33x35x37", "matmul:4x64x48x32", "conv:2x8x14x14,8x1x3x3,pad=1,groups=8"})
    corpus.add_space(task_of(spec));
  for (const char* spec : {"matmul:8x12x256", "matmul:1x40x128", "matmul:64x64x64"}) corpus.add_asking(task_of(spec));
  for (ir::DType dtype : {ir::DType::kI8, ir::DType::kU8}) corpus.add_space(product_of_bytes(dtype));
  for (const char* suite : {"node", "pytorch-operator", "pytorch-converted"})
    if (const fs::path root = fs::path("/usr/share/libonnx-testdata/data") / suite; fs::exists(root))
      for (const auto& folder : fs::directory_iterator(root))
        corpus.add_model(folder.path().filename().string(), read(folder.path() / "model.onnx"));
  return corpus.write(path) ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  CHECK(argc == 2, "usage: write_wgsl FILE");
  return hone::run(argv[1]);
}
