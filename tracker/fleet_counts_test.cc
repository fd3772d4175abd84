#include "tracker/fleet_counts.h"

#include <gtest/gtest.h>

#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

std::array<size_t, 5> states(const FleetCounts& c) { return {c.ready, c.leased, c.unready, c.stuck, c.gone}; }

TEST(FleetCounts, EachDeviceIsOfOneState) {
  // Given two agents with two devices each, when one device is leased, one is lost, one agent falls silent and then goes away, then each device
  // is counted in the one state that holds, and the agents that are connected are counted.
  FleetWorld w(testing::TempDir() + "fleet_counts.db");
  const auto first = w.join(1, {offer("a"), offer("b")}), second = w.join(2, {offer("a"), offer("b")});
  EXPECT_EQ(states(w.fleet_->counts()), (std::array<size_t, 5>{4, 0, 0, 0, 0}));
  w.acquire({.selector = first.devices[0].device_id, .job = "job", .user = "tess"});
  w.run(w.fleet_->device_state(1, {.device_id = first.devices[1].device_id, .state = protocol::DeviceStateKind::kLost})
            .value());
  EXPECT_EQ(states(w.fleet_->counts()), (std::array<size_t, 5>{2, 1, 1, 0, 0}));
  w.beat(2, false);
  EXPECT_EQ(states(w.fleet_->counts()), (std::array<size_t, 5>{0, 1, 1, 2, 0}));
  EXPECT_EQ(w.fleet_->counts().agents, 2u);
  w.run(w.fleet_->unlinked(2));
  EXPECT_EQ(states(w.fleet_->counts()), (std::array<size_t, 5>{0, 1, 1, 0, 2}));
  EXPECT_EQ(w.fleet_->counts().agents, 1u);
}

TEST(FleetCounts, LeasesAreCountedAsTheyComeAndAreLost) {
  // Given an agent with one device, when a request gets it and another waits, then one grant, one lease and the time of that wait are counted;
  // when the agent falls silent until the lease ends, then it is lost for its silence, and no more of it is counted.
  FleetWorld w(testing::TempDir() + "fleet_counts.db");
  w.join(1, {offer("a")});
  w.acquire({.job = "job", .user = "tess"});
  w.advance(1s);
  w.acquire({.job = "later", .user = "tess", .wait = 60s});
  w.advance(3s);
  const FleetCounts held = w.fleet_->counts();
  EXPECT_EQ(held.grants, 1u);
  EXPECT_EQ(held.leases, 1u);
  EXPECT_EQ(held.waiting, 1u);
  EXPECT_EQ(held.longest_wait, 3s);
  EXPECT_EQ(held.lost_silent + held.lost_changed, 0u);
  w.advance(20s);
  const FleetCounts lost = w.fleet_->counts();
  EXPECT_EQ(lost.leases, 0u);
  EXPECT_EQ(lost.lost_silent, 1u);
  EXPECT_EQ(lost.lost_changed, 0u);
  w.advance(60s);
  EXPECT_EQ(w.fleet_->counts().waiting, 0u);
  EXPECT_EQ(w.fleet_->counts().longest_wait, 0s);
}

}  // namespace
}  // namespace hone::tracker
