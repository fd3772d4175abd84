#include "codegen/emit/c_like/passes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/ir/interpreter.h"
#include "codegen/ir/mutator.h"
#include "codegen/ir/parser.h"
#include "codegen/ir/printer.h"

namespace hone::emit {
namespace {

using ir::Expr;
using ir::ExprKind;

const char* const kExpressions[] = {
    "(i - 9) / 5", "(i - 9) % 5", "(i - 9) / 4", "(i - 9) % 4", "i / (0 - 3)", "(i - 9) % (0 - 3)", "(i - 9) / (0 - 1)", "(i - 9) / 0",
    "i % 0", "min(i - 4, 2)", "max(i - 4, 0 - 2)", "i / 3 - i % 3", "index(A[i]) / 5", "index(A[i]) % 5", "index(A[i]) / 8",
    "index(A[i]) % 8", "select(i - 7 < 0 - 3, 1, 2)", "select(3 <= i - 7, 1, 2)", "(n - 6) / 5 + min(n, i - 3)",
    "f32(i - 9)", "f32(n) * 0.5"};

ir::Kernel kernel_of(std::string_view expression) {
  const std::string head = "arg A: i32[16]\nout C: i32[16]\nlaunch grid(i: 16) threads(1)\n  let n = i - 2\n";
  auto kernel = ir::parse_kernel(cat(head, "  C[i] = i32(", expression, ")\n"));
  CHECK(kernel.ok(), kernel.ok() ? "" : kernel.error().message);
  return *kernel;
}

ir::Kernel raised(ir::Kernel kernel, IndexSign sign) {
  kernel.launches[0].body = raise_signed_indices(*kernel.arena, kernel.launches[0].body, sign);
  return kernel;
}

std::vector<int64_t> computed(const ir::Kernel& kernel) {
  std::vector<ir::TensorValue> args(2, ir::make_tensor(ir::DType::kI32, {16}));
  for (size_t i = 0; i < 16; i++) args[0].whole[i] = static_cast<int64_t>(i) * 1000003 - 8000000;
  const Status status = ir::interpret(kernel, args);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return args[1].whole;
}

// Given quotients, extremes and comparisons of indices that may be negative, when they are raised for either kind of language, then the
// values stay.
TEST(SignedIndices, KeepsTheValues) {
  for (const char* expression : kExpressions)
    for (IndexSign sign : {IndexSign::kSigned, IndexSign::kUnsigned})
      EXPECT_EQ(computed(raised(kernel_of(expression), sign)), computed(kernel_of(expression))) << expression;
}

// Does a language whose indices are unsigned read the node as the IR means it?
bool is_read_as_meant(arith::Analyzer& analyzer, Expr e) {
  const bool becomes_float = e->kind == ExprKind::kCast && ir::is_float(e->type.dtype) && e->args[0]->type.dtype == ir::DType::kIndex;
  if (becomes_float) return analyzer.bounds(e->args[0]).lo >= 0;
  const auto kinds = {ExprKind::kDiv, ExprKind::kMod, ExprKind::kMin, ExprKind::kMax, ExprKind::kLt, ExprKind::kLe};
  const bool is_read = std::find(kinds.begin(), kinds.end(), e->kind) != kinds.end();
  if (!is_read || e->args[0]->type.dtype != ir::DType::kIndex) return true;
  const bool divides = e->kind == ExprKind::kDiv || e->kind == ExprKind::kMod;
  return analyzer.bounds(e->args[0]).lo >= 0 && analyzer.bounds(e->args[1]).lo >= (divides ? 1 : 0);
}

// Given the same, when they are raised for unsigned indices, then no such operation is left with an operand that may be negative; before,
// each had one.
TEST(SignedIndices, LeavesNoNegativeOperand) {
  const auto misread = [](const ir::Kernel& kernel) {
    arith::Analyzer analyzer(*kernel.arena);
    int count = 0;
    ir::for_each_stmt(kernel.launches[0].body, [&](ir::Stmt s) {
      if (s->kind == ir::StmtKind::kLet) analyzer.learn(s->var, analyzer.bounds(s->value));
      ir::for_each_node(s->value, [&](Expr e) { count += !is_read_as_meant(analyzer, e); });
    });
    return count;
  };
  for (const char* expression : kExpressions) {
    const ir::Kernel after = raised(kernel_of(expression), IndexSign::kUnsigned);
    EXPECT_EQ(misread(after), 0) << ir::print(after);
    EXPECT_EQ(misread(kernel_of(expression)) > 0, std::string_view(expression) != "i / 3 - i % 3") << expression;
  }
}

}  // namespace
}  // namespace hone::emit
