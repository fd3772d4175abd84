// How the steps of a tile's reduction follow one another.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/graph/import.h"
#include "tuner/space/sampled_result.h"

namespace hone::tuner {
namespace {

constexpr int64_t kWorkgroup = static_cast<int64_t>(Staging::kWorkgroup);

bool loads_ahead(const schedule::Trace& t) {
  return std::any_of(t.steps.begin(), t.steps.end(),
                     [](const schedule::Step& s) { return s.primitive == schedule::Primitive::kDoubleBuffer; });
}

Space space_of(const te::Task& task, const target::Target& target = target::webgpu_default()) {
  auto space = Space::derive(task, target);
  CHECK(space.ok(), "a space");
  return *space;
}

Assignment repaired(const Space& space, const std::map<std::string, int64_t>& wanted) {
  Assignment a = space.assignment(wanted);
  space.repair(a);
  return a;
}

TEST(StepChoices, TilesAreLoadedAhead) {
  // Given products, windows and sums in parts, whose extents tiles divide and do not divide, when tiles have two buffers, then the next ones are
  // loaded while these are used, and every kernel is right.
  for (const char* spec : {"matmul:16x32x64", "matmul:13x20x37", "matmul:3x12x20x40", "matmul:8x12x256",
                           "conv:1x16x6x6,8x16x3x3,pad=1", "conv:1x18x5x5,8x18x1x1"})
    EXPECT_GE(right_with(*graph::task_from_spec(spec), target::webgpu_default(), "k.buffers", loads_ahead, 2),
              kSamples / 2)
        << spec;
}

TEST(StepChoices, OneBufferWhereNothingCanBeLoadedAhead) {
  // Given a choice of two buffers, when an operand is in workgroup memory for two tiles or more, then they stay; when none is, or there is one
  // tile of all steps, then there is one. Targets without workgroup memory have no such decision.
  const te::Task task = *graph::task_from_spec("matmul:64x64x32");
  const Space space = space_of(task);
  const auto buffers = [&space](int64_t operand, int64_t tile) {
    return space.value(repaired(space, {{"k.buffers", 2}, {"operand1", operand}, {"k.tile", tile}}), "k.buffers", 0);
  };
  EXPECT_EQ(buffers(kWorkgroup, 16), 2);
  EXPECT_EQ(buffers(kWorkgroup, 32), 1);
  EXPECT_EQ(buffers(1, 16), 1);
  for (const target::Target& target : {target::wasm_default(), target::webgl_default()})
    EXPECT_FALSE(has_decision(task, target, "k.buffers"));
}

TEST(StepChoices, TwoBuffersTakeTwiceTheMemory) {
  // Given tiles of 10 KB in workgroup memory of 16 KB, when they have two buffers, then the schedule is dropped for its memory.
  const te::Task task = *graph::task_from_spec("matmul:512x512x512");
  const Space space = space_of(task);
  std::map<std::string, int64_t> tile{
      {"rows.threads", 4}, {"rows", 4},    {"lanes.threads", 16},    {"lanes", 1},
      {"lanes.width", 4},  {"k.tile", 32}, {"operand0", kWorkgroup}, {"operand1", kWorkgroup}};
  EXPECT_TRUE(space.trace(repaired(space, tile)).ok());
  tile["k.buffers"] = 2;
  const auto twice = space.trace(repaired(space, tile));
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().message, "workgroup_bytes 20480 exceeds 16384");
}

TEST(StepChoices, WideSubgroupsAreFull) {
  // Given a large product, when it is asked where to begin on a device with subgroups of 32, then the first schedule's subgroups are full.
  const te::Task task = *graph::task_from_spec("matmul:512x512x512");
  target::Target wide = target::webgpu_default();
  wide.subgroup_size = 32;
  const Space space = space_of(task, wide);
  const schedule::Trace first = space.seeds()[0];
  const Choices choices = space.choices(*space.parse(first), 0);
  EXPECT_EQ(choices.row_threads * choices.lane_threads % 32, 0) << first.sketch;
}

bool pads(const schedule::Trace& t) {
  return std::any_of(t.steps.begin(), t.steps.end(),
                     [](const schedule::Step& s) { return s.primitive == schedule::Primitive::kPad; });
}

TEST(StepChoices, StagedRowsArePadded) {
  // Given products and windows whose tiles' rows are multiples of 32 words apart, when they are padded, alone or loaded ahead, then every kernel is
  // right.
  for (const auto& [spec, least] :
       {std::pair{"matmul:64x32x64", kSamples / 3}, {"matmul:61x20x37", kSamples / 3}, {"conv:1x16x16x16,8x16x1x1", 1}})
    EXPECT_GE(right_with(*graph::task_from_spec(spec), target::webgpu_default(), "k.pad", pads), least) << spec;
}

TEST(StepChoices, RowsArePaddedWhereThreadsWouldMeetABank) {
  // Given a product whose threads have 4 rows of a staged operand each, when 16 steps of k are staged, then they read 64 words apart, and padding
  // makes it 68; with 3 rows, which lie 48 apart, or with 8 rows read by vectors, where a vector more does not help, nothing is padded.
  // Given an operand in registers, or one that runs along the lanes, then there is nothing to pad.
  const te::Task task = *graph::task_from_spec("matmul:512x512x512");
  const Space space = space_of(task);
  std::map<std::string, int64_t> tile{{"rows.threads", 8}, {"rows", 4},  {"lanes.threads", 8},    {"lanes.width", 4},
                                      {"k.tile", 16},      {"k.pad", 1}, {"operand0", kWorkgroup}};
  const auto padding = [&space](const std::map<std::string, int64_t>& wanted) -> int64_t {
    const schedule::Trace trace = *space.trace(repaired(space, wanted));
    for (const schedule::Step& step : trace.steps)
      if (step.primitive == schedule::Primitive::kPad) return step.factors[0];
    return 0;
  };
  EXPECT_EQ(padding(tile), 1);
  tile["k.lanes"] = 4;
  EXPECT_EQ(padding(tile), 4);
  tile["rows"] = 8;
  EXPECT_EQ(padding(tile), 0);
  tile["rows"] = 3;
  EXPECT_EQ(padding(tile), 0);
  for (const auto& [first, second] : {std::pair<int64_t, int64_t>{1, 1}, {1, kWorkgroup}}) {
    tile["operand0"] = first;
    tile["operand1"] = second;
    EXPECT_EQ(space.value(repaired(space, tile), "k.pad", -1), 0);
  }
}

TEST(StepChoices, PaddingTakesMemory) {
  // Given tiles that fill the device's workgroup memory, when their rows are padded, then the schedule is dropped for its memory.
  const te::Task task = *graph::task_from_spec("matmul:512x512x512");
  const Space space = space_of(task);
  std::map<std::string, int64_t> tile{
      {"rows.threads", 16}, {"rows", 8},    {"lanes.threads", 16},    {"lanes", 2},
      {"lanes.width", 4},   {"k.tile", 16}, {"operand0", kWorkgroup}, {"operand1", kWorkgroup}};
  EXPECT_TRUE(space.trace(repaired(space, tile)).ok());
  tile["k.pad"] = 1;
  const auto more = space.trace(repaired(space, tile));
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().message, "workgroup_bytes 16896 exceeds 16384");
}

TEST(StepChoices, StepsAreUnrolled) {
  // Given products and windows whose steps copies divide and do not divide, when four steps are straight-line code on a device with threads, or
  // two on cores, then every kernel is right.
  for (const char* spec : {"matmul:16x32x64", "matmul:13x20x37", "matmul:8x12x256", "conv:1x9x6x6,8x9x3x3,pad=1"})
    for (const auto& [target, copies] :
         {std::pair<target::Target, int64_t>{target::webgpu_default(), 4}, {target::wasm_default(), 2}})
      EXPECT_GE(right_with(
                    *graph::task_from_spec(spec), target, "k.unroll", [](const auto&) { return true; }, copies),
                kSamples / 2)
          << spec;
}

TEST(StepChoices, StepsAreUnrolledWhereThereAreEnough) {
  // Given a product of 16 steps, when four copies are chosen, then they stay for one step at a time; of four steps at a time two copies stay, and of a
  // staged tile of four such steps none.
  const te::Task task = *graph::task_from_spec("matmul:64x64x16");
  const Space space = space_of(task);
  const auto copies = [&space](int64_t k_lanes, int64_t operand) {
    const Assignment a = repaired(space, {{"k.unroll", 4}, {"k.lanes", k_lanes}, {"k.tile", 4}, {"operand0", operand}});
    EXPECT_TRUE(space.trace(a).ok());
    return space.value(a, "k.unroll", 0);
  };
  EXPECT_EQ(copies(1, 1), 4);
  EXPECT_EQ(copies(4, 1), 2);
  EXPECT_EQ(copies(1, kWorkgroup), 4);
  EXPECT_EQ(copies(4, kWorkgroup), 1);
}

TEST(StepChoices, OlderTracesAreReadWithoutThem) {
  // Given the words of a trace from before a decision was, when they are read, then it has its usual value; a word that is unknown is refused.
  const te::Task task = *graph::task_from_spec("matmul:64x64x32");
  const Space space = space_of(task);
  const Assignment usual = repaired(space, {});
  schedule::Trace trace = *space.trace(usual);
  const std::string word = " k.buffers=1";
  trace.sketch.erase(trace.sketch.find(word), word.size());
  EXPECT_EQ(space.parse(trace), std::optional(usual));
  trace.sketch += " k.buffers=3";
  EXPECT_EQ(space.parse(trace), std::nullopt);
}

}  // namespace
}  // namespace hone::tuner
