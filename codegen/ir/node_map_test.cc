#include "codegen/ir/node_map.h"

#include <gtest/gtest.h>

#include "codegen/ir/arena.h"

namespace hone::ir {
namespace {

TEST(NodeMap, KeepsTheFirstValueOfEachNode) {
  // Given more nodes than there is room for at first, when each is inserted twice, then it is found with its first value, others are not, and
  // after `clear` none is.
  Arena arena;
  std::vector<Expr> nodes;
  for (int64_t i = 0; i < 1000; ++i) nodes.push_back(arena.index(i));
  NodeMap<int64_t> map;
  EXPECT_EQ(map.find(nodes[0]), nullptr);
  for (size_t i = 0; i < 500; ++i) EXPECT_TRUE(map.insert(nodes[i], nodes[i]->ival));
  for (size_t i = 0; i < 500; ++i) EXPECT_FALSE(map.insert(nodes[i], -1));
  for (size_t i = 0; i < 500; ++i) {
    ASSERT_NE(map.find(nodes[i]), nullptr);
    EXPECT_EQ(*map.find(nodes[i]), static_cast<int64_t>(i));
    EXPECT_EQ(map.find(nodes[500 + i]), nullptr);
  }
  map.clear();
  EXPECT_EQ(map.find(nodes[0]), nullptr);
  EXPECT_TRUE(map.insert(nodes[0], 7));
}

TEST(NodeMap, AnArenaFindsEachOfManyNodes) {
  // Given thousands of expressions, when each is made once more, then it is the same node.
  Arena arena;
  Var x = arena.var("x");
  std::vector<Expr> made;
  for (int64_t i = 1; i < 5000; ++i) made.push_back(arena.add(x, arena.index(i)));
  for (int64_t i = 1; i < 5000; ++i) EXPECT_EQ(arena.add(x, arena.index(i)), made[static_cast<size_t>(i - 1)]);
}

}  // namespace
}  // namespace hone::ir
