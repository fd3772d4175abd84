#include "codegen/package/read_package.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/lower/pipeline.h"
#include "codegen/package/package_files.h"

namespace hone::package {
namespace {

using ir::DType;

// For WebGPU and WebGL.
Files package_of(graph::Graph graph) {
  EXPECT_TRUE(graph::prepare_graph(graph).ok());
  std::vector<PackagedPlan> plans;
  for (const target::Target& target : {target::webgpu_default(), target::webgl_default()}) {
    graph::Graph on_target = graph;
    on_target.medium = target::stored_in(target.kind);
    const auto kernel_of = [&](const te::Task& task) {
      return compile_kernel(task, baseline_trace(task, target).value(), target);
    };
    plans.push_back({plan_model(on_target, kernel_of, nullptr, Boundary::kPorts).value(), target, "portable"});
  }
  return package_files(graph, plans, {.name = graph.name, .made_by = "hone test"}).value().files;
}

// A product with one constant.
Files product_package() {
  graph::Graph graph;
  graph.name = "product";
  std::vector<double> numbers;
  for (uint64_t i = 0; i < 96; i++) numbers.push_back(uniform_at(1, i));
  const graph::ConstantTensor m = graph::from_doubles(DType::kF32, {12, 8}, numbers);
  const auto x = graph.add_value({"x", DType::kF32, {4, 12}, true});
  const auto w = graph.add_value({"w", DType::kF32, {12, 8}, true, true, m.bytes});
  graph.outputs = {graph.add_value({"y"})};
  graph.inputs = {x};
  graph.nodes = {{"", "MatMul", {x, w}, {graph.outputs[0]}, {}}};
  return package_of(graph);
}

// y = x · x and z, the sum of y, of int64.
Files squares_package() {
  graph::Graph graph;
  graph.name = "squares";
  graph.inputs = {graph.add_value({"x", DType::kI64, {6}, true})};
  graph.outputs = {graph.add_value({"y"}), graph.add_value({"z"})};
  graph.nodes = {{"", "Mul", {0, 0}, {1}, {}}, {"", "ReduceSum", {1}, {2}, {}}};
  return package_of(graph);
}

std::string refusal(const Files& files) {
  const auto package = open_package(files);
  if (!package.ok()) return package.error().message;
  for (size_t i = 0; i < package->manifest.plans.size(); i++)
    if (const auto plan = read_plan(*package, i); !plan.ok()) return plan.error().message;
  return "";
}

using Edit = std::function<void(nlohmann::json&)>;

// With another content of its first plan's file, whose digest is right.
Files with_plan(Files files, const Edit& edit) {
  auto manifest = nlohmann::json::parse(files["manifest.json"]);
  auto& asset = manifest["plans"][0]["plan"];
  std::string& file = files[asset["file"]];
  auto plan = nlohmann::json::parse(file);
  edit(plan);
  file = plan.dump();
  asset["bytes"] = file.size();
  asset["sha256"] = sha256_hex(file);
  files["manifest.json"] = manifest.dump();
  return files;
}

TEST(ReadPackage, WhatWasWrittenIsReadAgain) {
  // Given a package, when it travels as an archive and is read, then its plans are those that were written, and the weights' bytes as well.
  const Files files = product_package();
  const auto again = files_of(archive_of(files));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, files);
  const auto package = open_package(*again);
  ASSERT_TRUE(package.ok()) << package.error().message;
  for (size_t i = 0; i < 2; i++) {
    const auto plan = read_plan(*package, i);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_FALSE(plan->kernels.empty());
    EXPECT_EQ(plan->textures.size(), i == 0 ? 0 : plan->buffers.size());
    ASSERT_EQ(plan->constants.size(), 1u);
    const graph::ConstantTensor x = graph::from_doubles(DType::kF32, {4, 12}, std::vector<double>(48, 1));
    const auto packed = pack_inputs(package->graph, *plan, {{package->graph.inputs[0], x}});
    ASSERT_TRUE(packed.ok()) << packed.error().message;
    EXPECT_EQ(static_cast<int64_t>(constant_bytes(package->graph, plan->constants[0]).size()),
              plan->constants[0].bytes);
  }
}

TEST(ReadPackage, WhatIsDamagedIsRefused) {
  // Given a package of which one file is missing, altered or inconsistent, when it is read, then a sentence says which.
  const Files sound = product_package();
  EXPECT_EQ(refusal(sound), "");
  EXPECT_NE(refusal({}).find("manifest.json is missing"), std::string::npos);
  for (const auto& [name, bytes] : sound) {
    if (name == "index.d.ts" || name == "package.json") continue;
    Files damaged = sound;
    damaged.erase(name);
    EXPECT_NE(refusal(damaged).find(cat(name, " is missing")), std::string::npos) << name;
    damaged = sound;
    damaged[name].back() = static_cast<char>(damaged[name].back() ^ 1);
    EXPECT_NE(refusal(damaged).find(name), std::string::npos) << name;
  }
  Files newer = sound;
  auto manifest = nlohmann::json::parse(newer["manifest.json"]);
  manifest["version"] = 2;
  newer["manifest.json"] = manifest.dump();
  EXPECT_NE(refusal(newer).find("has version 2, this hone reads 1"), std::string::npos);
}

TEST(ReadPackage, NumbersOfAnEnemyAreRefused) {
  // Given a manifest whose numbers point beyond what is there, when it is read, then it is refused; nothing is read beyond its end.
  const Files sound = product_package();
  const auto edited = [&](const std::function<void(nlohmann::json&)>& edit) {
    Files files = sound;
    auto manifest = nlohmann::json::parse(files["manifest.json"]);
    edit(manifest);
    files["manifest.json"] = manifest.dump();
    return refusal(files);
  };
  EXPECT_NE(edited([](auto& m) { m["weights"][0]["offset"] = 9007199254740991; }), "");
  EXPECT_NE(edited([](auto& m) { m["weights"][0]["shape"] = {3037000500, 3037000500}; }), "");
  EXPECT_NE(edited([](auto& m) { m["inputs"][0]["shape"] = {0}; }), "");
  EXPECT_NE(edited([](auto& m) { m["inputs"][0]["dtype"] = "f33"; }), "");
  EXPECT_NE(edited([](auto& m) { m["chunks"] = nlohmann::json::array(); }), "");
}

TEST(ReadPackage, WhatIsWatchedIsReadAgain) {
  // Given a package of whole numbers of 64 bits, when it is read, then it says which may leave 32, and an output that does not stand where such a one does is refused.
  const Files files = squares_package();
  const auto package = open_package(files);
  ASSERT_TRUE(package.ok()) << package.error().message;
  EXPECT_EQ(package->graph.watched, (std::vector<std::string>{"z", "y"}));
  EXPECT_EQ(package->graph.hidden_outputs, 1u);
  const auto edited = [&](const std::function<void(nlohmann::json&)>& edit) {
    Files changed = files;
    auto manifest = nlohmann::json::parse(changed["manifest.json"]);
    edit(manifest["outputs"]);
    changed["manifest.json"] = manifest.dump();
    return refusal(changed);
  };
  EXPECT_NE(edited([](auto& outputs) { outputs[2]["watched"] = nlohmann::json::array(); }), "");
  EXPECT_NE(edited([](auto& outputs) { outputs[2]["dtype"] = "f32"; }), "");
  EXPECT_NE(edited([](auto& outputs) { outputs[1]["watched"] = {"y"}; }), "");
}

TEST(ReadPackage, LayoutsOfAnEnemyAreRefused) {
  // Given a plan whose layouts reach beyond what any device holds, or overflow, with digests that are right, when it is read, then it is refused.
  const Files sound = product_package();
  const auto edited = [&](const Edit& edit) { return refusal(with_plan(sound, edit)); };
  EXPECT_EQ(edited([](auto&) {}), "");
  const int64_t huge = (int64_t{1} << 53) - 1;
  EXPECT_NE(edited([&](auto& p) { p["weights"][0]["dims"] = {{0, huge, huge}, {1, 1, 8}}; }), "");
  EXPECT_NE(edited([&](auto& p) { p["weights"][0]["dims"] = {{0, 1, 1 << 30}, {1, 1, 1 << 30}}; }), "");
  EXPECT_NE(edited([&](auto& p) { p["weights"][0]["dims"] = {{0, 1, 12}}; }), "");
  EXPECT_NE(edited([&](auto& p) { p["weights"][0]["dims"] = {{2, 1, 12}, {1, 1, 8}}; }), "");
  EXPECT_NE(edited([&](auto& p) { p["buffers"][0] = huge; }), "");
  EXPECT_NE(edited([&](auto& p) { p["launches"][0]["kernel"] = 99; }), "");
  EXPECT_NE(edited([&](auto& p) { p["launches"][0]["buffers"][0] = 99; }), "");
  EXPECT_NE(edited([&](auto& p) { p["kernels"][0]["offset"] = huge; }), "");
  EXPECT_NE(edited([&](auto& p) { p["outputs"] = nlohmann::json::array(); }), "");
}

TEST(ReadPackage, LoopsOfAnEnemyAreRefused) {
  // Given a plan whose loops name launches or buffers that there are not, say both or neither of trips and a condition, or overlap, when it is read, then it is refused.
  const Files sound = product_package();
  const auto edited = [&](const nlohmann::json& loops) { return refusal(with_plan(sound, [&](auto& plan) { plan["loops"] = loops; })); };
  EXPECT_EQ(edited({{{"first", 0}, {"last", 1}, {"trips", 3}}, {{"first", 0}, {"last", 1}, {"condition", 0}}}), "");
  EXPECT_NE(edited({{{"first", 0}, {"last", 99}, {"trips", 3}}}), "");
  EXPECT_NE(edited({{{"first", 1}, {"last", 1}, {"trips", 3}}}), "");
  EXPECT_NE(edited({{{"first", 0}, {"last", 1}, {"condition", 99}}}), "");
  EXPECT_NE(edited({{{"first", 0}, {"last", 1}}}), "");
  EXPECT_NE(edited({{{"first", 0}, {"last", 1}, {"trips", 1}, {"condition", 0}}}), "");
}

TEST(ReadPackage, ArchivesThatAreNoneAreRefused) {
  // Given bytes that are no archive, or one that is cut off or too long, when read, then they are refused.
  const std::string sound = archive_of({{"a", "12"}, {"b", ""}});
  EXPECT_TRUE(files_of(sound).ok());
  for (size_t length = 0; length < sound.size(); length++)
    EXPECT_FALSE(files_of(sound.substr(0, length)).ok()) << length;
  EXPECT_FALSE(files_of(sound + "x").ok());
  EXPECT_FALSE(files_of(std::string("\xff\xff\xff\xff{}", 6)).ok());
}

}  // namespace
}  // namespace hone::package
