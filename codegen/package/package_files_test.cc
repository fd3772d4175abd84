#include "codegen/package/package_files.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/sha256.h"
#include "codegen/compile.h"
#include "codegen/emit/llvm/native_object.h"
#include "codegen/graph/import.h"
#include "codegen/lower/pipeline.h"
#include "codegen/package/pack_tensor.h"
#include "codegen/package/plan_needs.h"
#include "codegen/package/weight_store.h"

namespace hone::package {
namespace {

using graph::Graph;
using graph::ValueId;
using ir::DType;

graph::ConstantTensor numbers(const ir::Shape& shape, uint64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < ir::element_count(shape); i++) values.push_back(uniform_at(seed, static_cast<uint64_t>(i)));
  return graph::from_doubles(DType::kF32, shape, values);
}

ValueId constant(Graph& graph, const std::string& name, const graph::ConstantTensor& tensor) {
  return graph.add_value({name, tensor.dtype, tensor.shape, true, true, tensor.bytes});
}

// An image of three channels, a convolution, and a product: constants of two layouts.
Graph image_model() {
  Graph graph;
  graph.name = "tiny */ model";
  const ValueId x = graph.add_value({"image", DType::kF32, {1, 3, 6, 6}, true});
  const ValueId w = constant(graph, "w", numbers({8, 3, 3, 3}, 1)), m = constant(graph, "m", numbers({128, 5}, 2));
  const ValueId c = graph.add_value({"c"}), f = graph.add_value({"f"}), y = graph.add_value({"scores"});
  graph.inputs = {x};
  graph.nodes = {{"", "Conv", {x, w}, {c}, {}}, {"", "Flatten", {c}, {f}, {}}, {"", "MatMul", {f, m}, {y}, {}}};
  graph.outputs = {y};
  EXPECT_TRUE(graph::prepare_graph(graph).ok());
  return graph;
}

PackagedPlan plan_for(const Graph& model, const target::Target& target) {
  Graph graph = model;
  graph.medium = target::stored_in(target.kind);
  const auto kernel_of = [&](const te::Task& task) {
    return compile_kernel(task, baseline_trace(task, target).value(), target);
  };
  auto plan = plan_model(graph, kernel_of, nullptr, Boundary::kPorts);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return {std::move(*plan), target, "portable"};
}

nlohmann::json json_of(const PackageFiles& package, const std::string& file) {
  return nlohmann::json::parse(package.files.at(file));
}

TEST(PackageFiles, WhatTheManifestNamesIsThere) {
  // Given plans for three targets, when a package is made, then each file that the manifest names is there with its size and digest, each kernel
  // and weight lies within its file, and the constants are stored once for all plans.
  const Graph graph = image_model();
  const auto package =
      package_files(graph,
                    {plan_for(graph, target::webgpu_default()), plan_for(graph, target::webgl_default()),
                     plan_for(graph, target::wasm_default())},
                    {.name = "tiny", .made_by = "hone test"});
  ASSERT_TRUE(package.ok()) << package.error().message;
  const auto manifest = protocol::from_json<protocol::Manifest>(json_of(*package, "manifest.json"));
  ASSERT_TRUE(manifest.ok()) << manifest.error().message;
  std::vector<protocol::Asset> assets = manifest->chunks;
  for (const protocol::PlanHead& head : manifest->plans) assets.insert(assets.end(), {head.plan, head.kernels});
  for (const protocol::Asset& asset : assets) {
    ASSERT_TRUE(package->files.count(asset.file)) << asset.file;
    EXPECT_EQ(package->files.at(asset.file).size(), asset.bytes);
    EXPECT_EQ(sha256_hex(package->files.at(asset.file)), asset.sha256);
  }
  EXPECT_EQ(manifest->weights.size(), 2u);
  for (const protocol::PlanHead& head : manifest->plans) {
    const auto file = protocol::from_json<protocol::PlanFile>(json_of(*package, head.plan.file));
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->weights.size(), 2u);
    EXPECT_EQ(file->inputs.size(), 1u);
    for (const protocol::PackageKernel& kernel : file->kernels)
      EXPECT_LE(kernel.offset + kernel.bytes, head.kernels.bytes);
    for (const protocol::PlanWeight& weight : file->weights) EXPECT_LE(weight.bytes, file->buffers[weight.buffer]);
  }
}

TEST(PackageFiles, ThePaddingOfAnImageLiesInItsInput) {
  // Given an image whose channels are padded, when the plan is a package's, then no launch pads them: the input is the model's own, and its layout
  // has place for a fourth channel.
  const Graph graph = image_model();
  const PackagedPlan packaged = plan_for(graph, target::webgpu_default());
  EXPECT_TRUE(packaged.plan.on_upload.empty());
  ASSERT_EQ(packaged.plan.inputs.size(), 1u);
  const PlanTensor& input = packaged.plan.inputs[0];
  EXPECT_EQ(input.value, graph.inputs[0]);
  EXPECT_EQ(graph.value(input.value).shape[1], 3);
  EXPECT_EQ(input.bytes, 6 * 6 * 4 * 4);
  for (const PlanStep& step : packaged.plan.steps) EXPECT_EQ(step.name.rfind("pad", 0), std::string::npos) << step.name;
}

TEST(PackageFiles, TypesNameInputsAndOutputs) {
  // Given a model whose name would end a comment, when its types are written, then each input and output has its line, and the comment holds.
  const Graph graph = image_model();
  const auto package =
      package_files(graph, {plan_for(graph, target::webgpu_default())}, {.name = "tiny", .made_by = "hone test"});
  ASSERT_TRUE(package.ok()) << package.error().message;
  const std::string& types = package->files.at("index.d.ts");
  EXPECT_NE(types.find("/** f32 [1, 3, 6, 6], row-major */\n  readonly \"image\": Float32Array | GPUBuffer;"),
            std::string::npos)
      << types;
  EXPECT_NE(types.find("readonly \"scores\": Float32Array;"), std::string::npos) << types;
  EXPECT_EQ(types.find("tiny */"), std::string::npos) << types;
  EXPECT_EQ(json_of(*package, "package.json")["name"], "tiny");
}

NativePlan native_plan(const Graph& graph, const target::CpuLevel& level) {
  NativePlan out{plan_for(graph, target::level_target(level)).plan, level, {}};
  std::vector<std::string> kernels;
  for (const PlanKernel& kernel : out.plan.kernels) kernels.push_back(kernel.code);
  auto code = emit::native_object(kernels, level, "tiny");
  EXPECT_TRUE(code.ok()) << code.error().message;
  out.code = std::move(*code);
  return out;
}

TEST(PackageFiles, NativeCodeLiesBesideTheSameWeights) {
  // Given a plan for a browser and native ones, when a package is made, then it has C, an object for each level, and the files of weights of a package for
  // browsers alone; with native plans alone nothing of browsers is there.
  const Graph graph = image_model();
  std::vector<NativePlan> native;
  for (const target::CpuLevel& level : target::cpu_levels()) native.push_back(native_plan(graph, level));
  const PackageOptions options{.name = "tiny", .made_by = "hone test"};
  const std::vector<PackagedPlan> plans{plan_for(graph, target::wasm_default())};
  const auto both = package_files(graph, plans, options, native), web = package_files(graph, plans, options),
             c = package_files(graph, {}, options, native);
  ASSERT_TRUE(both.ok() && web.ok() && c.ok());
  for (const auto& [name, content] : web->files) EXPECT_EQ(both->files.at(name), content) << name;
  for (const auto& [name, content] : c->files) EXPECT_EQ(both->files.at(name), content) << name;
  EXPECT_FALSE(c->files.count("manifest.json"));
  for (const char* name : {"tiny.h", "tiny.c", "CMakeLists.txt", "runtime/hone_model.h", "kernels-x86_64_v2.o",
                           "kernels-x86_64_v3.o", "kernels-x86_64_v4.o", "kernels-aarch64.o"})
    EXPECT_TRUE(c->files.count(std::string("native/") + name)) << name;
  EXPECT_TRUE(c->files.count(c->manifest.chunks.at(0).file));
  EXPECT_EQ(c->native_memory_bytes.size(), 4u);
}

TEST(NativeProgram, WhatIsUsedAtTheSameTimeDoesNotOverlap) {
  // Given a plan, when everything has a place, then what a launch takes lies within the memory, at whole lines of cache, and in places of its own.
  const Graph graph = image_model();
  for (const target::CpuLevel& level : target::cpu_levels()) {
    WeightStore weights(graph, false);
    const NativePlan plan = native_plan(graph, level);
    const auto program = native_program(graph, graph.inputs, plan, weights);
    ASSERT_TRUE(program.ok()) << program.error().message;
    EXPECT_EQ(program->weights.size(), 2u);
    size_t row = 0;
    for (const PlanLaunch& call : plan.plan.launches)
      for (const emit::NativeLaunch& launch : plan.code.kernels[static_cast<size_t>(call.kernel)].launches) {
        const std::vector<int64_t>& args = program->launches.at(row++).args;
        ASSERT_EQ(args.size(), launch.bindings.size());
        for (size_t i = 0; i < args.size(); i++) {
          EXPECT_EQ(args[i] % 64, 0);
          EXPECT_LE(args[i] + launch.bindings[i].bytes, program->memory_bytes);
          for (size_t j = 0; j < i; j++)
            EXPECT_TRUE(args[i] + launch.bindings[i].bytes <= args[j] || args[j] + launch.bindings[j].bytes <= args[i])
                << row << " " << i << " " << j;
        }
      }
    EXPECT_EQ(row, program->launches.size());
  }
}

TEST(PackageFiles, NoBrowserRunsNativeCode) {
  // Given a plan for native code, when a package is made, then it is refused in a sentence.
  const Graph graph = image_model();
  PackagedPlan packaged = plan_for(graph, target::webgpu_default());
  packaged.target.kind = target::Kind::kNative;
  const auto package = package_files(graph, {packaged}, {.name = "tiny", .made_by = "hone test"});
  ASSERT_FALSE(package.ok());
  EXPECT_EQ(package.error().code, ErrorCode::kUnsupported);
}

TEST(WeightStore, EqualConstantsAreKeptOnceAndHalvesAreRounded) {
  // Given two equal constants and one of other whole numbers, when stored as halves, then the equal ones share a place, f32 takes two bytes an
  // element, whole numbers stay, and each begins at a multiple of 16.
  Graph graph;
  const ValueId a = constant(graph, "a", numbers({5}, 1)), b = constant(graph, "b", numbers({5}, 1));
  const ValueId whole = constant(graph, "whole", graph::from_doubles(DType::kI64, {2}, {-1, 7}));
  const ValueId large = constant(graph, "large", graph::from_doubles(DType::kI64, {1}, {4294967296.0}));
  WeightStore store(graph, true);
  EXPECT_EQ(store.add(a).value(), 0u);
  EXPECT_EQ(store.add(b).value(), 0u);
  EXPECT_EQ(store.add(whole).value(), 1u);
  EXPECT_EQ(store.weights()[0].dtype, "f16");
  EXPECT_EQ(store.weights()[0].bytes, 10u);
  EXPECT_EQ(store.weights()[1].dtype, "i32");
  EXPECT_EQ(store.weights()[1].offset, 16u);
  EXPECT_EQ(store.add(large).error().code, ErrorCode::kLimitExceeded);
}

TEST(WeightStore, ChunksEndBetweenWeights) {
  // Given weights of 40, 40, 200, 8 and 40 bytes, each at a multiple of 16, when chunks of at most 100 bytes are cut, then those that fit are whole, one
  // that is larger than a chunk goes on through several, and none is cut that would leave less than half a chunk.
  Graph graph;
  WeightStore store(graph, false);
  for (const int64_t bytes : {40, 40, 200, 8, 40}) {
    const ValueId id = constant(graph, "w", numbers({bytes / 4}, 1 + store.weights().size()));
    ASSERT_TRUE(store.add(id).ok());
  }
  std::vector<size_t> ends;
  for (size_t at = 0; at < store.bytes().size(); at = ends.back()) ends.push_back(store.end_of_chunk(at, 100));
  EXPECT_EQ(ends, (std::vector<size_t>{96, 196, 296, 360}));
}

TEST(PlanNeeds, OnlyWhatIsMoreThanEveryDeviceHas) {
  // Given plans, when their needs are told, then what every device has is not among them, and large buffers and workgroups are, by the API's names.
  const Graph graph = image_model();
  PackagedPlan packaged = plan_for(graph, target::webgpu_default());
  EXPECT_TRUE(plan_needs(packaged.plan, packaged.target).limits.empty());
  packaged.plan.kernels[0].threads = {32, 16, 1};
  packaged.plan.launches[0].binding_bytes[0] = 200ll << 20;
  packaged.plan.needs = {"shader-f16"};
  const PlanNeeds needs = plan_needs(packaged.plan, packaged.target);
  EXPECT_EQ(needs.features, std::vector<std::string>{"shader-f16"});
  EXPECT_EQ(needs.limits, (std::map<std::string, double>{{"maxComputeInvocationsPerWorkgroup", 512},
                                                         {"maxStorageBufferBindingSize", 209715200}}));
  EXPECT_EQ(plan_needs(plan_for(graph, target::wasm_default()).plan, target::wasm_default()).features,
            std::vector<std::string>{"simd128"});
}

}  // namespace
}  // namespace hone::package
