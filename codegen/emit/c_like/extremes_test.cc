#include "codegen/emit/c_like/extremes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/cat.h"
#include "codegen/ir/interpreter.h"
#include "codegen/ir/mutator.h"
#include "codegen/ir/parser.h"

namespace hone::emit {
namespace {

using ir::Expr;
using ir::ExprKind;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

struct Operands {
  ir::Arena arena;
  Expr x = arena.var("x", {ir::DType::kF32, 1}), y = arena.var("y", {ir::DType::kF32, 1});
  Expr number(double value) { return arena.constant({ir::DType::kF32, 1}, value); }
};

// How often is a value's NaN asked for?
int tests_of_nan(Expr e, ExprKind kind) {
  int count = 0;
  ir::for_each_node(e, [&](Expr node) { count += node->kind == kind; });
  return count;
}

TEST(PassingNan, AConstantThatIsANumberIsNotAskedFor) {
  Operands o;
  for (Expr e : {o.arena.max(o.x, o.number(0)), o.arena.max(o.number(0), o.x)}) {
    EXPECT_EQ(tests_of_nan(passing_nan(o.arena, e, Comparisons::kIeee), ExprKind::kEq), 0);
    EXPECT_EQ(tests_of_nan(passing_nan(o.arena, e, Comparisons::kFast), ExprKind::kBitcast), 1);
  }
  const Expr of_two = o.arena.min(o.x, o.y);
  EXPECT_EQ(tests_of_nan(passing_nan(o.arena, of_two, Comparisons::kIeee), ExprKind::kEq), 1);
  EXPECT_EQ(tests_of_nan(passing_nan(o.arena, of_two, Comparisons::kFast), ExprKind::kBitcast), 2);
}

class Raise final : public ir::Mutator {
 public:
  explicit Raise(ir::Arena& arena) : Mutator(arena) {}

 protected:
  Expr expr(Expr e) override {
    const Expr r = rebuild(e);
    return r->kind == ExprKind::kMin || r->kind == ExprKind::kMax ? passing_nan(arena_, r, Comparisons::kIeee) : r;
  }
};

double computed(ir::Kernel kernel, bool raised, double a, double b) {
  if (raised) kernel.launches[0].body = Raise(*kernel.arena).mutate(kernel.launches[0].body);
  std::vector<ir::TensorValue> args(3, ir::make_tensor(ir::DType::kF32, {1}));
  args[0].real[0] = a;
  args[1].real[0] = b;
  EXPECT_TRUE(ir::interpret(kernel, args).ok());
  return args[2].real[0];
}

// Given the special values in either place, when min and max are composed of comparisons, then they are the IR's.
TEST(PassingNan, IsWhatTheInterpreterComputes) {
  const double values[] = {kNan, -kInfinity, -1.0, 0.0, 2.0, kInfinity};
  for (const char* text : {"min(A[0], B[0])", "max(A[0], B[0])", "min(A[0], 0.0)", "max(0.0, A[0])"}) {
    auto kernel = ir::parse_kernel(cat("arg A: f32[1]\narg B: f32[1]\nout C: f32[1]\nlaunch grid(1) threads(1)\n  C[0] = ", text, "\n"));
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    for (double a : values)
      for (double b : values) {
        const double wanted = computed(*kernel, false, a, b), found = computed(*kernel, true, a, b);
        EXPECT_TRUE(wanted == found || (std::isnan(wanted) && std::isnan(found))) << text << ' ' << a << ' ' << b << ": " << found;
      }
  }
}

}  // namespace
}  // namespace hone::emit
