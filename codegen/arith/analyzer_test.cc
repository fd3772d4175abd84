#include "codegen/arith/analyzer.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "codegen/ir/printer.h"

namespace hone::arith {
namespace {

using ir::Expr;
using ir::ExprKind;

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

int64_t value(Expr e, const std::unordered_map<Expr, int64_t>& vars) {
  auto arg = [&](int i) { return value(e->args[static_cast<size_t>(i)], vars); };
  switch (e->kind) {
    case ExprKind::kConst:
      return e->ival;
    case ExprKind::kVar:
      return vars.at(e);
    case ExprKind::kAdd:
      return arg(0) + arg(1);
    case ExprKind::kSub:
      return arg(0) - arg(1);
    case ExprKind::kMul:
      return arg(0) * arg(1);
    case ExprKind::kDiv:
      return floor_div(arg(0), arg(1));
    case ExprKind::kMod:
      return arg(0) - floor_div(arg(0), arg(1)) * arg(1);
    case ExprKind::kMin:
      return std::min(arg(0), arg(1));
    case ExprKind::kMax:
      return std::max(arg(0), arg(1));
    case ExprKind::kLt:
      return arg(0) < arg(1);
    case ExprKind::kLe:
      return arg(0) <= arg(1);
    case ExprKind::kEq:
      return arg(0) == arg(1);
    default:
      ADD_FAILURE() << "unexpected node";
      return 0;
  }
}

struct Random {
  ir::Arena& arena;
  const std::vector<Expr>& vars;
  Rng rng;

  Expr index(int depth) {
    static const int64_t kConstants[] = {1, 2, 3, 4, 7, 8, 12, 16, 56, 64};
    Expr c = arena.index(kConstants[rng.below(10)]);
    if (depth == 0) return rng.below(3) == 0 ? c : vars[rng.below(vars.size())];
    switch (rng.below(8)) {
      case 0:
      case 1:
      case 2:
        return arena.add(index(depth - 1), index(depth - 1));
      case 3:
        return arena.sub(index(depth - 1), index(depth - 1));
      case 4:
        return arena.mul(index(depth - 1), c);
      case 5:
        return arena.div(index(depth - 1), c);
      case 6:
        return arena.mod(index(depth - 1), c);
      default:
        return arena.min(index(depth - 1), index(depth - 1));
    }
  }
};

// Given random index expressions and comparisons, when they are simplified, then every assignment gives the same value, inside the bounds.
TEST(Analyzer, SimplifyKeepsValues) {
  Rng seeds(7);
  for (int round = 0; round < 3000; round++) {
    ir::Arena arena;
    std::vector<Expr> vars;
    for (int64_t extent : {1, 3, 4, 8, 56}) vars.push_back(arena.var("v", ir::kIndexType, extent));
    Random random{arena, vars, Rng(seeds.next())};
    Expr e = random.index(4);
    if (round % 3 == 0) e = arena.lt(e, random.index(3));
    if (round % 7 == 0) e = arena.le(random.index(3), random.index(3));
    Analyzer analyzer(arena);
    Expr s = analyzer.simplify(e);
    Interval range = e->type == ir::kIndexType ? analyzer.bounds(e) : Interval{0, 1};
    for (int sample = 0; sample < 40; sample++) {
      std::unordered_map<Expr, int64_t> at;
      for (Expr v : vars) at[v] = static_cast<int64_t>(random.rng.below(static_cast<uint64_t>(v->bound())));
      int64_t want = value(e, at);
      ASSERT_EQ(value(s, at), want) << ir::print(e) << "  ->  " << ir::print(s);
      ASSERT_TRUE(want >= range.lo && want <= range.hi) << ir::print(e);
    }
  }
}

struct Case {
  const char* what;
  Expr (*make)(ir::Arena&, Expr x, Expr y);
  const char* want;
};

// Given index forms that lowering produces, when simplified, then quotients and remainders vanish where splits follow the boundary.
TEST(Analyzer, KnownForms) {
  const Case cases[] = {
      {"row-major address of a fused axis",
       [](ir::Arena& a, Expr x, Expr) {
         return a.add(a.mul(a.div(x, a.index(7)), a.index(7 * 4)), a.mul(a.mod(x, a.index(7)), a.index(4)));
       },
       "x * 4"},
      {"quotient of a tile",
       [](ir::Arena& a, Expr x, Expr y) { return a.div(a.add(a.mul(x, a.index(8)), y), a.index(8)); }, "x"},
      {"remainder of a tile",
       [](ir::Arena& a, Expr x, Expr y) { return a.mod(a.add(a.mul(x, a.index(8)), y), a.index(8)); }, "y"},
      {"a tile inside the extent",
       [](ir::Arena& a, Expr x, Expr y) { return a.lt(a.add(a.mul(x, a.index(8)), y), a.index(800)); }, "true"},
      {"a tile factor that divides the limit",
       [](ir::Arena& a, Expr x, Expr y) { return a.lt(a.add(a.mul(x, a.index(8)), y), a.index(96)); }, "x < 12"},
      {"a place in a tensor without elements",
       [](ir::Arena& a, Expr x, Expr) { return a.add(a.mul(a.div(x, a.index(0)), a.index(0)), a.mod(x, a.index(0))); },
       "x % 0"},
  };
  for (const Case& c : cases) {
    ir::Arena arena;
    Expr x = arena.var("x", ir::kIndexType, 100), y = arena.var("y", ir::kIndexType, 8);
    EXPECT_EQ(ir::print(Analyzer(arena).simplify(c.make(arena, x, y))), c.want) << c.what;
  }
}

}  // namespace
}  // namespace hone::arith
