#include <gtest/gtest.h>

#include <cmath>

#include "base/cat.h"
#include "codegen/te/builder.h"
#include "codegen/te/evaluate.h"
#include "codegen/te/narrow.h"
#include "codegen/te/task.h"

namespace hone::te {
namespace {

// Y[i] = Σ k X[i + k] · W[k], with names of the caller's choice.
Program correlation(int64_t length, int64_t taps, const std::string& suffix = "") {
  Builder b;
  const Tensor x = b.input("X" + suffix, DType::kF32, {length + taps - 1}), w = b.input("W" + suffix, DType::kF32, {taps});
  const Axis i = b.axis("i" + suffix, length), k = b.axis("k" + suffix, taps);
  const Sym left = b.at(x, {b.sym(i) + b.sym(k)}), right = b.at(w, {b.sym(k)});
  b.output(b.reduce("Y" + suffix, {i}, {k}, Fold::kSum, left * right));
  return b.take();
}

Task task_of(Program program) {
  Task task;
  task.program = std::move(program);
  for (size_t i = 0; i < task.program.inputs.size(); i++) task.args.push_back({Role::kActivation, {}});
  for (size_t i = 0; i < task.program.outputs.size(); i++) task.args.push_back({Role::kOutput, {}});
  finish_task(task);
  return task;
}

// Given a sum that would take days, when it is evaluated under a token that is cancelled, then it ends at once; a short one says what it costs.
TEST(Evaluate, HearsACancel) {
  Builder b;
  const Axis i = b.axis("i", 2), k = b.axis("k", int64_t{1} << 40);
  b.output(b.reduce("Y", {i}, {k}, Fold::kSum, cast(DType::kF32, b.sym(k))));
  CancelToken token;
  token.cancel();
  const auto result = evaluate(b.program(), {}, &token);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  EXPECT_GT(evaluation_cost(b.program()).nodes, 0x1p41);
  EXPECT_EQ(evaluation_cost(correlation(3, 2)).elements, 4 + 2 + 3);
  CancelToken fresh;
  EXPECT_TRUE(evaluate(correlation(3, 2), {{1, 2, 3, 4}, {10, 1}}, &fresh).ok());
}

// Given a correlation, when it is evaluated, then the numbers are those computed by hand.
TEST(Evaluate, Correlation) {
  const auto y = evaluate(correlation(3, 2), {{1, 2, 3, 4}, {10, 1}});
  EXPECT_EQ(y[0], (std::vector<double>{12, 23, 34}));
}

// Given extents of 0, when they are evaluated, then an empty domain gives nothing and an empty reduction its identity.
TEST(Evaluate, ExtentZero) {
  Builder b;
  const Tensor x = b.input("X", DType::kF32, {2, 0});
  const Axis i = b.axis("i", 2), k = b.axis("k", 0), none = b.axis("z", 0);
  const Tensor sums = b.reduce("S", {i}, {k}, Fold::kSum, b.at(x, {b.sym(i), b.sym(k)}));
  const Tensor products = b.reduce("P", {i}, {k}, Fold::kProduct, b.at(x, {b.sym(i), b.sym(k)}));
  const Tensor empty = b.map("E", {none}, b.constant(DType::kF32, 3));
  for (Tensor t : {sums, products, empty}) b.output(t);
  ASSERT_TRUE(verify_te(b.program()).ok());
  const auto out = evaluate(b.program(), {{}});
  EXPECT_EQ(out[0], (std::vector<double>{0, 0}));
  EXPECT_EQ(out[1], (std::vector<double>{1, 1}));
  EXPECT_TRUE(out[2].empty());
}

// Given a reduction over pairs, when it is evaluated, then both components are joined together (the place of the largest element).
TEST(Evaluate, TupleReduction) {
  Builder b;
  ir::Arena& a = *b.program().arena;
  const Tensor x = b.input("X", DType::kF32, {5});
  const Axis k = b.axis("k", 5);
  Combiner c;
  c.acc = {a.var("best", {DType::kF32, 1}), a.var("at", {DType::kI32, 1})};
  c.val = {a.var("v", {DType::kF32, 1}), a.var("i", {DType::kI32, 1})};
  c.identity = {a.constant({DType::kF32, 1}, -1e30), a.integer(DType::kI32, -1)};
  const Expr wins = a.lt(c.acc[0], c.val[0]);
  c.combine = {a.select(wins, c.val[0], c.acc[0]), a.select(wins, c.val[1], c.acc[1])};
  const auto out = b.reduce_tuple("M", {}, {{k}, c}, {b.at(x, {b.sym(k)}).expr, a.cast({DType::kI32, 1}, k.var)}, {});
  for (Tensor t : out) b.output(t);
  ASSERT_TRUE(verify_te(b.program()).ok());
  const auto y = evaluate(b.program(), {{3, 9, -1, 9, 2}});
  EXPECT_EQ(y[0], (std::vector<double>{9}));
  EXPECT_EQ(y[1], (std::vector<double>{1}));
}

// Given integer types, when they are evaluated, then they wrap, and division rounds down.
TEST(Evaluate, Integers) {
  Builder b;
  const Tensor x = b.input("X", DType::kI8, {4});
  const Axis i = b.axis("i", 4);
  const Sym v = b.at(x, {b.sym(i)});
  b.output(b.map("sum", {i}, v + 100.0));
  b.output(b.map("quotient", {i}, v / 3.0));
  b.output(b.map("rest", {i}, v % 3.0));
  b.output(b.map("square", {i}, cast(DType::kU32, v) * cast(DType::kU32, v)));
  b.output(b.map("float", {i}, cast(DType::kU8, cast(DType::kF32, v) * 0.75)));
  const auto out = evaluate(b.program(), {{100, -7, 7, -128}});
  EXPECT_EQ(out[0], (std::vector<double>{-56, 93, 107, -28}));
  EXPECT_EQ(out[1], (std::vector<double>{33, -3, 2, -43}));
  EXPECT_EQ(out[2], (std::vector<double>{1, 2, 1, 1}));
  EXPECT_EQ(out[3], (std::vector<double>{10000, 49, 49, 16384}));  // of low bits beyond 2^53
  EXPECT_EQ(out[4], (std::vector<double>{75, 0, 5, 0}));
}

// Given a load that leaves its tensor, when the program is verified, then it is refused by name; with a select that proves it, accepted.
TEST(Verify, LoadsStayInBounds) {
  Builder b;
  const Tensor x = b.input("X", DType::kF32, {8});
  const Axis i = b.axis("i", 9);
  b.output(b.map("Y", {i}, b.at(x, {b.sym(i)})));
  const Status status = verify_te(b.program());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(status.error().message.find("compute Y reads X[i]"), std::string::npos) << status.error().message;

  Builder guarded;
  const Tensor z = guarded.input("X", DType::kF32, {8});
  const Axis j = guarded.axis("i", 9);
  const Sym at = guarded.sym(j);
  guarded.output(guarded.map("Y", {j}, select(at < 8.0, guarded.at(z, {at}), guarded.constant(DType::kF32, 0))));
  EXPECT_TRUE(verify_te(guarded.program()).ok());
}

// Given the load in the wrong arm, behind a negation, or under a condition that says too little, when verified, then only proofs count.
TEST(Verify, ConditionsAreProofs) {
  const auto accepted = [](const std::function<Sym(Builder&, Tensor, Sym)>& body) {
    Builder b;
    const Tensor x = b.input("X", DType::kF32, {8});
    const Axis i = b.axis("i", 20);
    b.output(b.map("Y", {i}, body(b, x, b.sym(i))));
    return verify_te(b.program()).ok();
  };
  const auto zero = [](Builder& b) { return b.constant(DType::kF32, 0); };
  EXPECT_FALSE(accepted([&](Builder& b, Tensor x, Sym i) { return select(i < 8.0, zero(b), b.at(x, {i})); }));
  EXPECT_TRUE(accepted([&](Builder& b, Tensor x, Sym i) { return select(negated(i < 8.0), zero(b), b.at(x, {i})); }));
  EXPECT_TRUE(accepted([&](Builder& b, Tensor x, Sym i) { return select(8.0 <= i, zero(b), b.at(x, {i})); }));
  EXPECT_FALSE(accepted([&](Builder& b, Tensor x, Sym i) { return select(i < 9.0, b.at(x, {i}), zero(b)); }));
  EXPECT_TRUE(accepted([&](Builder& b, Tensor x, Sym i) { return select(both(3.0 <= i, i < 11.0), b.at(x, {i - 3.0}), zero(b)); }));
  EXPECT_FALSE(accepted([&](Builder& b, Tensor x, Sym i) { return select(both(2.0 <= i, i < 11.0), b.at(x, {i - 3.0}), zero(b)); }));
  EXPECT_FALSE(accepted([&](Builder& b, Tensor x, Sym i) { return select(either(i < 8.0, i < 9.0), b.at(x, {i}), zero(b)); }));
  EXPECT_TRUE(accepted([&](Builder& b, Tensor x, Sym i) { return b.at(x, {i / 3.0}); }));
  EXPECT_TRUE(accepted([&](Builder& b, Tensor x, Sym i) { return b.at(x, {min(i, 7.0)}); }));
}

// Given programs that break one rule each, when they are verified, then each is refused; the unbroken one is accepted.
TEST(Verify, Structure) {
  const auto message = [](const std::function<void(Program&)>& harm) {
    Program p = correlation(3, 2);
    harm(p);
    const Status status = verify_te(p);
    return status.ok() ? std::string("accepted") : status.error().message;
  };
  EXPECT_EQ(message([](Program&) {}), "accepted");
  EXPECT_NE(message([](Program& p) { p.computes.push_back(p.computes[0]); }).find("name that is taken"), std::string::npos);
  EXPECT_NE(message([](Program& p) { p.inputs.pop_back(); }).find("neither an input"), std::string::npos);
  EXPECT_NE(message([](Program& p) { p.computes[0].axes[0].extent = 4; }).find("another shape"), std::string::npos);
  EXPECT_NE(message([](Program& p) { p.computes[0].reduce->axes[0].name = "i"; }).find("two axes called i"), std::string::npos);
  EXPECT_NE(message([](Program& p) { p.computes[0].reduce->axes.clear(); }).find("no axis of it"), std::string::npos);
  EXPECT_NE(message([](Program& p) { p.computes[0].reduce->combiner.identity.clear(); }).find("combiner"), std::string::npos);
  EXPECT_NE(message([](Program& p) { p.computes.clear(); }).find("never written"), std::string::npos);
}

// Given the same definition under other names, when the tasks are finished, then they have one id; other extents have another.
TEST(Task, IdIgnoresNames) {
  const Task a = task_of(correlation(8, 3)), b = task_of(correlation(8, 3, "_other")), c = task_of(correlation(8, 4));
  EXPECT_EQ(a.id.hex(), b.id.hex());
  EXPECT_NE(a.id.hex(), c.id.hex());
  EXPECT_EQ(canonical_text(a), canonical_text(b));
  EXPECT_EQ(a.flops, 2.0 * 8 * 3);
  EXPECT_EQ(a.accuracy.reduction_length, 3);
  EXPECT_DOUBLE_EQ(a.accuracy.tolerance(), 1e-5 + 1e-6 * std::sqrt(3.0));
}

// Given an index that is found in 60 steps, each of which reads the one before three times, when its task is finished, then its text is short, and says where one of the steps differs.
TEST(Task, SharedIndicesAreWrittenOnce) {
  const auto found = [](int other_step) {
    Builder b;
    const Tensor x = b.input("x", ir::DType::kF32, {8});
    const std::vector<Axis> axes = b.axes({"i"}, {8});
    Sym at = b.sym(axes[0]);
    for (int step = 0; step < 60; step++) at = select(b.at(x, {at}) < 0.5, at, min(at + (step == other_step ? 2.0 : 1.0), 7.0));
    b.output(b.map("y", axes, b.at(x, {at})));
    return task_of(b.take());
  };
  EXPECT_LT(canonical_text(found(-1)).size(), 20000u);
  EXPECT_EQ(found(30).id.hex(), found(30).id.hex());
  EXPECT_NE(found(30).id.hex(), found(31).id.hex());
}

// Given one definition, when role, layout or dtype of an argument changes, then the id does.
TEST(Task, IdCoversRolesAndLayouts) {
  Task task = task_of(correlation(8, 3));
  const Hash plain = task.id;
  task.args[1].role = Role::kConstant;
  finish_task(task);
  const Hash constant = task.id;
  task.args[0].layout.pad = ir::Pad::kZero;
  finish_task(task);
  EXPECT_NE(plain, constant);
  EXPECT_NE(constant, task.id);
}

// Given a name that is taken, when the builder makes another tensor of that name, then it gets a number.
TEST(Builder, NamesAreUnique) {
  Builder b;
  b.input("X", DType::kF32, {1});
  EXPECT_EQ(b.input("X", DType::kF32, {1})->name, "X2");
  EXPECT_EQ(b.map("X", {b.axis("i", 1)}, b.constant(DType::kF32, 0))->name, "X3");
}

// Two sums over rows and the sum of both.
struct TwoSums {
  Builder b;
  Tensor first, second;
  TwoSums() {
    const Tensor x = b.input("X", DType::kF32, {3, 3});
    first = sum_of(b, x, "Y");
    second = sum_of(b, b.map("wide", b.axes({"i", "k"}, {3, 3}), b.constant(DType::kF32, 1)), "Z");
    const Axis i = b.axis("i", 3);
    const Sym left = b.at(first, {b.sym(i)}), right = b.at(second, {b.sym(i)});
    b.output(b.map("all", {i}, left + right));
  }
  static Tensor sum_of(Builder& b, Tensor x, const std::string& name) {
    const Axis i = b.axis("i", 3), k = b.axis("k", 3);
    return b.reduce(name, {i}, {k}, Fold::kSum, b.at(x, {b.sym(i), b.sym(k)}));
  }
};

std::string names_of(const Program& program) {
  std::string names;
  for (const Compute& c : program.computes) names += cat(c.name, " ");
  return names;
}

// Given two sums with one more form each, which has a Compute of a name that is taken, when their programs are asked for, then each has one of the forms
// in the definition's place, writes the definition's tensor, and leaves the program itself as it was.
TEST(Builder, AFormTakesTheDefinitionsPlace) {
  TwoSums two;
  for (Tensor value : {two.first, two.second})
    two.b.offer(value, "by parts", 0.5, [](Builder& b) {
      const Tensor ones = b.map("wide", b.axes({"i", "k"}, {3, 3}), b.constant(DType::kF32, 1));
      return TwoSums::sum_of(b, ones, "joined");
    });
  const std::vector<Alternative> others = two.b.alternatives();
  const Program own = two.b.take();
  ASSERT_EQ(others.size(), 2u);
  EXPECT_EQ(names_of(others[0].program), "wide2 Y wide Z all ");
  EXPECT_EQ(names_of(others[1].program), "Y wide wide2 Z all ");
  EXPECT_EQ(names_of(own), "Y wide Z all ");
  EXPECT_EQ(others[0].stage, "Y");
  EXPECT_EQ(others[1].stage, "Z");
  EXPECT_EQ(others[1].error, 0.5);
  EXPECT_EQ(others[0].program.computes[1].outputs, own.computes[0].outputs);
  EXPECT_EQ(others[1].program.computes[3].outputs, own.computes[2].outputs);
  for (const Alternative& a : others) EXPECT_TRUE(verify_te(a.program).ok()) << print_te(a.program);
}

// Given a program over bool, i64 and f64 with a constant beyond 32 bits, when narrowed, then it stores f32, i32 and u32 alone, is valid and
// computes the same.
TEST(NarrowTypes, KeepsValues) {
  Builder b;
  const Tensor mask = b.input("M", DType::kBool, {4}), at = b.input("I", DType::kI64, {4}), x = b.input("X", DType::kF64, {4});
  const Axis i = b.axis("i", 4), j = b.axis("j", 4), k = b.axis("k", 4);
  const Sym m = b.sym(i);
  const Tensor flipped = b.map("flipped", {i}, negated(b.at(mask, {m})));
  const Sym n = b.sym(j), chosen = b.at(flipped, {n});
  const Tensor picked = b.map("picked", {j}, select(chosen, min(b.at(at, {n}), b.constant(DType::kI64, 1e15)), b.constant(DType::kI64, -1)));
  const Sym v = b.at(x, {b.sym(k)});
  const Tensor total = b.reduce("total", {}, {k}, Fold::kSum, v * v);
  for (Tensor t : {flipped, picked, total}) b.output(t);
  const std::vector<std::vector<double>> values = {{0, 1, 1, 0}, {5, -6, 7, -8}, {1, 2, 3, 4}};
  const auto expected = evaluate(b.program(), values);
  const Program narrow = narrow_types(b.take());
  ASSERT_TRUE(verify_te(narrow).ok()) << verify_te(narrow).error().message;
  std::vector<DType> types;
  for (const auto& list : {narrow.inputs, narrow.outputs})
    for (Tensor t : list) types.push_back(t->dtype);
  EXPECT_EQ(types, (std::vector<DType>{DType::kU32, DType::kI32, DType::kF32, DType::kU32, DType::kI32, DType::kF32}));
  EXPECT_EQ(evaluate(narrow, values), expected);
}

// Given numbers of 8 and 16 bits that are added, padded and reduced, when the program is narrowed, then its tensors are of 32 bits, sums wrap as
// they did, and of what a tensor holds beyond the width nothing is seen.
TEST(NarrowTypes, SmallNumbersWrapAtTheirWidth) {
  Builder b;
  const Tensor x = b.input("X", DType::kI8, {4}), y = b.input("Y", DType::kU16, {4});
  const Axis i = b.axis("i", 5), j = b.axis("j", 4), k = b.axis("k", 4);
  const Sym at = b.sym(i), value = b.at(x, {at});
  const Tensor padded = b.map("padded", {i}, select(at < 4.0, value, b.constant(DType::kI8, 7)));
  const Sym n = b.sym(j), here = b.at(padded, {n}), there = b.at(y, {n});
  const Tensor doubled = b.map("doubled", {j}, here + here);
  const Tensor squared = b.map("squared", {j}, there * there);
  const Tensor largest = b.reduce("largest", {}, {k}, Fold::kMax, b.at(x, {b.sym(k)}));
  for (Tensor t : {padded, doubled, squared, largest}) b.output(t);
  const std::vector<std::vector<double>> values = {{100, -100, 3, -128}, {300, 2, 65535, 0}};
  const auto expected = evaluate(b.program(), values);
  EXPECT_EQ(expected[1], (std::vector<double>{-56, 56, 6, 0}));
  const Program narrow = narrow_types(b.take());
  ASSERT_TRUE(verify_te(narrow).ok()) << verify_te(narrow).error().message;
  for (const auto& list : {narrow.inputs, narrow.outputs})
    for (Tensor t : list) EXPECT_EQ(ir::size_bytes(t->dtype), 4);
  EXPECT_EQ(evaluate(narrow, values), expected);
  EXPECT_EQ(evaluate(narrow, {{100 + 256, -100, 3 - 512, 128}, {300 + 65536, 2, -1, 0}}), expected);
}

// Given a program of f32, when narrowed, then it stays as it is, and so does its task's id.
TEST(NarrowTypes, LeavesF32) {
  const Program program = correlation(5, 3);
  EXPECT_EQ(narrow_types(program).outputs[0], program.outputs[0]);
}

}  // namespace
}  // namespace hone::te
