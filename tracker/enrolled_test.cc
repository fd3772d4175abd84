#include <gtest/gtest.h>
#include <unistd.h>

#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

TEST(AgentEnrolled, OnceForEachAgent) {
  // Given an empty fleet, when an agent comes, goes, and comes back with its secret, and after a restart once more, then it was enrolled once; another
  // one, and one that shows a wrong secret, are new.
  FleetWorld w(testing::TempDir() + "enrolled_" + std::to_string(getpid()) + ".db");
  const std::string id = w.join(1, {offer("a")}).agent_id;
  w.run(w.fleet_->unlinked(1));
  w.join(2, {offer("a")}, id);
  w.start();
  w.join(3, {offer("a")}, id);
  ASSERT_EQ(w.taken<AgentEnrolled>().size(), 1u);
  EXPECT_EQ(w.taken<AgentEnrolled>()[0].agent_id, id);
  EXPECT_EQ(w.taken<AgentEnrolled>()[0].agent_name, "lab");
  w.join(4, {offer("a")});
  w.kept_[id] = "wrong";
  w.join(5, {offer("a")}, id);
  EXPECT_EQ(w.taken<AgentEnrolled>().size(), 3u);
}

}  // namespace
}  // namespace hone::tracker
