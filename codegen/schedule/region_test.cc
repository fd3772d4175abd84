#include "codegen/schedule/region.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"

namespace hone::schedule {
namespace {

using ir::Expr;

struct Loop {
  int64_t stride, extent;
};

// One read: the sum of its loops, each a variable that ranges.
class Reads {
 public:
  void add(const std::vector<Loop>& loops) {
    Expr sum = arena_.index(0);
    std::vector<int64_t> values{0};
    for (const Loop& loop : loops) {
      sum = arena_.add(sum, arena_.mul(arena_.var("i", ir::kIndexType, loop.extent), arena_.index(loop.stride)));
      std::vector<int64_t> further;
      for (int64_t value : values)
        for (int64_t i = 0; i < loop.extent; i++) further.push_back(value + i * loop.stride);
      values = further;
    }
    accesses_.push_back(sum);
    values_.insert(values.begin(), values.end());
  }
  Box box() { return *box_of(analyzer_, arena_, accesses_, [](ir::Var) { return true; }); }
  const std::set<int64_t>& values() const { return values_; }
  std::vector<int64_t> position(const Box& box, int64_t value) {
    std::vector<int64_t> out;
    for (Expr at : position_in(analyzer_, arena_, box, arena_.index(value))) out.push_back(at->ival);
    return out;
  }

 private:
  ir::Arena arena_;
  arith::Analyzer analyzer_{arena_};
  std::vector<Expr> accesses_;
  std::set<int64_t> values_;
};

// Each value has a place of its own within the box.
void expect_apart(Reads& reads) {
  const Box box = reads.box();
  std::set<std::vector<int64_t>> taken;
  for (int64_t value : reads.values()) {
    const std::vector<int64_t> at = reads.position(box, value);
    for (size_t i = 0; i < at.size(); i++)
      EXPECT_TRUE(at[i] >= 0 && at[i] < box.levels[i].extent)
          << "value " << value << " lies at " << at[i] << " of " << box.levels[i].extent;
    EXPECT_TRUE(taken.insert(at).second) << "value " << value << " has another one's place";
  }
}

TEST(Region, StridesThatDifferInsideAreNotTakenForEqual) {
  // Given two reads of one span and one outer stride, whose inner strides differ.
  Reads reads;
  reads.add({{8, 2}, {2, 2}});
  reads.add({{8, 2}, {1, 3}});
  // When one box is made of both, then no two elements share a place.
  expect_apart(reads);
}

TEST(Region, AWidenedLevelIsMergedWithThoseBelow) {
  // Given loops of which two overlap, and as one reach below a third.
  Reads reads;
  reads.add({{1, 2}, {4, 2}, {5, 2}});
  // When they are merged, then each value lies within the box.
  expect_apart(reads);
}

TEST(Region, AnyLoopsHaveAPlaceForEachValue) {
  Rng rng(29);
  for (int round = 0; round < 2000; round++) {
    Reads reads;
    const uint64_t accesses = 1 + rng.below(2);
    for (uint64_t a = 0; a < accesses; a++) {
      std::vector<Loop> loops(1 + rng.below(4));
      for (Loop& loop : loops) loop = {1 + static_cast<int64_t>(rng.below(12)), 1 + static_cast<int64_t>(rng.below(4))};
      reads.add(loops);
    }
    expect_apart(reads);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace hone::schedule
