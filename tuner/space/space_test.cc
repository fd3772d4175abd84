#include "tuner/space/space.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/matrix.h"
#include "codegen/te/ops/pool.h"
#include "codegen/te/ops/sorting.h"

namespace hone::tuner {
namespace {

using namespace schedule;

te::Task task_of(const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  EXPECT_TRUE(task.ok()) << task.error().message;
  return std::move(*task);
}

Space space_of(const te::Task& task) {
  auto space = Space::derive(task, target::webgpu_default());
  EXPECT_TRUE(space.ok()) << space.error().message;
  return std::move(*space);
}

std::string steps_text(const Trace& trace) {
  std::string json = trace_to_json({.version = 1, .sketch = "", .steps = trace.steps});
  for (size_t at = 0; (at = json.find("],[", at)) != std::string::npos;) json.replace(at, 3, "],\n[");
  return json;
}

// Keys of decisions are for mutation, not for replay.
Trace without_keys(Trace trace) {
  for (Step& step : trace.steps) step.decision.clear();
  return trace;
}

Trace golden_tile() {
  Trace t;
  t.steps = {cache_write("C", "register"),
             split("C", "m", {8, 8}),
             split("C", "n", {2, 8, 4}),
             reorder("C", {"m.0", "n.0", "m.1", "n.2", "m.2", "n.1", "n.3"}),
             bind("C", "m.0", "block.y"),
             bind("C", "n.0", "block.x"),
             bind("C", "m.1", "thread.y"),
             bind("C", "n.2", "thread.x"),
             compute_at("C.acc", "C", "n.2"),
             split("C.acc", "k", {4}),
             reorder("C.acc", {"k.0", "k.1", "m", "n.0", "n.1"}),
             cache_read("A", "C.acc", "register", "A.r"),
             compute_at("A.r", "C.acc", "k.0"),
             vectorize("A.r", "k"),
             unroll("A.r", "m"),
             cache_read("B", "C.acc", "register", "B.r"),
             compute_at("B.r", "C.acc", "k.1"),
             vectorize("B.r", "n.1"),
             unroll("B.r", "n.0"),
             vectorize("C.acc", "n.1"),
             unroll("C.acc", "k.1"),
             unroll("C.acc", "m"),
             unroll("C.acc", "n.0"),
             vectorize("C", "n.3"),
             unroll("C", "m.2"),
             unroll("C", "n.1")};
  return t;
}

TEST(Space, HoldsTheGoldenRegisterTile) {
  // Given the space of a 512³ product, when the golden tile's sizes are chosen, then its trace is the golden one, step by step.
  te::Task task = task_of("matmul:512x512x512");
  Space space = space_of(task);
  auto trace = space.trace(space.assignment(
      {{"rows.threads", 8}, {"rows", 8}, {"lanes.threads", 8}, {"lanes", 2}, {"lanes.width", 4}, {"k.lanes", 4}}));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(steps_text(without_keys(*trace)), steps_text(golden_tile()));
}

TEST(Space, HoldsTheGoldenWindowTile) {
  // Given a padded 3×3 window over 64 channels, when the hand-written tile is chosen, then rows are fused in the order of memory, lanes run
  // over the channels, and it compiles in two launches: the padding and the tile.
  te::Task task = task_of("conv:1x64x56x56,64x64x3x3,pad=1,stride=1");
  Space space = space_of(task);
  auto trace = space.trace(space.assignment(
      {{"rows.threads", 8}, {"rows", 8}, {"lanes.threads", 8}, {"lanes", 2}, {"lanes.width", 4}, {"k.lanes", 4}}));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  std::string text = steps_text(without_keys(*trace));
  for (const char* step :
       {R"(["fuse","Y","n","oh","ow","m"])", R"(["split","Y","o",[2,8,4],"guard"])",
        R"(["split","Y.acc","c",[4],"guard"])", R"(["reorder","Y.acc","r","s","c.0","c.1","m","o.0","o.1"])",
        R"(["compute_at","X.pad.r","Y.acc","c.0"])"})
    EXPECT_NE(text.find(step), std::string::npos) << step << "\n" << text;
  auto source = compile_kernel(task, *trace, target::webgpu_default());
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ(source->launches.size(), 2u);
}

// The hand-written kernels of the peers' sweep, but for those that read textures. fix and fma are forms of printing, not of scheduling.
struct Peer {
  int64_t wx, wy, tm, tn, v = 1, ku = 1, sh = 0;
};
std::map<std::string, int64_t> choices_of(const Peer& peer) {
  std::map<std::string, int64_t> wanted{{"rows.threads", peer.wy}, {"rows", peer.tm},       {"lanes.threads", peer.wx},
                                        {"lanes", peer.tn},        {"lanes.width", peer.v}, {"k.lanes", peer.ku}};
  if (peer.sh) wanted.insert({{"k.tile", peer.sh}, {"operand0", 2}, {"operand1", 2}});
  return wanted;
}

const std::vector<Peer> kPeers{{8, 8, 1, 1},
                               {16, 16, 1, 1},
                               {64, 1, 1, 1},
                               {1, 64, 1, 1},
                               {8, 8, 1, 1, 1, 1, 8},
                               {16, 16, 1, 1, 1, 1, 16},
                               {16, 16, 1, 1, 1, 1, 32},
                               {8, 8, 2, 2},
                               {8, 8, 4, 2},
                               {8, 8, 4, 4},
                               {8, 8, 8, 2},
                               {8, 8, 8, 4},
                               {8, 8, 4, 4, 1, 4},
                               {8, 8, 8, 2, 1, 4},
                               {4, 1, 8, 2},
                               {4, 4, 4, 4},
                               {16, 4, 8, 2},
                               {32, 1, 8, 2},
                               {8, 8, 1, 1, 4, 4},
                               {8, 8, 4, 1, 4, 4},
                               {8, 8, 8, 1, 4, 4},
                               {8, 8, 4, 2, 4, 4},
                               {8, 8, 8, 2, 4, 4},
                               {8, 8, 16, 1, 4, 4},
                               {8, 8, 8, 4, 4, 4},
                               {4, 4, 8, 2, 4, 4},
                               {16, 4, 8, 2, 4, 4},
                               {4, 1, 8, 2, 4, 4},
                               {4, 4, 8, 4, 4, 4},
                               {4, 1, 4, 1, 4, 4},
                               {4, 1, 4, 1, 4},
                               {16, 4, 4, 1, 4, 4},
                               {8, 8, 4, 1, 4},
                               {8, 8, 4, 4, 1, 1, 16},
                               {8, 8, 8, 2, 1, 1, 16},
                               {8, 8, 4, 1, 4, 1, 16},
                               {8, 8, 8, 1, 4, 1, 16},
                               {8, 8, 4, 1, 4, 1, 32},
                               {8, 8, 8, 2, 4, 1, 8},
                               {4, 4, 4, 1, 4, 1, 16},
                               {16, 16, 4, 1, 4, 1, 16}};

TEST(Space, HoldsTheHandWrittenKernels) {
  // Given each configuration of the hand-written sweep, when its sizes are chosen, then the space takes them as they are, and the compiler
  // makes a kernel with the same grid, threads and number of workgroup buffers.
  te::Task task = task_of("matmul:512x512x512");
  Space space = space_of(task);
  for (const Peer& peer : kPeers) {
    std::string name =
        cat(peer.wx, "x", peer.wy, " t", peer.tm, "x", peer.tn, "v", peer.v, " k", peer.ku, " sh", peer.sh);
    const std::map<std::string, int64_t> wanted = choices_of(peer);
    Assignment a = space.assignment(wanted);
    for (const auto& [key, value] : wanted) EXPECT_EQ(space.value(a, key, -1), value) << name << " " << key;
    Assignment repaired = a;
    space.repair(repaired);
    EXPECT_EQ(repaired, a) << name << " is repaired away";
    auto trace = space.trace(a);
    ASSERT_TRUE(trace.ok()) << name << ": " << trace.error().message;
    auto source = compile_kernel(task, *trace, target::webgpu_default());
    ASSERT_TRUE(source.ok()) << name << ": " << source.error().message << "\n" << steps_text(*trace);
    ASSERT_EQ(source->launches.size(), 1u);
    const emit::LaunchSource& launch = source->launches[0];
    EXPECT_EQ(launch.threads, (ir::Dims{peer.wx, peer.wy, 1})) << name;
    EXPECT_EQ(launch.grid, (ir::Dims{512 / (peer.wx * peer.tn * peer.v), 512 / (peer.wy * peer.tm), 1})) << name;
    size_t shared = 0;
    for (size_t at = 0; (at = launch.code.find("var<workgroup>", at)) != std::string::npos; ++at) ++shared;
    EXPECT_EQ(shared, peer.sh ? 2u : 0u) << name << "\n" << launch.code;
  }
}

TEST(Space, ReplayedTracesOfTheHandWrittenKernelsComputeTheProduct) {
  // Given the trace of each hand-written kernel at the size of two of its workgroups, when it is written as JSON, read and replayed, then
  // the interpreter's result is the product.
  for (const Peer& peer : kPeers) {
    const int64_t m = 2 * peer.wy * peer.tm, n = 2 * peer.wx * peer.tn * peer.v,
                  k = std::max<int64_t>({peer.ku, peer.sh, 4});
    te::Task task = task_of(cat("matmul:", m, "x", n, "x", k));
    Space space = space_of(task);
    auto trace = space.trace(space.assignment(choices_of(peer)));
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    auto read = trace_from_json(trace_to_json(*trace));
    ASSERT_TRUE(read.ok()) << read.error().message;
    auto kernel = lower::lower_kernel(task, *read, target::webgpu_default());
    ASSERT_TRUE(kernel.ok()) << task.name << ": " << kernel.error().message;
    EXPECT_EQ(kernel->launches[0].threads, (ir::Dims{peer.wx, peer.wy, 1})) << task.name;
    EXPECT_EQ(difference(task, Oracle(task), *kernel), "") << task.name << "\n" << steps_text(*trace);
  }
}

const std::vector<std::string> kSpecs{"matmul:512x512x512",
                                      "matmul:33x35x37",
                                      "matmul:1x1000x512",
                                      "matmul:4x64x48x32",
                                      "conv:1x64x56x56,64x64x3x3,pad=1",
                                      "conv:1x3x224x224,64x3x7x7,pad=3,stride=2",
                                      "conv:1x64x56x56,128x64x1x1,stride=2",
                                      "conv:2x8x14x14,8x1x3x3,pad=1,groups=8",
                                      "conv:1x16x9x9,12x8x3x3,groups=2",
                                      "conv:1x512x7x7,512x512x3x3,pad=1"};

TEST(Space, OnCoresAVectorIsOneLoad) {
  // Given eight vectors of sums, when the times of tiles of 2×4, 4×2 and 8×1 vectors are estimated, then on cores the first two, which load six for
  // eight multiply-adds, take less than the third, which loads nine.
  const te::Task task = task_of("matmul:128x128x128");
  const Space space = *Space::derive(task, target::wasm_default());
  const auto us = [&space](int64_t rows, int64_t lanes) {
    return space.time_us(space.assignment({{"rows", rows}, {"lanes", lanes}, {"lanes.width", 4}, {"k.lanes", 1}}));
  };
  EXPECT_LT(us(2, 4), us(8, 1));
  EXPECT_LT(us(4, 2), us(8, 1));
}

TEST(Space, SeedsAreLegalAndDistinct) {
  // Given tasks of all kinds, when first schedules are asked for, then there are some, each compiles, and no two are the same.
  for (const std::string& spec : kSpecs) {
    te::Task task = task_of(spec);
    Space space = space_of(task);
    std::vector<Trace> seeds = space.seeds();
    ASSERT_GE(seeds.size(), 1u) << spec;
    std::set<std::string> distinct;
    for (const Trace& seed : seeds) {
      EXPECT_TRUE(distinct.insert(steps_text(seed)).second) << spec << ": " << seed.sketch;
      auto source = compile_kernel(task, seed, target::webgpu_default());
      EXPECT_TRUE(source.ok()) << spec << ": " << seed.sketch << ": " << source.error().message;
    }
    std::cout << spec << ": " << seeds[0].sketch << " (" << seeds.size() << " seeds)\n";
  }
}

TEST(Space, NoSeedForSoftwareHasMoreThanTwiceTheCodeOfTheFirst) {
  // Given tasks of all kinds, and software that compiles on the processor, when it is asked where to begin, then no schedule of the task's own program costs
  // the creation of two others.
  for (const std::string& spec : kSpecs) {
    const te::Task task = task_of(spec);
    target::Target device = target::webgpu_default();
    device.subgroup_size = 4;
    const Space space = *Space::derive(task, device);
    const auto operations = [&space](const Trace& seed) { return space.apply(*space.parse(seed))->operations; };
    const std::vector<Trace> seeds = space.seeds();
    for (const Trace& seed : seeds)
      EXPECT_TRUE(space.algorithm(*space.parse(seed)) != 0 || operations(seed) <= 2 * operations(seeds[0])) << spec << ": " << seed.sketch;
  }
}

TEST(Space, CodeThatIsDoneLaneByLaneIsNotWrittenOutOftenWithoutUse) {
  // Given runs that are merged, each element of which searches the others by itself, when a core asks where to begin, then the code is no more than that of 16
  // elements written out: vectors of 16, unrolled, would have a hundred times as much.
  te::Builder b;
  const te::Tensor values = b.input("x", ir::DType::kF32, {50000}), places = b.input("p", ir::DType::kI32, {50000});
  const te::Chosen merged = *te::merge_runs(b, {.values = values, .places = places, .run = 512});
  b.output(merged.values);
  b.output(merged.places);
  te::Task task;
  task.program = b.take();
  task.args.resize(4);
  te::finish_task(task);
  const Space space = *Space::derive(task, target::native_target(16, 32));
  const auto operations = [&space](const Assignment& assignment) { return space.apply(assignment)->operations; };
  EXPECT_LE(operations(*space.parse(space.seeds()[0])), 16 * operations(space.assignment({})));
}

TEST(Space, SeedsAreForSoftwareAndHardware) {
  // Given a large product and a GPU that tells no subgroups, when it is asked where to begin, then its first schedule is the faster one for software, and its
  // second for hardware with subgroups of 32.
  const te::Task task = task_of("matmul:512x512x512");
  target::Target hardware = target::webgpu_default(), software = hardware;
  hardware.subgroup_size = 32;
  software.subgroup_size = 4;
  const std::vector<Trace> seeds = Space::derive(task, target::webgpu_default())->seeds();
  const auto us = [&task](const target::Target& target, const Trace& seed) {
    const Space space = *Space::derive(task, target);
    return space.time_us(*space.parse(seed));
  };
  ASSERT_GE(seeds.size(), 2u);
  EXPECT_LT(us(software, seeds[0]), us(software, seeds[1]));
  EXPECT_LT(us(hardware, seeds[1]), us(hardware, seeds[0]));
}

TEST(Space, AFullRegisterIsAWorkgroupForSoftware) {
  // Given a product of 49 rows, of which two threads of seven rows waste some, when the times of workgroups of 1×4 and 2×4 threads are estimated, then the
  // former take less where a register has four lanes, and more where it has eight or the device is hardware.
  const te::Task task = task_of("matmul:49x1024x64");
  const auto us = [&task](int64_t subgroup_size, int64_t row_threads) {
    target::Target device = target::webgpu_default();
    device.subgroup_size = subgroup_size;
    const Space space = *Space::derive(task, device);
    return space.time_us(space.assignment({{"rows.threads", row_threads}, {"lanes.threads", 4}, {"rows", 7}, {"lanes", 4}}));
  };
  EXPECT_LT(us(4, 1), us(4, 2));
  for (const int64_t others : {8, 32}) EXPECT_GT(us(others, 1), us(others, 2)) << others;
}

TEST(Space, SamplesLowerOrAreCounted) {
  // Given tasks of all kinds, when the space is sampled and mutated, then nearly all that it lets pass compiles, and the rest has a reason.
  for (const std::string& spec : kSpecs) {
    te::Task task = task_of(spec);
    Space space = space_of(task);
    Rng rng(1);
    int pruned = 0, compiled = 0;
    std::map<std::string, int> refused, dropped;
    Assignment a = space.sample(rng);
    for (int i = 0; i < 60; ++i) {
      a = i % 2 ? space.mutate(a, rng) : space.sample(rng);
      auto trace = space.trace(a);
      if (!trace.ok()) {
        ++pruned;
        ++dropped[trace.error().message];
        continue;
      }
      EXPECT_EQ(space.parse(*trace), std::optional(a)) << "a trace remembers its assignment";
      auto source = compile_kernel(task, *trace, target::webgpu_default());
      source.ok() ? ++compiled : ++refused[source.error().message];
    }
    std::cout << spec << ": " << space.count() << " points, " << compiled << " of 60 compiled, " << pruned
              << " pruned\n";
    for (const auto& [reason, count] : dropped) std::cout << "  pruned " << count << ": " << reason << "\n";
    for (const auto& [reason, count] : refused)
      std::cout << "  refused by the compiler " << count << ": " << reason << "\n";
    EXPECT_GE(compiled, 20) << spec;
  }
}

TEST(Space, SameSeedSameSamples) {
  // Given two spaces of one task and one seed, when sampled and mutated, then the traces are the same.
  te::Task task = task_of("conv:1x64x56x56,64x64x3x3,pad=1");
  std::vector<std::string> runs[2];
  for (auto& run : runs) {
    Space space = space_of(task);
    Rng rng(42);
    Assignment a = space.sample(rng);
    for (int i = 0; i < 20; ++i) {
      a = space.mutate(a, rng);
      run.push_back(space.text(a));
    }
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(Space, RepairKeepsTheLimits) {
  // Given random assignments, when repaired, then threads fit the device and no axis wastes more than a third.
  te::Task task = task_of("matmul:100x49x64");
  Space space = space_of(task);
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    Assignment a = space.sample(rng);
    auto v = [&](const char* key) { return space.value(a, key, 1); };
    EXPECT_LE(v("rows.threads") * v("lanes.threads"), 256);
    int64_t row_tile = v("rows.threads") * v("rows"), lane_tile = v("lanes.threads") * v("lanes") * v("lanes.width");
    EXPECT_LE(static_cast<double>((100 + row_tile - 1) / row_tile * row_tile), 1.34 * 100) << space.text(a);
    EXPECT_LE(static_cast<double>((49 + lane_tile - 1) / lane_tile * lane_tile), 1.34 * 49) << space.text(a);
  }
}

TEST(Space, WhatIsRepairedStaysAsItIs) {
  // Given samples of the spaces of several tasks and targets, when they are repaired once more, then nothing changes: what a recording enumerates
  // (is_repaired) is all that a search can propose.
  for (const target::Target& target : {target::webgpu_default(), target::webgl_default(), target::wasm_default()})
    for (const char* spec : {"matmul:100x49x64", "matmul:8x32x2048", "conv:1x64x14x14,64x64x3x3,pad=1",
                             "conv:1x3x64x64,32x3x7x7,pad=3,stride=2", "conv:1x96x28x28,32x96x1x1"}) {
      const te::Task task = task_of(spec);
      auto space = Space::derive(task, target);
      ASSERT_TRUE(space.ok()) << spec;
      Rng rng(5);
      int unstable = 0;
      for (int i = 0; i < 1000; ++i) unstable += !space->is_repaired(space->sample(rng));
      EXPECT_EQ(unstable, 0) << spec << " on " << target::kind_name(target.kind);
    }
}

}  // namespace
}  // namespace hone::tuner
