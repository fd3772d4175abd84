// Powers, quotients and remainders of whole numbers, up to the ends of their types.
#include <gtest/gtest.h>

#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/ops_case.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

// Given whole numbers, when raised to whole powers, then the results are exact beyond what f32 has, and wrap as products do; those of negative exponents are cut.
TEST(WholeNumbers, Powers) {
  const auto raised = [](DType dtype, const Values& x, const Values& y) {
    Case c({{static_cast<int64_t>(x.size())}, {static_cast<int64_t>(y.size())}}, dtype);
    c.values = {x, y};
    return c.run(elementwise(c.b, "pow", {Operand::of(c.inputs[0]), Operand::of(c.inputs[1])}, [](const std::vector<Sym>& v) { return power(v[0], v[1]); }));
  };
  EXPECT_EQ(raised(DType::kI64, {3, -3, 7, 2, 2, 46340, 0, 0}, {19, 19, 11, 30, 31, 2, 0, 5}), (Values{1162261467, -1162261467, 1977326743, 1073741824, 2147483648, 2147395600, 1, 0}));
  EXPECT_EQ(raised(DType::kI32, {1, -1, -1, 0, 1, -1, -1, 5}, {40, 40, 41, 40, -3, -3, -4, -1}), (Values{1, 1, -1, 0, 1, -1, 1, 0}));
  EXPECT_EQ(raised(DType::kI32, {2, 3, 65536}, {31, 21, 2}), (Values{-2147483648, 1870418611, 0}));
  EXPECT_EQ(raised(DType::kU8, {3, 16, 255}, {5, 2, 3}), (Values{243, 0, 255}));
  for (int n : {0, 1, 2, 5, 13}) {
    Case c({{3}}, DType::kI32);
    c.values = {{3, -2, 1}};
    EXPECT_EQ(c.run(unary(c.b, "pow", c.inputs[0], [&](Sym x) { return power(x, x.number(n)); })), (Values{std::pow(3, n), std::pow(-2, n), 1}));
  }
}

// Given signed integers, when divided, then the quotient is cut off towards zero.
TEST(WholeNumbers, Quotients) {
  Case c(Shapes{{8}, {8}}, DType::kI32);
  c.values = {{7, -7, 7, -7, -2147483648, -2147483648, 6, 5}, {2, 2, -2, -2, 2, 7, -3, 0}};
  const auto y = elementwise(c.b, "div", {Operand::of(c.inputs[0]), Operand::of(c.inputs[1])},
                             [](const std::vector<Sym>& v) { return quotient(v[0], v[1]); });
  EXPECT_EQ(c.run(y), (Values{3, -3, -3, 3, -1073741824, -306783378, -2, 0}));
  const auto rest_of = [&](Sym (*f)(Sym, Sym)) {
    Case r(Shapes{{8}, {8}}, DType::kI32);
    r.values = c.values;
    return r.run(elementwise(r.b, "mod", {Operand::of(r.inputs[0]), Operand::of(r.inputs[1])}, [f](const std::vector<Sym>& v) { return f(v[0], v[1]); }));
  };
  EXPECT_EQ(rest_of(remainder_of_dividend), (Values{1, -1, 1, -1, 0, -2, 0, 0}));
  EXPECT_EQ(rest_of(remainder_of_divisor), (Values{1, 1, -1, -1, 0, 5, 0, 0}));
}

}  // namespace
}  // namespace hone::te
