#include "codegen/lower/reference_loops.h"

#include <gtest/gtest.h>

#include <cmath>

#include "codegen/ir/interpreter.h"
#include "codegen/ir/printer.h"
#include "codegen/ir/verify.h"
#include "codegen/te/builder.h"
#include "codegen/te/evaluate.h"
#include "codegen/te/ops/movement.h"

namespace hone::lower {
namespace {

using ir::DType;
using te::Axis;
using te::Builder;
using te::Sym;

te::Task task_of(Builder& builder) {
  te::Task task;
  task.program = builder.take();
  EXPECT_TRUE(te::verify_te(task.program).ok());
  return task;
}

// Interprets the reference loops and compares with the te evaluator, which shares no code with them.
void expect_like_evaluator(const te::Task& task) {
  auto kernel = reference_loops(task);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  Status verified = ir::verify(*kernel, ir::VerifyStage::kFlat);
  ASSERT_TRUE(verified.ok()) << verified.error().message << "\n" << print(*kernel);
  std::vector<ir::TensorValue> args;
  std::vector<std::vector<double>> inputs;
  for (size_t i = 0; i < kernel->args.size(); ++i) {
    const bool is_input = static_cast<int>(i) < kernel->input_count;
    args.push_back(is_input ? ir::uniform_tensor(kernel->args[i]->dtype, kernel->args[i]->shape, i)
                            : ir::make_tensor(kernel->args[i]->dtype, kernel->args[i]->shape));
    if (!is_input) continue;
    inputs.push_back(args[i].real);
    if (inputs.back().empty()) inputs.back().assign(args[i].whole.begin(), args[i].whole.end());
  }
  Status status = interpret(*kernel, args);
  ASSERT_TRUE(status.ok()) << status.error().message << "\n" << print(*kernel);
  const auto expected = te::evaluate(task.program, inputs);
  for (size_t o = 0; o < expected.size(); ++o) {
    const ir::TensorValue& found = args[static_cast<size_t>(kernel->input_count) + o];
    for (size_t i = 0; i < expected[o].size(); ++i) {
      const double value = ir::is_float(found.dtype) ? found.real[i] : static_cast<double>(found.whole[i]);
      ASSERT_NEAR(value, expected[o][i], 1e-6 * std::max(1.0, std::fabs(expected[o][i])))
          << "output " << o << " element " << i << "\n"
          << print(*kernel);
    }
  }
}

// A sliding window over the last axis with zero padding on both sides, then a bias and a clamp at zero.
te::Task padded_window() {
  Builder b;
  te::Tensor x = b.input("x", DType::kF32, {2, 3, 11}), w = b.input("w", DType::kF32, {4, 3, 5}),
             bias = b.input("bias", DType::kF32, {4});
  const std::vector<Axis> axes = b.axes({"n", "o", "p"}, {2, 4, 6}), over = b.axes({"c", "s"}, {3, 5});
  Sym at = b.sym(axes[2]) * 2 + b.sym(over[1]) - 2;
  Sym inside = both(0 <= at, at < 11);
  Sym read = select(inside, b.at(x, {b.sym(axes[0]), b.sym(over[0]), at}), b.constant(DType::kF32, 0));
  te::Tensor y =
      b.reduce("y", axes, over, te::Fold::kSum, read * b.at(w, {b.sym(axes[1]), b.sym(over[0]), b.sym(over[1])}));
  const std::vector<Axis> out = b.axes({"n", "o", "p"}, {2, 4, 6});
  const std::vector<Sym> i = b.syms(out);
  b.output(b.map("z", out, max(b.at(y, i) + b.at(bias, {i[1]}), 0)));
  return task_of(b);
}

// Given a padded sliding window with an epilogue, when lowered to the reference, then it agrees with the evaluator and the masked loads
// never leave the tensor.
TEST(ReferenceLoops, PaddedWindow) {
  const te::Task task = padded_window();
  expect_like_evaluator(task);
  const std::string text = print(*reference_loops(task));
  EXPECT_NE(text.find(" if "), std::string::npos) << text;
  EXPECT_NE(text.find("core"), std::string::npos) << text;
  EXPECT_NE(text.find("temp y: f64[48]"), std::string::npos) << text;
}

// Given maps with broadcasting, extents 0 and 1, integer and narrow types, when lowered, then they agree with the evaluator.
TEST(ReferenceLoops, Maps) {
  for (int64_t n : {0, 1, 5}) {
    Builder b;
    te::Tensor x = b.input("x", DType::kF32, {n, 3}), row = b.input("row", DType::kI32, {3});
    std::vector<Axis> axes = b.axes({"i", "j"}, {n, 3});
    Sym i = b.sym(axes[0]), j = b.sym(axes[1]);
    Sym value = call(ir::Intrinsic::kTanh, b.at(x, {i, j})) / 3 +
                cast(DType::kF32, b.at(row, {j}) % 4) * cast(DType::kF32, i + j * 2);
    b.output(b.map("y", axes, value));
    std::vector<Axis> flat = b.axes({"f"}, {n * 3});
    Sym f = b.sym(flat[0]);
    b.output(b.map("z", flat, cast(DType::kI32, b.at(x, {f / 3, f % 3}) * 10)));
    expect_like_evaluator(task_of(b));
  }
}

// Given a reduction over (value, index) pairs, when lowered, then both outputs agree with the evaluator.
TEST(ReferenceLoops, TupleReduction) {
  Builder b;
  te::Tensor x = b.input("x", DType::kF32, {4, 9});
  std::vector<Axis> axes = b.axes({"i"}, {4}), over = b.axes({"k"}, {9});
  ir::Arena& a = *b.program().arena;
  const ir::Type f{DType::kF32, 1}, n{DType::kI32, 1};
  ir::Var best = a.var("best", f), where = a.var("where", n), value = a.var("value", f), at = a.var("at", n);
  te::Combiner combiner;
  combiner.acc = {best, where};
  combiner.val = {value, at};
  combiner.identity = {a.constant(f, -3e38), a.integer(DType::kI32, -1)};
  combiner.combine = {a.select(a.lt(best, value), value, best), a.select(a.lt(best, value), at, where)};
  Sym load = b.at(x, {b.sym(axes[0]), b.sym(over[0])});
  for (te::Tensor t :
       b.reduce_tuple("top", axes, {over, combiner}, {load.expr, cast(DType::kI32, b.sym(over[0])).expr}, {}))
    b.output(t);
  expect_like_evaluator(task_of(b));
}

// Given positions at both ends of 32 bits, when elements are gathered and chosen by them, then they wrap once, stay inside, and no index
// overflows.
TEST(ReferenceLoops, ExtremePositions) {
  Builder b;
  const te::Tensor x = b.input("x", DType::kF32, {3}), at = b.input("at", DType::kI32, {4});
  b.output(*te::gather(b, x, at, 0));
  b.output(*te::gather_elements(b, x, at, 0));
  b.output(te::one_hot(b, at, {0, 2, DType::kF32, 1, 0}));
  auto kernel = reference_loops(task_of(b));
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  ir::TensorValue places = ir::make_tensor(DType::kI32, {4});
  places.whole = {INT32_MAX, INT32_MIN, -1, 1};
  std::vector<ir::TensorValue> args{ir::make_tensor({3}, {10, 20, 30}), places};
  for (size_t i = 2; i < 5; ++i) args.push_back(ir::make_tensor(kernel->args[i]->dtype, kernel->args[i]->shape));
  const Status status = interpret(*kernel, args);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(args[2].real, (std::vector<double>{30, 10, 30, 20}));
  EXPECT_EQ(args[3].real, args[2].real);
  EXPECT_EQ(args[4].real, (std::vector<double>{0, 0, 0, 0, 0, 0, 1, 1}));
}

}  // namespace
}  // namespace hone::lower
