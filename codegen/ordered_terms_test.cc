// Reductions that take their terms in order: scatters and scans.
#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/ir/printer.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/terms.h"
#include "codegen/tuple_tasks.h"

namespace hone {
namespace {

using namespace schedule;
using te::Sym;

// Y[i, n] = the fold over r of X[r, n] where I[r, n or 0] % (rows + 2) − 1 == i: some terms lie before the rows, some behind them. Z = max(Y, −9): where nothing came to.
te::Task scattered_rows(int64_t rows, int64_t columns, int64_t terms, te::Fold fold, bool each_column) {
  te::Builder b;
  const te::Tensor x = b.input("X", kF32, {terms, columns}), index = b.input("I", ir::DType::kI32, {terms, each_column ? columns : 1});
  const te::Axis i = b.axis("m", rows), n = b.axis("n", columns), r = b.axis("r", terms);
  const Sym place = b.at(index, {b.sym(r), each_column ? b.sym(n) : b.index(0)}) % double(rows + 2) - 1.0;
  const Sym value = b.at(x, {b.sym(r), b.sym(n)}), counts = both(place == cast(ir::DType::kI32, b.sym(i)), b.sym(r) < double(terms - 1));
  const te::Tensor y = b.reduce("Y", {i, n}, {r}, fold, select(counts, value, value.number(fold_identity(fold, kF32))));
  const std::vector<te::Axis> axes = b.axes({"m", "n"}, {rows, columns});
  return finished_task(b, b.map("Z", axes, te::max(b.at(y, b.syms(axes)), -9.0)));
}

// Y[m, i, n] = the sum of X[m, r, n] over r ≤ i, or r < i.
te::Task running_sums(int64_t lines, int64_t length, int64_t columns, bool exclusive) {
  te::Builder b;
  const te::Tensor x = b.input("X", kF32, {lines, length, columns});
  const te::Axis m = b.axis("m", lines), i = b.axis("i", length), n = b.axis("n", columns), r = b.axis("r", length);
  const Sym value = b.at(x, {b.sym(m), b.sym(r), b.sym(n)}), counts = exclusive ? b.sym(r) < b.sym(i) : b.sym(r) <= b.sym(i);
  return finished_task(b, b.reduce("Y", {m, i, n}, {r}, te::Fold::kSum, select(both(counts, b.sym(r) < double(length - 1)), value, value.number(0)), [](Sym sum) { return sum * 2.0; }));
}

void expect_kept(const te::Task& task, const Trace& trace, const target::Target& target) {
  const Oracle oracle(task);
  lower::PipelineOptions options;
  options.verify = true;
  options.observe = [&](std::string_view pass, const ir::Kernel& kernel) {
    if (pass != "build_loops" && pass != "reduce_index_strength") return;
    ASSERT_EQ(difference(task, oracle, kernel), "") << pass << "\n" << ir::print(kernel);
  };
  const auto kernel = lower::lower_kernel(task, trace, target, options);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message << "\n" << trace_to_json(trace);
  const auto again = trace_from_json(trace_to_json(trace));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, trace);
  EXPECT_TRUE(compile_kernel(task, trace, target).ok());
}

std::string refusal(const te::Task& task, std::vector<Step> steps, const target::Target& target = target::wasm_default()) {
  const auto applied = apply_trace(task, {.steps = std::move(steps)}, target);
  return applied.ok() ? "accepted" : applied.error().message;
}

// Given rows that terms are added to, or where they are the largest, when each term is put where it goes, on cores with vectors and on a GPU with a thread for each column, then the
// result is the definition's, and the loop over the rows runs where they are begun alone.
TEST(OrderedTerms, Scatter) {
  for (const te::Fold fold : {te::Fold::kSum, te::Fold::kMax, te::Fold::kProduct})
    for (const bool each_column : {false, true}) {
      const te::Task task = scattered_rows(7, 10, 6, fold, each_column);
      expect_kept(task, {.steps = {scatter("Y")}}, target::wasm_default());
      expect_kept(task, {.steps = {scatter("Y"), split("Y", "n", {2, 4}), schedule::bind("Y", "n.0", "core"), reorder("Y", {"r", "n.1", "m", "n.2"}), vectorize("Y", "n.2"), unroll("Y", "n.1")}}, target::wasm_default());
      expect_kept(task, {.steps = {scatter("Y"), split("Y", "n", {4}), schedule::bind("Y", "n.0", "block.x"), schedule::bind("Y", "n.1", "thread.x"), split("Y", "r", {4})}}, target::webgpu_default());
    }
  const auto kernel = lower::lower_kernel(scattered_rows(1000, 1, 6, te::Fold::kSum, false), {.steps = {scatter("Y")}}, target::wasm_default(), {});
  ASSERT_TRUE(kernel.ok());
  const std::string text = ir::print(kernel->launches[0].body);
  EXPECT_EQ(text.find("for m"), text.rfind("for m")) << text;
  EXPECT_LT(text.find("for m"), text.find("for r")) << text;
}

// Given places of 8 bits and rows that only more bits tell apart, so that a term goes to several rows, when it is to be scattered, then it is refused; fewer rows are scattered.
TEST(OrderedTerms, ATypeThatWrapsFindsNoElement) {
  const auto task = [](int64_t rows) {
    te::Builder b;
    const te::Tensor x = b.input("X", kF32, {6}), place = b.input("I", ir::DType::kU8, {6});
    const te::Axis i = b.axis("m", rows), r = b.axis("r", 6);
    const Sym index = b.at(place, {b.sym(r)}), value = b.at(x, {b.sym(r)});
    return finished_task(b, b.reduce("Y", {i}, {r}, te::Fold::kSum, select(index == cast(ir::DType::kU8, b.sym(i)), value, value.number(0))));
  };
  EXPECT_NE(refusal(task(300), {scatter("Y")}).find("no terms that go to one element"), std::string::npos);
  expect_kept(task(255), {.steps = {scatter("Y")}}, target::wasm_default());
}

// Given lines along which sums run, with each element's own term and without, when one loop makes all sums of a line, then the results are the definition's.
TEST(OrderedTerms, Scan) {
  for (const bool exclusive : {false, true}) {
    const te::Task task = running_sums(3, 9, 10, exclusive);
    expect_kept(task, {.steps = {scan("Y")}}, target::wasm_default());
    expect_kept(task, {.steps = {scan("Y"), split("Y", "n", {4}), reorder("Y", {"m", "n.0", "r", "n.1"}), fuse("Y", {"m", "n.0"}, "cores"), schedule::bind("Y", "cores", "core"), vectorize("Y", "n.1")}}, target::wasm_default());
    expect_kept(task, {.steps = {scan("Y"), reorder("Y", {"m", "n", "r"}), fuse("Y", {"m", "n"}, "z"), split("Y", "z", {8}), schedule::bind("Y", "z.0", "block.x"), schedule::bind("Y", "z.1", "thread.x"), split("Y", "r", {4}), unroll("Y", "r.1")}}, target::webgpu_default());
  }
}

// Given what has no such terms, or was scheduled already, or steps that would change the order of a scan, when they are applied, then they are refused.
TEST(OrderedTerms, RefusesWhatHasAnotherOrder) {
  const te::Task rows = scattered_rows(7, 10, 6, te::Fold::kSum, true), sums = running_sums(3, 9, 10, false);
  EXPECT_NE(refusal(sums, {scatter("Y")}).find("no terms that go to one element"), std::string::npos);
  EXPECT_NE(refusal(rows, {scan("Y")}).find("no terms up to each element's own"), std::string::npos);
  EXPECT_NE(refusal(rows, {split("Y", "r", {2}), scatter("Y")}).find("has been scheduled already"), std::string::npos);
  EXPECT_NE(refusal(rows, {scatter("Y")}, target::webgl_default()).find("a fragment writes its own element alone"), std::string::npos);
  EXPECT_NE(refusal(rows, {scatter("Y"), split("Y", "m", {2})}).find("stays as it is"), std::string::npos);
  EXPECT_NE(refusal(rows, {scatter("Y"), cache_write("Y", "register")}).find("only its loops may change"), std::string::npos);
  EXPECT_NE(refusal(rows, {scatter("Y"), cache_read("X", "Y", "register", "X.r")}).find("only its loops may change"), std::string::npos);
  EXPECT_NE(refusal(rows, {scatter("Y"), schedule::bind("Y", "r", "thread.x")}, target::webgpu_default()).find("one after the other"), std::string::npos);
  EXPECT_NE(refusal(sums, {scan("Y"), split("Y", "r", {3}), reorder("Y", {"r.1", "r.0"})}).find("not reassociable"), std::string::npos);
  EXPECT_NE(refusal(rows, {scatter("Y"), reorder("Y", {"m", "r"})}).find("stands inside the reduce loops"), std::string::npos);
  EXPECT_NE(refusal(sums, {scan("Y"), split("Y", "r", {3}), reorder("Y", {"r.1", "n"})}), "accepted");
}

}  // namespace
}  // namespace hone
