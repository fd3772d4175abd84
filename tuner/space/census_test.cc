#include "tuner/space/census.h"

#include <gtest/gtest.h>

#include <numeric>

#include "codegen/graph/import.h"

namespace hone::tuner {
namespace {

double pruned_in_all(const Census& census) {
  return std::accumulate(census.pruned.begin(), census.pruned.end(), 0.0,
                         [](double sum, const Pruned& one) { return sum + one.share; });
}

double share_of(const Census& census, const std::string& reason) {
  for (const Pruned& one : census.pruned)
    if (one.reason == reason) return one.share;
  return 0;
}

// A part of the product's space, some of which needs too much workgroup memory.
Space part_of(const te::Task& task) {
  auto space = Space::derive(task, target::webgpu_default());
  CHECK(space.ok(), "a product has a space");
  auto part = space->restricted({{"rows.threads", {"8", "16", "32"}},
                                 {"rows", {"4", "8", "16"}},
                                 {"lanes.width", {"4"}},
                                 {"lanes.threads", {"8", "16"}},
                                 {"lanes", {"1", "2", "4"}},
                                 {"k.lanes", {"1", "4"}},
                                 {"k.tile", {"8", "16", "32"}},
                                 {"operand0", {"register", "workgroup"}},
                                 {"operand1", {"register", "workgroup"}},
                                 {"k.buffers", {"1", "2"}}});
  CHECK(part.ok(), "its decisions have these values");
  return *part;
}

TEST(Census, CountsSmallSpacesWhole) {
  // Given a part of a space of some thousand assignments, when it is counted, then what remains is what can be enumerated, and the rest has
  // reasons a person understands, whose shares make up what is missing.
  const te::Task task = *graph::task_from_spec("matmul:512x512x512");
  const Space space = part_of(task);
  const Census census = take_census(space);
  EXPECT_EQ(census.drawn, 0);
  EXPECT_EQ(census.assignments, space.count());
  EXPECT_LT(census.repaired, census.assignments);
  EXPECT_DOUBLE_EQ(census.legal, static_cast<double>(space.enumerate().size()));
  EXPECT_NEAR(pruned_in_all(census), 1 - census.legal / census.repaired, 1e-9);
  EXPECT_GT(share_of(census, "workgroup memory above 16384 bytes"), 0);
  for (size_t i = 1; i < census.pruned.size(); ++i) EXPECT_GE(census.pruned[i - 1].share, census.pruned[i].share);
}

TEST(Census, EstimatesLargeSpaces) {
  // Given the same space, when it is taken for a large one, then the estimates are near what was counted, say how many assignments they rest on, and
  // are the same each time.
  const te::Task task = *graph::task_from_spec("matmul:512x512x512");
  const Space space = part_of(task);
  const CensusLimits small{.whole_max = 0, .drawn = 2000, .traced_max = 500};
  const Census counted = take_census(space), estimated = take_census(space, small);
  EXPECT_EQ(estimated.drawn, 2000);
  EXPECT_LE(estimated.traced, 500);
  EXPECT_NEAR(estimated.repaired / counted.repaired, 1, 0.15);
  EXPECT_NEAR(estimated.legal / counted.legal, 1, 0.25);
  EXPECT_NEAR(pruned_in_all(estimated), 1 - estimated.legal / estimated.repaired, 1e-9);
  EXPECT_EQ(take_census(space, small).legal, estimated.legal);
}

}  // namespace
}  // namespace hone::tuner
