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
    expect_near(c.run(einsum(c.b, r.equation, c.inputs)), r.expected);
  }
}

// Given three terms and more, when they are multiplied, then two at a time are, which keep what a later term or the result has.
TEST(Einsum, TakesTwoTermsAtATime) {
  Case chain(Shapes{{2, 2}, {2, 2}, {2}});
  chain.values = {{1, 2, 3, 4}, {1, 2, 3, 4}, {10, 100}};
  expect_near(chain.run(einsum(chain.b, "ij,jk,k->i", chain.inputs)), {7 * 10 + 10 * 100, 15 * 10 + 22 * 100});
  Case sums(Shapes{{2}, {2}, {2}, {2}});
  sums.values = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  expect_near(sums.run(einsum(sums.b, "a,b,c,d->", sums.inputs)), {3 * 7 * 11 * 15});
}

// Given vectors of 2^20 elements, when an equation makes 2^80 steps of them, then no result has so many; when it makes a product of 2^40 elements, it is refused.
TEST(Einsum, CountsWhatItMakes) {
  Case c(Shapes{{1 << 20}, {1 << 20}, {1 << 20}, {1 << 20}});
  EXPECT_TRUE(einsum(c.b, "a,b,c,d->", c.inputs).ok());
  EXPECT_FALSE(einsum(c.b, "a,b,c,d->ab", c.inputs).ok());
  EXPECT_FALSE(einsum(c.b, "a,b,a,b->", c.inputs).ok());
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
