#include <gtest/gtest.h>
#include <unistd.h>

#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

struct LeaseDeadlines : FleetWorld, testing::Test {
  LeaseDeadlines() : FleetWorld(cat(testing::TempDir(), "/lease_deadlines_", getpid(), ".db")) {}
  // Time passes, and only the heartbeats of agent 1 come.
  void beat_for(std::chrono::seconds time) {
    for (std::chrono::seconds passed{0}; passed < time; passed += 1s) {
      advance(1s);
      beat(1);
    }
  }
};

TEST_F(LeaseDeadlines, ALeaseWithoutProgressEnds) {
  // Given a lease of a device whose heartbeats come, when its session answers nothing until the deadline and not before, then it ends with
  // timeout, the agent closes its session, what comes later is void, and the device is free; each answer sets the deadline anew, and so does
  // work of which it is known that it takes longer.
  join(1, {offer("gpu")});
  acquire({.job = "a"});
  const Lease lease = taken<Granted>()[0].lease;
  beat_for(9min);
  fleet_->progress(lease.lease_id, 0ms);
  beat_for(9min);
  fleet_->progress(lease.lease_id, 50min);
  beat_for(59min);
  EXPECT_TRUE(fleet_->holds(lease.lease_id, lease.fence));
  beat_for(1min);
  EXPECT_FALSE(fleet_->holds(lease.lease_id, lease.fence));
  ASSERT_EQ(taken<LeaseLost>().size(), 1u);
  EXPECT_EQ(taken<LeaseLost>()[0].error.code, ErrorCode::kTimeout);
  EXPECT_EQ(sent<protocol::CloseSession>(1).size(), 1u);
  EXPECT_EQ(fleet_->counts().lost_stalled, 1u);
  EXPECT_EQ(fleet_->counts().ready, 1u);
  fleet_->progress(lease.lease_id, 1h);
  EXPECT_EQ(fleet_->leases(), 0u);
}

TEST_F(LeaseDeadlines, TheTermEndsOnlyWhereAnotherJobWaits) {
  // Given a lease that makes progress, when its term is over, then it lives on as long as nobody, the same job, or a job of less priority waits;
  // when another job waits, then it ends with busy and that job has the device; its own term begins then.
  join(1, {offer("gpu")});
  const auto work_for = [this](std::chrono::minutes time) {
    for (std::chrono::minutes passed{0}; passed < time; passed += 1min) {
      beat_for(1min);
      for (const Granted& granted : taken<Granted>()) fleet_->progress(granted.lease.lease_id, 0ms);
    }
  };
  acquire({.job = "a", .priority = 100});
  acquire({.job = "a", .priority = 200, .wait = 24h});
  acquire({.job = "less", .wait = 24h});
  work_for(40min);
  EXPECT_TRUE(taken<LeaseLost>().empty());
  const auto other = acquire({.job = "b", .priority = 300, .wait = 24h});
  advance(1ms);
  ASSERT_EQ(taken<LeaseLost>().size(), 1u);
  EXPECT_EQ(taken<LeaseLost>()[0].error.code, ErrorCode::kBusy);
  ASSERT_EQ(taken<Granted>().size(), 2u);
  EXPECT_EQ(taken<Granted>()[1].request, other);
  EXPECT_EQ(fleet_->counts().lost_term, 1u);
  acquire({.job = "c", .priority = 400, .wait = 24h});
  work_for(29min);
  EXPECT_EQ(taken<Granted>().size(), 2u);
  work_for(2min);
  EXPECT_EQ(taken<Granted>().size(), 3u);
}

TEST_F(LeaseDeadlines, OneWhoWaitsEndsOneLease) {
  // Given two leases whose terms are over, when one job waits for either device, then one of them ends.
  join(1, {offer("a"), offer("b")});
  acquire({.job = "a"});
  acquire({.job = "b"});
  for (const Granted& granted : taken<Granted>()) fleet_->progress(granted.lease.lease_id, 24h);
  beat_for(31min);
  acquire({.job = "c", .wait = 24h});
  beat_for(10s);
  EXPECT_EQ(taken<LeaseLost>().size(), 1u);
  EXPECT_EQ(taken<Granted>().size(), 3u);
}

}  // namespace
}  // namespace hone::tracker
