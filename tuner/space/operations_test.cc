#include "tuner/space/operations.h"

#include <gtest/gtest.h>

#include "codegen/ir/arena.h"

namespace hone::tuner {
namespace {

using ir::DType;
using ir::Expr;

class OperationsOf : public ::testing::Test {
 protected:
  ir::Arena arena_;  // owns what follows
  Expr lane_ = arena_.var("i", ir::kIndexType, 64), other_ = arena_.var("r", ir::kIndexType, 64);
  ir::Buffer x_ = arena_.buffer("x", DType::kF32, {64}), places_ = arena_.buffer("places", DType::kI32, {64});
  Operations of(Expr value) { return operations_of({value}, {lane_}); }
};

TEST_F(OperationsOf, ArithmeticOnVectorsIsDoneOnce) {
  // Given x[i] · x[i] + x[r] over lanes i, when its operations are counted, then there are two for all lanes and two loads.
  const Expr x = arena_.load(x_, {lane_});
  const Operations found = of(arena_.add(arena_.mul(x, x), arena_.load(x_, {other_})));
  EXPECT_EQ(found.floats, 2);
  EXPECT_EQ(found.by_lane, 0);
  EXPECT_EQ(found.loads, 2);
  EXPECT_EQ(found.written(16), 4);
}

TEST_F(OperationsOf, WhatIsReadWhereAnotherTensorSaysIsReadLaneByLane) {
  // Given x[min(places[i], 63)], when its operations are counted, then the index, the load of it and the load are each lane's.
  const Expr place = arena_.cast(ir::kIndexType, arena_.load(places_, {lane_}));
  const Operations found = of(arena_.load(x_, {arena_.min(place, arena_.index(63))}));
  EXPECT_EQ(found.by_lane, 2);  // cast, min
  EXPECT_EQ(found.loads_by_lane, 2);
  EXPECT_EQ(found.written(8), 32);
}

TEST_F(OperationsOf, AConditionOnIndicesIsMadeLaneByLaneAndJoined) {
  // Given select(i < r, x[i], 0), when its operations are counted, then the comparison is each lane's, is joined to a vector, and the selection is done once.
  const Operations found = of(arena_.select(arena_.lt(lane_, other_), arena_.load(x_, {lane_}), arena_.constant({DType::kF32, 1}, 0)));
  EXPECT_EQ(found.by_lane, 1);
  EXPECT_EQ(found.joined, 1);
  EXPECT_EQ(found.floats, 1);
}

TEST_F(OperationsOf, WhatIsSharedCountsOnce) {
  // Given a tower in which each part is used twice, 60 high, when its operations are counted, then there are 60.
  Expr value = arena_.load(x_, {lane_});
  for (int i = 0; i < 60; ++i) value = arena_.mul(value, value);
  EXPECT_EQ(of(value).floats, 60);
}

TEST_F(OperationsOf, WithoutLanesAllIsDoneOnce) {
  // Given an index that another tensor says, when there are no lanes, then nothing is each lane's.
  const Expr place = arena_.cast(ir::kIndexType, arena_.load(places_, {lane_}));
  EXPECT_EQ(operations_of({arena_.load(x_, {place})}, {}).written(16), 3);
}

}  // namespace
}  // namespace hone::tuner
