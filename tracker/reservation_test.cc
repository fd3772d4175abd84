#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

struct Reservations : FleetWorld, testing::Test {
  Reservations() : FleetWorld(cat(testing::TempDir(), "/reservations_", getpid(), ".db")) {}
  std::set<std::string> devices_of(Client::RequestId request) {
    std::set<std::string> ids;
    for (const Granted& granted : taken<Granted>())
      if (granted.request == request) ids.insert(granted.lease.device.device_id);
    return ids;
  }
  void release_all_of(Client::RequestId request) {
    for (const Granted& granted : taken<Granted>())
      if (granted.request == request) run(fleet_->release(granted.lease.lease_id, "done"));
  }
  // Everybody beats, and all sessions make progress.
  void work_for(std::chrono::seconds time) {
    for (std::chrono::seconds passed{0}; passed < time; passed += 1s) {
      advance(1s);
      for (Link link = 1; link <= 4; ++link) beat(link);
    }
  }
};

protocol::DeviceOffer of_vendor(const std::string& vendor, const std::string& local_id) {
  protocol::DeviceOffer other = offer(local_id);
  other.fingerprint.vendor = vendor;
  return other;
}

TEST_F(Reservations, AllOrNone) {
  // Given two devices of one class and one of another, when three of one class are asked for, then none is leased; when a third of the class
  // comes, then all three are, in one commit, each with a session of its own. A count of none or too many is refused.
  join(1, {offer("a"), of_vendor("other", "b")});
  join(2, {offer("a")});
  const auto three = acquire({.job = "three", .count = 3, .wait = 1h});
  EXPECT_EQ(fleet_->leases(), 0u);
  effects_.clear();
  join(3, {offer("a")});
  EXPECT_EQ(devices_of(three).size(), 3u);
  EXPECT_EQ(fleet_->leases(), 3u);
  for (Link link = 1; link <= 3; ++link) EXPECT_EQ(sent<protocol::OpenSession>(link).size(), 1u);
  acquire({.job = "none", .count = 0});
  acquire({.job = "many", .count = kReservedMax + 1});
  ASSERT_EQ(taken<NotGranted>().size(), 2u);
  EXPECT_EQ(taken<NotGranted>()[0].error.code, ErrorCode::kInvalidArgument);
}

TEST_F(Reservations, NoDeadlock) {
  // Given two devices that two jobs want both, and one job that has one of them, when it is done, then one of the two has both, then the other.
  join(1, {offer("a"), offer("b")});
  const auto single = acquire({.job = "single"});
  const auto first = acquire({.job = "first", .count = 2, .wait = 1h});
  const auto second = acquire({.job = "second", .count = 2, .wait = 1h});
  work_for(90s);
  release_all_of(single);
  EXPECT_EQ(devices_of(first).size(), 2u);
  EXPECT_EQ(devices_of(second).size(), 0u);
  release_all_of(first);
  EXPECT_EQ(devices_of(second).size(), 2u);
}

TEST_F(Reservations, ThoseForOneDeviceDoNotStarveIt) {
  // Given two devices and a stream of jobs that want one each, when a job wants both, then it has both once it waited for a step of priority and
  // the jobs of then have ended; what is kept for it meanwhile goes to nobody else of no greater priority, but to one of greater priority.
  join(1, {offer("a"), offer("b")});
  const auto left = acquire({.job = "left"}), right = acquire({.job = "right"});
  const auto both = acquire({.job = "both", .count = 2, .wait = 1h});
  release_all_of(left);
  const auto young = acquire({.job = "young"});
  EXPECT_EQ(devices_of(young).size(), 1u);  // nothing is kept yet
  work_for(61s);
  release_all_of(young);
  const auto late = acquire({.job = "late", .wait = 1h});
  EXPECT_EQ(devices_of(late).size(), 0u);
  const auto urgent = acquire({.job = "urgent", .priority = 9});
  EXPECT_EQ(devices_of(urgent).size(), 1u);
  release_all_of(urgent);
  EXPECT_EQ(devices_of(late).size(), 0u);
  release_all_of(right);
  EXPECT_EQ(devices_of(both).size(), 2u);
}

TEST_F(Reservations, WhatWasKeptIsServedWhenTheReservationGoes) {
  // Given a device that is kept for a reservation while another job waits for it, when the reservation is cancelled, or its time is over, then
  // that job has it.
  for (const bool cancels : {true, false}) {
    start();
    effects_.clear();
    join(1, {offer("a"), offer("b")});
    const auto single = acquire({.job = "single"});
    const auto both = acquire({.job = "both", .count = 2, .wait = 100s});
    work_for(70s);
    const auto late = acquire({.job = "late", .wait = 1h});
    EXPECT_EQ(devices_of(late).size(), 0u);
    if (cancels) run(fleet_->cancel(both));
    else work_for(31s);
    EXPECT_EQ(devices_of(late).size(), 1u);
    const auto refused = taken<NotGranted>();
    EXPECT_EQ(refused.size(), cancels ? 0u : 1u);
    for (const NotGranted& one : refused) EXPECT_NE(one.error.message.find("2 equal devices"), std::string::npos);
    EXPECT_EQ(devices_of(single).size(), 1u);
  }
}

TEST_F(Reservations, AClassThatIsTooSmallIsNotKept) {
  // Given a reservation of two that has waited for long, and a lone device of another class, when a job wants that one, then it has it.
  join(1, {offer("a"), of_vendor("other", "lone")});
  acquire({.job = "both", .count = 2, .wait = 1h});
  work_for(70s);
  const auto one = acquire({.selector = "vendor=other", .job = "one"});
  EXPECT_EQ(devices_of(one).size(), 1u);
}

}  // namespace
}  // namespace hone::tracker
