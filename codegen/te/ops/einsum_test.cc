// Equations against results written out by hand.
#include <gtest/gtest.h>

#include "codegen/te/ops/einsum.h"
#include "codegen/te/ops/ops_case.h"

namespace hone::te {
namespace {

// Given two small matrices, when equations name their dimensions, then the results are those of loops: products, a diagonal, a trace, an outer product,
// and what "..." broadcasts.
TEST(Einsum, NamesDimensions) {
  struct Row { const char* equation; Shapes shapes; std::vector<Values> values; Values expected; };
  const Values a = {1, 2, 3, 4}, v = {10, 100};
  for (const Row& r : {Row{"ij,jk->ik", {{2, 2}, {2, 2}}, {a, a}, {7, 10, 15, 22}}, Row{"ij,jk->ki", {{2, 2}, {2, 2}}, {a, a}, {7, 15, 10, 22}},
                       Row{"ii->i", {{2, 2}}, {a}, {1, 4}}, Row{"ii", {{2, 2}}, {a}, {5}}, Row{"i,j->ij", {{2}, {2}}, {v, v}, {100, 1000, 1000, 10000}},
                       Row{"ba", {{2, 2}}, {a}, {1, 3, 2, 4}}, Row{"...j,j->...", {{2, 2}, {2}}, {a, v}, {210, 430}}, Row{" ij , j ", {{2, 2}, {2}}, {a, v}, {210, 430}}}) {
    Case c(r.shapes);
    c.values = r.values;
    expect_near(c.run(einsum(c.b, r.equation, {c.inputs.begin(), c.inputs.end()})), r.expected);
  }
}

// Given a matrix and a row, when an equation does not fit them, then it is refused, each for a fault of its own.
TEST(Einsum, RefusesEquationsThatDoNotFit) {
  Case c(Shapes{{2, 3}, {2}});
  const auto takes = [&c](const char* equation) { return einsum(c.b, equation, {c.inputs[0], c.inputs[1]}).ok(); };
  EXPECT_TRUE(takes("ij,i->j"));
  for (const char* wrong : {"", "ij", "ij,i,i", "i,i->i", "ij,j->i", "ij,i->k", "ij,i->jj", "i1,i->i", "....ij,i->j", "ij,i->...j.", "ij,i->j->j"}) EXPECT_FALSE(takes(wrong)) << wrong;
}

}  // namespace
}  // namespace hone::te
