#include "server/jobs/portable_choice.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "server/jobs/launch_cost.h"
#include "tuner/records/sql_store.h"
#include "tuner/search/planner.h"

namespace hone::server {
namespace {

// An operator, its seeds for any WebGPU device, and the records of devices.
struct World {
  explicit World(const char* spec = "matmul:64x64x64") : task(graph::task_from_spec(spec).value()) {
    EXPECT_TRUE(store->put_task({.id = task.id, .name = task.name, .canonical_text = "text", .flops = 1}).ok());
  }
  ~World() { std::filesystem::remove_all(folder); }

  emit::KernelSource compiled(const schedule::Trace& trace) const {
    return compile_kernel(task, trace, target).value();
  }
  void record(const std::string& device, const schedule::Trace& trace, double latency_us, tuner::Origin origin) {
    if (!seen.count(device)) { EXPECT_TRUE(store->put_device({.key = device, .target = "webgpu"}).ok()); }
    seen.insert(device);
    tuner::Record r;
    r.task_id = task.id;
    r.device_key = device;
    r.source_hash = compiled(trace).hash;
    r.attempt = 1;
    r.trace_json = schedule::trace_to_json(trace);
    r.origin = origin;
    r.outcome = ErrorCode::kOk;
    r.samples_us = {latency_us, latency_us, latency_us};
    r.latency_us_median = latency_us;
    store->insert(std::move(r));
    EXPECT_TRUE(store->flush().ok());
  }
  ChosenKernel choose(std::vector<std::string> devices, double launch_us = 0) {
    std::vector<KnownClass> classes;
    for (std::string& device : devices) classes.push_back({std::move(device), launch_us});
    const PortableChooser chooser(store.get(), planner, target, std::move(classes));
    auto chosen = chooser.choose(task);
    EXPECT_TRUE(chosen.ok()) << chosen.error().message;
    return std::move(*chosen);
  }

  const std::string folder = cat(std::filesystem::temp_directory_path().string(), "/hone_portable_", ::getpid());
  bool made = std::filesystem::create_directory(folder);
  std::unique_ptr<tuner::RecordStore> store =
      tuner::open_record_store({.where = cat(folder, "/r.db"), .durable = false}).value();
  const te::Task task;
  const target::Target target = target::webgpu_default();
  const tuner::Planner planner = tuner::space_planner(target, 1);
  const std::vector<schedule::Trace> seeds = planner(task)->seeds;
  std::set<std::string> seen;
};

TEST(PortableChooser, TheLeastLossOnTheWorstDevice) {
  // Given two devices on which each other's best loses much, when a kernel for all is chosen, then it is the one that loses least on the device
  // where it loses most, though it is nobody's best.
  World w;
  ASSERT_GE(w.seeds.size(), 3u);
  const schedule::Trace &a = w.seeds[0], &b = w.seeds[1], &both = w.seeds[2];
  for (const auto& [device, a_us, b_us] : {std::tuple("one", 10.0, 40.0), std::tuple("two", 50.0, 10.0)}) {
    w.record(device, a, a_us, tuner::Origin::kSearch);
    w.record(device, b, b_us, tuner::Origin::kSearch);
    w.record(device, both, 15, tuner::Origin::kSeed);
  }
  EXPECT_EQ(w.choose({"one", "two"}).source.hash, w.compiled(both).hash);
  EXPECT_EQ(w.choose({"one"}).source.hash, w.compiled(a).hash);
  EXPECT_EQ(w.choose({"one"}).origin, "tuned");
}

TEST(PortableChooser, WhatADeviceDoesNotKnowIsNotCompared) {
  // Given a kernel that one device alone has measured, when a kernel for all is chosen, then it is not that one; and with nothing in common it is
  // the first seed, as without records.
  World w;
  w.record("one", w.seeds[1], 1, tuner::Origin::kSearch);
  w.record("one", w.seeds[2], 20, tuner::Origin::kSeed);
  w.record("two", w.seeds[2], 30, tuner::Origin::kSeed);
  EXPECT_EQ(w.choose({"one", "two"}).source.hash, w.compiled(w.seeds[2]).hash);
  w.record("three", w.seeds[0], 30, tuner::Origin::kSeed);
  EXPECT_EQ(w.choose({"one", "three"}).source.hash, w.compiled(w.seeds[0]).hash);
  EXPECT_EQ(w.choose({}).origin, "seed");
}

TEST(PortableChooser, LaunchesMustEarnTheirCost) {
  // Given a kernel of two launches that is faster by 30 µs than one of one launch, when launches cost less, then it is chosen; when they cost more,
  // then it is not; and where nothing was measured, the first seed of one launch is.
  World w("conv:1x16x16x16,16x16x3x3,pad=1,stride=1");
  const auto launches = [&](const schedule::Trace& trace) { return launches_of_run(w.compiled(trace)); };
  const auto of_two =
      std::find_if(w.seeds.begin(), w.seeds.end(), [&](const auto& seed) { return launches(seed) == 2; });
  const auto of_one =
      std::find_if(w.seeds.begin(), w.seeds.end(), [&](const auto& seed) { return launches(seed) == 1; });
  ASSERT_TRUE(of_two != w.seeds.end() && of_one != w.seeds.end());
  w.record("one", *of_two, 70, tuner::Origin::kSearch);
  w.record("one", *of_one, 100, tuner::Origin::kSearch);
  EXPECT_EQ(w.choose({"one"}, 20).source.hash, w.compiled(*of_two).hash);
  EXPECT_EQ(w.choose({"one"}, 40).source.hash, w.compiled(*of_one).hash);
  EXPECT_EQ(w.choose({}).source.hash, w.compiled(*of_one).hash);
}

}  // namespace
}  // namespace hone::server
