// Reductions in parts: slices that a second launch joins, parts of threads and of lanes, tuples, and several reductions in one launch.
#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/ir/mutator.h"
#include "codegen/ir/printer.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/ops/normalization.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/tuple_tasks.h"

namespace hone {
namespace {

using namespace schedule;

te::Task product(const std::string& extents) {
  auto task = graph::task_from_spec("matmul:" + extents);
  CHECK(task.ok(), extents);
  return std::move(*task);
}

// Y[i] = sum[j] X[i, j]
te::Task row_sum(int64_t rows, int64_t columns) {
  te::Builder b;
  te::Tensor x = b.input("X", kF32, {rows, columns});
  te::Axis i = b.axis("m", rows), j = b.axis("rn", columns);
  te::Tensor y = b.reduce("Y", {i}, {j}, te::Fold::kSum, b.at(x, {b.sym(i), b.sym(j)}));
  return finished_task(b, y);
}

te::Task soft_choice(int64_t rows, int64_t columns) {
  te::Builder b;
  te::Tensor x = b.input("X", kF32, {rows, columns});
  return finished_task(b, *te::softmax(b, x, {1}, false));
}

te::Task standardized(int64_t rows, int64_t columns) {
  te::Builder b;
  te::Tensor x = b.input("X", kF32, {rows, columns}), scale = b.input("S", kF32, {columns});
  return finished_task(b, te::standardize(b, x, {.axes = {1}, .scale = scale})->y);
}

target::Target with_subgroups(int64_t size) {
  target::Target target = target::webgpu_default();
  target.subgroup_size = size;
  return target;
}

// Lowers with each pass verified; what the interpreter makes of it is the definition's after the first pass and the last.
void expect_kept(const te::Task& task, const Trace& trace, size_t launches,
                 const target::Target& target = target::webgpu_default()) {
  Oracle oracle(task);
  lower::PipelineOptions options;
  options.verify = true;
  options.observe = [&](std::string_view pass, const ir::Kernel& kernel) {
    if (pass != "build_loops" && pass != "reduce_index_strength") return;
    ASSERT_EQ(difference(task, oracle, kernel), "") << pass << "\n"
                                                    << trace_to_json(trace) << "\n"
                                                    << ir::print(kernel).substr(0, 8000);
  };
  auto kernel = lower::lower_kernel(task, trace, target, options);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message << "\n" << trace_to_json(trace);
  EXPECT_EQ(kernel->launches.size(), launches);
  auto again = trace_from_json(trace_to_json(trace));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, trace);
  EXPECT_TRUE(compile_kernel(task, trace, target).ok());
}

// Slices of k in a launch of their own, a register tile each; the second launch joins them.
Trace sliced_product(int64_t slice) {
  Trace t;
  t.steps = {split("C", "k", {slice}),
             rfactor("C", "k.0"),
             cache_write("C.rf", "register"),
             split("C.rf", "m", {2, 2}),
             split("C.rf", "n", {2, 4}),
             reorder("C.rf", {"k.0", "m.0", "n.0", "m.1", "n.1", "m.2", "n.2"}),
             schedule::bind("C.rf", "k.0", "block.z"),
             schedule::bind("C.rf", "m.0", "block.y"),
             schedule::bind("C.rf", "n.0", "block.x"),
             schedule::bind("C.rf", "m.1", "thread.y"),
             schedule::bind("C.rf", "n.1", "thread.x"),
             compute_at("C.rf.acc", "C.rf", "n.1"),
             reorder("C.rf.acc", {"k.1", "m", "n"}),
             vectorize("C.rf.acc", "n"),
             unroll("C.rf.acc", "m"),
             vectorize("C.rf", "n.2"),
             unroll("C.rf", "m.2"),
             fuse("C", {"m", "n"}, "p"),
             split("C", "p", {16}),
             schedule::bind("C", "p.0", "block.x"),
             schedule::bind("C", "p.1", "thread.x"),
             unroll("C", "k.0")};
  return t;
}

TEST(Rfactor, SlicesInALaunchOfTheirOwn) {
  // Given products whose k the slice does and does not divide, when slices are summed by a second launch, then the product is kept.
  for (const char* extents : {"8x16x32", "6x10x30", "5x8x7", "1x4x9"}) {
    SCOPED_TRACE(extents);
    expect_kept(product(extents), sliced_product(8), 2);
  }
}

// Each row by `threads` threads with vectors of 4 along it; the reduction named `r` of axis `j`, under loop `at` of stage `c`.
void join_row(Trace& t, const std::string& r, const std::string& j, int64_t threads, const std::string& c,
              const std::string& at, bool tree) {
  const std::string x = j + ".1", parts = r + ".rf", lanes = r + ".rf.rf";
  t.steps.insert(t.steps.end(),
                 {split(r, j, {threads, 4}), rfactor(r, x), rfactor(parts, j + ".2"), set_scope(r, "register")});
  if (!tree) t.steps.push_back(set_scope(parts, "workgroup"));
  t.steps.push_back(compute_at(r, c, at));
  if (tree) t.steps.push_back(schedule::bind(r, x, "thread.x"));
  t.steps.push_back(compute_at(parts, r, tree ? x : "m"));
  if (!tree) t.steps.push_back(schedule::bind(parts, x, "thread"));
  t.steps.insert(t.steps.end(), {compute_at(lanes, parts, x), reorder(lanes, {j + ".0", j + ".2"}),
                                 vectorize(lanes, j + ".2"), unroll(parts, j + ".2")});
}

// A row per workgroup, or per line of threads: one launch.
Trace row_launch(const std::string& root, const std::vector<std::pair<std::string, std::string>>& reductions,
                 const std::string& line, int64_t threads, int64_t rows, bool tree) {
  Trace t;
  if (reductions[0].first == "Y.acc") t.steps.push_back(cache_write("Y", "register"));
  t.steps.push_back(split(root, "m", {rows}));
  std::vector<std::string> order{"m.0", "m.1"};
  if (!line.empty()) {
    t.steps.push_back(split(root, line, {threads, 4}));
    order.insert(order.end(), {line + ".1", line + ".0", line + ".2"});
    t.steps.push_back(reorder(root, order));
  }
  t.steps.insert(t.steps.end(), {schedule::bind(root, "m.0", "block.x"), schedule::bind(root, "m.1", "thread.y")});
  if (!line.empty())
    t.steps.insert(t.steps.end(), {schedule::bind(root, line + ".1", "thread.x"), vectorize(root, line + ".2")});
  for (const auto& [r, j] : reductions) join_row(t, r, j, threads, root, "m.1", tree);
  return t;
}

TEST(Rfactor, ThreadsJoinARow) {
  // Given rows of lengths that 8 threads of 4 lanes do and do not divide, when their parts are joined in a tree, then the sum is kept.
  for (int64_t columns : {64, 96, 50, 7, 1}) {
    SCOPED_TRACE(columns);
    expect_kept(row_sum(5, columns), row_launch("Y", {{"Y.acc", "rn"}}, "", 8, 2, true), 1);
  }
  // So for numbers of threads that are no power of two.
  expect_kept(row_sum(3, 120), row_launch("Y", {{"Y.acc", "rn"}}, "", 5, 1, true), 1);
}

TEST(Rfactor, ARootJoinsItself) {
  // Given a sum whose stage has no other place, when its parts are bound to threads, then the first thread writes the result.
  Trace t;
  t.steps = {split("Y", "rn", {16}), rfactor("Y", "rn.1"), schedule::bind("Y", "m", "block.x"),
             schedule::bind("Y", "rn.1", "thread"), compute_at("Y.rf", "Y", "rn.1")};
  expect_kept(row_sum(3, 100), t, 1);
}

TEST(Rfactor, TuplesKeepTheirMeaning) {
  // Given reductions over pairs and triples, when cut into lanes, threads and slices, then every component is joined as the combiner says.
  for (int64_t columns : {96, 50, 5}) {
    SCOPED_TRACE(columns);
    for (const te::Task& task : {variance_task(3, columns), log_sum_exp_task(3, columns)}) {
      expect_kept(task, row_launch("Y", {{"Y.acc", "rn"}}, "", 4, 1, true), 1);
      Trace sliced;
      sliced.steps = {split("Y", "rn", {16}), rfactor("Y", "rn.0"), schedule::bind("Y.rf", "rn.0", "block.y"),
                      schedule::bind("Y.rf", "m", "block.x"), schedule::bind("Y", "m", "block.x")};
      expect_kept(task, sliced, 2);
    }
  }
}

TEST(Rfactor, ReductionsOfARowShareALaunch) {
  // Given reductions that read one another and a map behind them, when all are computed at the row's loop, in trees or from workgroup memory,
  // then it is one launch and the result is kept.
  for (int64_t columns : {64, 50, 33})
    for (bool tree : {true, false}) {
      SCOPED_TRACE(cat(columns, tree ? " tree" : " flat"));
      Trace soft = row_launch("Y", {{"sum", "rn"}, {"max", "rn"}}, "n", 8, tree ? 2 : 1, tree);
      soft.steps.insert(soft.steps.begin(), schedule::inline_stage("exp"));
      expect_kept(soft_choice(5, columns), soft, 1);
      expect_kept(standardized(3, columns), row_launch("norm", {{"variance", "rn"}, {"mean", "rn"}}, "n", 4, 1, tree),
                  1);
    }
}

// The same with lanes of subgroups in the place of the tree.
Trace by_lanes(Trace tree) {
  for (Step& step : tree.steps)
    if (step.primitive == Primitive::kBind && step.option == "thread.x" && step.names[0].starts_with("rn"))
      step.option = "lane";
  return tree;
}

int barriers(const te::Task& task, const Trace& trace, const target::Target& target) {
  auto kernel = lower::lower_kernel(task, trace, target);
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  int count = 0;
  if (kernel.ok())
    ir::for_each_stmt(kernel->launches[0].body, [&](ir::Stmt s) { count += s->kind == ir::StmtKind::kBarrier; });
  return count;
}

TEST(Rfactor, LanesOfSubgroupsJoinARow) {
  // Given rows of sums, tuples and chains of reductions, when 8 threads a row join by exchanging their parts in subgroups of fewer, as many and more
  // threads, then the result is kept; where a row's threads lie in one subgroup there is no barrier, else one a level.
  const std::vector<std::pair<int64_t, int>> sizes{{2, 2}, {4, 1}, {8, 0}, {32, 0}};
  for (auto [size, levels] : sizes) {
    SCOPED_TRACE(size);
    const target::Target target = with_subgroups(size);
    const Trace sum = by_lanes(row_launch("Y", {{"Y.acc", "rn"}}, "", 8, 2, true));
    for (int64_t columns : {64, 50, 1}) expect_kept(row_sum(5, columns), sum, 1, target);
    EXPECT_EQ(barriers(row_sum(5, 64), sum, target), levels);
    expect_kept(variance_task(3, 50), by_lanes(row_launch("Y", {{"Y.acc", "rn"}}, "", 8, 1, true)), 1, target);
    Trace soft = by_lanes(row_launch("Y", {{"sum", "rn"}, {"max", "rn"}}, "n", 8, 2, true));
    soft.steps.insert(soft.steps.begin(), schedule::inline_stage("exp"));
    expect_kept(soft_choice(5, 50), soft, 1, target);
  }
  // A stage that has no other place.
  Trace root;
  root.steps = {split("Y", "rn", {16}), rfactor("Y", "rn.1"), schedule::bind("Y", "m", "block.x"),
                schedule::bind("Y", "rn.1", "lane"), compute_at("Y.rf", "Y", "rn.1")};
  expect_kept(row_sum(3, 100), root, 1, with_subgroups(4));
}

std::string refusal(const te::Task& task, const std::vector<Step>& steps, int64_t subgroup = 0) {
  Trace trace;
  trace.steps = steps;
  auto kernel = lower::lower_kernel(task, trace, with_subgroups(subgroup));
  return kernel.ok() ? "" : kernel.error().message;
}

void expect_refused(const te::Task& task, const std::vector<Step>& steps, const std::string& reason,
                    int64_t subgroup = 0) {
  EXPECT_NE(refusal(task, steps, subgroup).find(reason), std::string::npos) << refusal(task, steps, subgroup);
}

TEST(Rfactor, RefusesLanesThatDoNotFit) {
  // Given lanes without subgroups, of a number that is no power of 2, of no reduction, or fewer than the workgroup's threads along x, when bound, then
  // the refusal says why; the control case passes.
  const te::Task sum = row_sum(8, 64);
  const auto joined = [](int64_t lanes) {
    return std::vector<Step>{split("Y", "rn", {lanes}), rfactor("Y", "rn.1"), schedule::bind("Y", "rn.1", "lane")};
  };
  EXPECT_EQ(refusal(sum, joined(8), 4), "");
  expect_refused(sum, joined(8), "has no place 'lane'");
  expect_refused(sum, joined(6), "is not a power of 2", 4);
  expect_refused(sum, {schedule::bind("Y", "m", "lane")}, "is neither a reduction nor", 4);
  Trace soft = row_launch("Y", {{"sum", "rn"}, {"max", "rn"}}, "n", 8, 1, true);
  soft.steps.insert(soft.steps.begin(), schedule::inline_stage("exp"));
  soft = by_lanes(soft);
  for (Step& step : soft.steps)
    if (step.primitive == Primitive::kSplit && step.names == std::vector<std::string>{"n"}) step.factors[0] = 16;
  expect_refused(soft_choice(4, 128), soft.steps, "but thread.x has 16 threads", 4);
}

TEST(Rfactor, RefusesWhatWouldBeWrong) {
  // Given steps that would lose parts or let threads miss a barrier, when applied, then the refusal says why; the control case passes.
  const te::Task sum = row_sum(8, 64);
  EXPECT_EQ(refusal(sum, {split("Y", "rn", {8}), rfactor("Y", "rn.0")}), "");
  expect_refused(sum, {rfactor("Y", "rn")}, "split it first");
  expect_refused(sum, {rfactor("Y", "m")}, "is not a reduction");
  expect_refused(sum, {split("Y", "m", {2}), split("Y", "rn", {8}), rfactor("Y", "rn.0")}, "scheduled already");
  expect_refused(sum, {split("Y", "rn", {8}), schedule::bind("Y", "rn.1", "thread.x")}, "reduces over more than");
  expect_refused(sum, {schedule::bind("Y", "rn", "block.x")}, "rfactor it before binding");
  EXPECT_EQ(refusal(sum, {schedule::bind("Y", "rn", "thread.x")}), "");
  // The threads that join a row are taken by the rows.
  expect_refused(sum,
                 {cache_write("Y", "register"), schedule::bind("Y", "m", "thread.x"), compute_at("Y.acc", "Y", "m"),
                  schedule::bind("Y.acc", "rn", "thread.x")},
                 "has taken");
  // Threads along y would all join the same row.
  expect_refused(sum,
                 {cache_write("Y", "register"), split("Y", "m", {2}), schedule::bind("Y", "m.1", "thread.y"),
                  compute_at("Y.acc", "Y", "m.0"), schedule::bind("Y.acc", "rn", "thread.x")},
                 "once by each thread along thread.y");
  expect_refused(soft_choice(4, 8),
                 {schedule::inline_stage("exp"), set_scope("max", "register"), compute_at("max", "Y", "m")},
                 "stage 'sum' reads 'max' outside of loop 'm'");
}

}  // namespace
}  // namespace hone
