// The property that the compiler stands on: whatever legal trace is applied to whatever operator, the result stays the definition's.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/rng.h"
#include "codegen/ir/printer.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/random_trace.h"
#include "codegen/schedule/schedule.h"
#include "tests/property/operators.h"

namespace hone {
namespace {

using Counts = std::map<std::string, int>;

target::Target device() {
  target::Target target = target::webgpu_default();
  target.subgroup_size = 4;
  return target;
}

// Draws a legal trace, lowers it with every pass verified and compares; counts the primitives of what was lowered.
void check_one(const te::Task& task, const Oracle& oracle, Rng& rng, Counts& counts) {
  const schedule::Trace trace = random_legal_trace(task, device(), rng, 8 + static_cast<int>(rng.below(16)));
  lower::PipelineOptions options;
  options.verify = true;
  auto kernel = lower::lower_kernel(task, trace, device(), options);
  if (!kernel.ok()) {  // only limits may refuse what the schedule accepted
    ASSERT_EQ(error_name(kernel.error().code), "limit_exceeded") << kernel.error().message << "\n"
                                                                 << trace_to_json(trace);
    return;
  }
  for (const schedule::Step& step : trace.steps) counts[std::string(schedule::primitive_name(step.primitive))]++;
  auto schedule = schedule::apply_trace(task, trace, device());
  for (const schedule::Stage& stage : (*schedule)->stages())
    if (const schedule::Loop* x = stage.joining()) counts[x->lanes && x->extent > 1 ? "lanes" : "join"]++;
  counts["traces"]++;
  ASSERT_EQ(difference(task, oracle, *kernel), "") << task.name << "\n"
                                                   << trace_to_json(trace) << "\n"
                                                   << ir::print(*kernel).substr(0, 5000);
}

// 500 lowered traces of one operator, as CI draws them; HONE_RANDOM_ROUNDS draws more, and others.
Counts check_operator(const std::vector<te::Task>& tasks) {
  const char* more = std::getenv("HONE_RANDOM_ROUNDS");
  const int wanted = more ? std::atoi(more) : 500;
  Rng rng(more ? static_cast<uint64_t>(wanted) : 11);
  std::vector<Oracle> oracles;
  for (const te::Task& task : tasks) oracles.emplace_back(task);
  Counts counts;
  for (int round = 0; counts["traces"] < wanted && !testing::Test::HasFatalFailure(); round++) {
    const size_t i = static_cast<size_t>(round) % tasks.size();
    check_one(tasks[i], oracles[i], rng, counts);
  }
  return counts;
}

std::string text_of(const Counts& counts) {
  std::string out;
  for (const auto& [name, count] : counts) out += "  " + name + " " + std::to_string(count);
  return out;
}

// Given 500 random legal traces of each operator, when lowered, then the interpreter's result is the definition's, and each primitive
// was used 50 times or more in all, and as often were parts of a reduction joined across threads and across lanes of subgroups.
TEST(RandomTraces, KeepTheResultOfEveryOperator) {
  Counts all;
  for (const auto& [name, tasks] : sample_operators()) {
    const Counts counts = check_operator(tasks);
    if (HasFatalFailure()) return;
    std::printf("%-24s%s\n", name.c_str(), text_of(counts).c_str());
    for (const auto& [primitive, count] : counts) all[primitive] += count;
  }
  std::printf("%-24s%s\n", "all", text_of(all).c_str());
  for (const char* primitive :
       {"split", "fuse", "reorder", "bind", "unroll", "vectorize", "inline", "compute_at", "cache_read", "cache_write",
        "scope", "layout", "pad", "double_buffer", "rfactor", "join", "lanes", "scatter", "scan"})
    EXPECT_GE(all[primitive], 50) << primitive;
}

}  // namespace
}  // namespace hone
