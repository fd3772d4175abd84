// Tasks that reduce over pairs and triples. For tests.
#pragma once
#include "codegen/te/builder.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/task.h"

namespace hone {

inline constexpr ir::DType kF32 = ir::DType::kF32;

inline te::Task finished_task(te::Builder& b, te::Tensor out) {
  b.output(out);
  te::Task task;
  task.program = b.take();
  task.args.resize(task.program.inputs.size() + 1);
  task.args.back().role = te::Role::kOutput;
  te::finish_task(task);
  return task;
}

// Mean and variance in one pass: triples (mean, squared distance, count) join by Chan's formula; Y[i] = variance.
inline te::Task variance_task(int64_t rows, int64_t columns) {
  te::Builder b;
  te::Tensor x = b.input("X", kF32, {rows, columns});
  te::Axis i = b.axis("m", rows), j = b.axis("rn", columns);
  ir::Arena& a = *b.program().arena;
  const ir::Type t{kF32, 1};
  te::Combiner c;
  for (const char* name : {"mean", "squares", "count"}) c.acc.push_back(a.var(name, t));
  for (const char* name : {"mean", "squares", "count"}) c.val.push_back(a.var(name, t));
  c.identity = {a.constant(t, 0), a.constant(t, 0), a.constant(t, 0)};
  auto sym = [&](ir::Expr e) { return te::Sym{&a, e}; };
  te::Sym mean = sym(c.acc[0]), squares = sym(c.acc[1]), count = sym(c.acc[2]);
  te::Sym mean2 = sym(c.val[0]), squares2 = sym(c.val[1]), count2 = sym(c.val[2]);
  te::Sym all = count + count2, share = count2 / te::max(all, 1), delta = mean2 - mean;
  c.combine = {(mean + delta * share).expr, (squares + squares2 + delta * delta * count * share).expr, all.expr};
  te::Sym value = b.at(x, {b.sym(i), b.sym(j)});
  te::Tensor y = b.reduce_tuple("Y", {i}, te::Reduce{{j}, c}, {value.expr, a.constant(t, 0), a.constant(t, 1)},
                                {(squares / count).expr})[0];
  return finished_task(b, y);
}

// Y[i] = log Σ exp X[i, j] as pairs (largest, sum), joined in any order.
inline te::Task log_sum_exp_task(int64_t rows, int64_t columns) {
  te::Builder b;
  te::Tensor x = b.input("X", kF32, {rows, columns});
  te::Axis i = b.axis("m", rows), j = b.axis("rn", columns);
  ir::Arena& a = *b.program().arena;
  const ir::Type t{kF32, 1};
  te::Combiner c;
  c.acc = {a.var("largest", t), a.var("sum", t)};
  c.val = {a.var("largest", t), a.var("sum", t)};
  c.identity = {a.constant(t, -1e30), a.constant(t, 0)};
  te::Sym m{&a, c.acc[0]}, s{&a, c.acc[1]}, m2{&a, c.val[0]}, s2{&a, c.val[1]}, top = te::max(m, m2);
  c.combine = {top.expr, (s * te::exponential(m - top) + s2 * te::exponential(m2 - top)).expr};
  te::Sym value = b.at(x, {b.sym(i), b.sym(j)});
  return finished_task(b, b.reduce_tuple("Y", {i}, te::Reduce{{j}, c}, {value.expr, a.constant(t, 1)},
                                         {(m + te::logarithm(s)).expr})[0]);
}

}  // namespace hone
