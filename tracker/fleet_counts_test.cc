#include "tracker/fleet_counts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

using protocol::DeviceAction;

std::array<size_t, 5> states(const FleetCounts& c) { return {c.ready, c.leased, c.unready, c.stuck, c.gone}; }

TEST(FleetCounts, EachDeviceIsOfOneState) {
  // Given two agents with two devices each, when one device is leased, one is lost, one agent falls silent and then goes away, then each device
  // is counted in the one state that holds, and the agents that are connected are counted.
  FleetWorld w(testing::TempDir() + "fleet_counts_" + std::to_string(getpid()) + ".db");
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

TEST(FleetCounts, WhatPeopleHoldBackIsOfAStateOfItsOwn) {
  // Given four devices, one of them leased, when that one and another are drained, and a third is quarantined, then each is counted as that, whatever its
  // health; when they go, then they are gone.
  FleetWorld w(Limits{});
  const auto at = w.join(1, {offer("a"), offer("b"), offer("c"), offer("d")}).devices;
  w.acquire({.selector = at[0].device_id, .job = "job", .user = "tess"});
  const auto manage = [&](size_t i, DeviceAction action) { w.run(w.fleet_->manage({.device_id = at[i].device_id, .action = action}, "anna").value()); };
  manage(0, DeviceAction::kDrain);
  manage(1, DeviceAction::kDrain);
  manage(2, DeviceAction::kQuarantine);
  const auto held = [&] {
    const FleetCounts c = w.fleet_->counts();
    return std::array<size_t, 4>{c.draining, c.maintenance, c.quarantined, c.gone};
  };
  EXPECT_EQ(held(), (std::array<size_t, 4>{1, 1, 1, 0}));
  EXPECT_EQ(states(w.fleet_->counts()), (std::array<size_t, 5>{1, 0, 0, 0, 0}));
  w.beat(1, false);
  EXPECT_EQ(held(), (std::array<size_t, 4>{1, 1, 1, 0}));
  w.run(w.fleet_->unlinked(1));
  EXPECT_EQ(held(), (std::array<size_t, 4>{0, 0, 0, 4}));
}

TEST(FleetCounts, LeasesAreCountedAsTheyComeAndAreLost) {
  // Given an agent with one device, when a request gets it and another waits, then one grant, one lease and the time of that wait are counted;
  // when the agent falls silent until the lease ends, then it is lost for its silence, and no more of it is counted.
  FleetWorld w(testing::TempDir() + "fleet_counts_" + std::to_string(getpid()) + ".db");
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
