// Each folder beside this file holds an operator (spec.txt), a trace (none: naive-v1) and what the compiler makes of it: the lowered IR and
// the WGSL, GLSL or OpenCL C. With a target.txt it is for that target (those on cores have no source as text), and the trace chooses the arguments' layouts. `scripts/update_golden` rewrites them; the difference is reviewed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/emit/glsl/emit_glsl.h"
#include "codegen/emit/llvm/emit_wasm.h"
#include "codegen/emit/opencl/emit_opencl.h"
#include "codegen/emit/wgsl/emit_wgsl.h"
#include "codegen/graph/import.h"
#include "codegen/ir/parser.h"
#include "codegen/ir/printer.h"
#include "codegen/lower/pipeline.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string spec_of(const fs::path& folder) {
  std::string spec = read(folder / "spec.txt");
  return spec.substr(0, spec.find('\n'));
}

struct Compiled {
  std::string ir, source;
};

// A target's name stands for what every device of the kind has; none: WebGPU.
std::optional<target::Target> target_named(const std::string& name) {
  target::Target gpu = target::webgpu_default();
  if (name.empty()) return gpu;
  if (name == "webgpu, subgroups of 32\n") {
    gpu.subgroup_size = 32;
    return gpu;
  }
  if (name == "webgpu, subgroups of 16 or 32\n") {
    gpu.subgroup_sizes = {16, 32};
    return gpu;
  }
  const std::optional<target::Kind> kind = target::parse_kind(name.substr(0, name.find('\n')));
  if (!kind) return std::nullopt;
  return target::default_target(*kind);
}

target::Target target_of(const fs::path& folder) {
  const std::string name = read(folder / "target.txt");
  const std::optional<target::Target> target = target_named(name);
  CHECK(target, cat(folder.string(), "/target.txt names no target: ", name));
  return *target;
}

fs::path source_file(const fs::path& folder) {
  const target::Kind kind = target_of(folder).kind;
  return folder / (target::on_textures(kind)       ? "kernel.glsl"
                   : kind == target::Kind::kOpenCl ? "kernel.cl"
                                                   : "kernel.wgsl");
}

Result<Compiled> compile(const fs::path& folder) {
  HONE_ASSIGN(task, graph::task_from_spec(spec_of(folder)));
  target::Target target = target_of(folder);
  for (te::Arg& arg : task.args) arg.free = target.kind != target::Kind::kWebGpu;
  schedule::Trace trace;
  if (fs::exists(folder / "trace.json")) {
    HONE_ASSIGN(stored, schedule::trace_from_json(read(folder / "trace.json")));
    trace = stored;
  } else {
    trace = baseline_trace(task, target).value();
  }
  lower::PipelineOptions options;
  options.verify = true;
  HONE_ASSIGN(kernel, lower::lower_kernel(task, trace, target, options));
  Compiled out{ir::print(kernel), ""};
  if (target::on_cores(target.kind)) return out;
  HONE_ASSIGN(source, target::on_textures(target.kind)       ? emit::emit_glsl(kernel, target)
                      : target.kind == target::Kind::kOpenCl ? emit::emit_opencl(kernel)
                                                             : emit::emit_wgsl(kernel));
  for (const emit::LaunchSource& launch : source.launches) out.source += launch.code;
  return out;
}

class Golden : public testing::TestWithParam<std::string> {};

// Given a stored trace, when compiled, then lowered IR and source are the stored ones, and the IR's text parses back to itself.
TEST_P(Golden, IsKept) {
  fs::path folder = fs::path(GOLDEN_DIR) / GetParam();
  auto compiled = compile(folder);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  if (std::getenv("HONE_UPDATE_GOLDEN")) {
    std::ofstream(folder / "lowered.ir") << compiled->ir;
    if (!compiled->source.empty()) std::ofstream(source_file(folder)) << compiled->source;
  }
  EXPECT_EQ(compiled->ir, read(folder / "lowered.ir"));
  EXPECT_EQ(compiled->source, read(source_file(folder)));
  auto parsed = ir::parse_kernel(compiled->ir);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(ir::print(*parsed), compiled->ir);
}

std::vector<std::string> cases() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(GOLDEN_DIR))
    if (fs::exists(entry.path() / "spec.txt")) out.push_back(entry.path().filename());
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Golden, testing::ValuesIn(cases()), [](const auto& info) { return info.param; });

// Given the name of each target, when a golden kernel's target.txt holds it, then it is that kind's; a name that no target has is none's, and
// not WebGPU's.
TEST(GoldenTargets, AreThoseNamed) {
  for (const std::string& name : target::kind_names()) {
    const auto target = target_named(name + "\n");
    ASSERT_TRUE(target) << name;
    EXPECT_EQ(target::kind_name(target->kind), name);
  }
  EXPECT_EQ(target_named("")->kind, target::Kind::kWebGpu);
  EXPECT_EQ(target_named("webgpu, subgroups of 32\n")->subgroup_size, 32);
  EXPECT_EQ(target_named("webgpu, subgroups of 16 or 32\n")->subgroup_sizes.size(), 2u);
  EXPECT_FALSE(target_named("webgup\n"));
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) n++;
  return n;
}

// Given the register tile G1, when compiled, then its inner loop has 16 vector loads and 64 multiply-adds, and no division, remainder or if.
TEST(GoldenCounts, RegisterTileInnerLoop) {
  auto compiled = compile(fs::path(GOLDEN_DIR) / "register_tile");
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  size_t begin = compiled->source.find("for (");
  std::string loop = compiled->source.substr(begin, compiled->source.find("\n  }", begin) - begin);
  EXPECT_EQ(count(loop, " = A["), 8);
  EXPECT_EQ(count(loop, " = B["), 8);
  EXPECT_EQ(count(loop, ") + C_acc_"), 64);
  EXPECT_EQ(count(loop, " / ") + count(loop, " % ") + count(loop, "if ("), 0);
}

// The innermost loop of G4's WebAssembly, as LLVM's assembly.
std::string core_panels_loop(bool has_relaxed_simd) {
  const fs::path folder = fs::path(GOLDEN_DIR) / "core_panels";
  auto task = graph::task_from_spec(spec_of(folder));
  auto trace = schedule::trace_from_json(read(folder / "trace.json"));
  CHECK(task.ok() && trace.ok(), "the golden kernel's files are read");
  for (te::Arg& arg : task->args) arg.free = true;
  target::Target target = target::wasm_default();
  target.has_relaxed_simd = has_relaxed_simd;
  auto kernel = lower::lower_kernel(*task, *trace, target);
  CHECK(kernel.ok(), "the golden trace is lowered");
  auto text = emit::wasm_assembly(*kernel, target);
  CHECK(text.ok(), "the golden kernel is compiled");
  const size_t begin = text->rfind("\tloop ");
  return text->substr(begin, text->find("end_loop", begin) - begin);
}

// Given the core panels G4, when compiled to WebAssembly, then the inner loop has two vector loads, four splat loads and eight multiplications and
// additions, one instruction each with relaxed SIMD; each value is loaded once, nothing is spilled and no function is called.
TEST(GoldenCounts, CorePanelsInnerLoop) {
  for (bool has_relaxed_simd : {false, true}) {
    const std::string loop = core_panels_loop(has_relaxed_simd);
    EXPECT_EQ(count(loop, "v128.load\t"), 2) << loop;
    EXPECT_EQ(count(loop, "v128.load32_splat\t"), 4) << loop;
    EXPECT_EQ(count(loop, "f32x4.relaxed_madd"), has_relaxed_simd ? 8 : 0) << loop;
    EXPECT_EQ(count(loop, "f32x4.mul"), has_relaxed_simd ? 0 : 8) << loop;
    EXPECT_EQ(count(loop, "f32x4.add"), has_relaxed_simd ? 0 : 8) << loop;
    EXPECT_EQ(count(loop, "store") + count(loop, "call") + count(loop, "shuffle"), 0) << loop;
  }
}

}  // namespace
}  // namespace hone
