#include <gtest/gtest.h>
#include <unistd.h>

#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

struct Quotas : FleetWorld, testing::Test {
  Quotas() : FleetWorld(cat(testing::TempDir(), "/quotas_", getpid(), ".db")) {}
  LeaseRequest of(const std::string& user, size_t devices_max, const std::string& selector = "", size_t count = 1) const {
    return {.selector = selector, .job = cat("job of ", user), .user = user, .user_devices_max = devices_max, .count = count, .wait = 1h};
  }
  // The device of the request's lease; "" = it waits.
  std::string device_of(Client::RequestId request) {
    for (const Granted& granted : taken<Granted>())
      if (granted.request == request) return granted.lease.device.device_id;
    return "";
  }
  void release(Client::RequestId request) {
    for (const Granted& granted : taken<Granted>())
      if (granted.request == request) return run(fleet_->release(granted.lease.lease_id, "done"));
  }
};

TEST_F(Quotas, WhoHasEnoughWaitsAndKeepsNobodyWaiting) {
  // Given three devices and a user who may have two, when he asks for three, then he has two, another user has the third though he asked later; and when he gives one back, he has it again.
  join(1, {offer("a"), offer("b"), offer("c")});
  const auto first = acquire(of("ann", 2)), second = acquire(of("ann", 2)), third = acquire(of("ann", 2));
  const auto other = acquire(of("bob", 0));
  EXPECT_NE(device_of(first), "");
  EXPECT_NE(device_of(second), "");
  EXPECT_EQ(device_of(third), "");
  EXPECT_NE(device_of(other), "");
  release(first);
  EXPECT_NE(device_of(third), "");
}

TEST_F(Quotas, ADeviceThatWasFreeAllTheTimeIsGiven) {
  // Given a user with one device who waits for another one that is free, when he gives his own back, then he has the other at once.
  join(1, {offer("a"), offer("b")});
  const auto one = acquire(of("ann", 1));
  const std::string had = device_of(one);
  const std::string all[] = {fleet_->devices("", 2)[0].device_id, fleet_->devices("", 2)[1].device_id};
  const std::string free = all[0] == had ? all[1] : all[0];
  const auto waits = acquire(of("ann", 1, free));
  EXPECT_EQ(device_of(waits), "");
  release(one);
  EXPECT_EQ(device_of(waits), free);
}

TEST_F(Quotas, MoreAtOnceThanOnesQuotaIsRefused) {
  // Given a user who may have one device, when he asks for two at once, then the request is refused, with what to do.
  join(1, {offer("a"), offer("b")});
  acquire(of("ann", 1, "", 2));
  ASSERT_EQ(taken<NotGranted>().size(), 1u);
  EXPECT_EQ(taken<NotGranted>()[0].error.code, ErrorCode::kLimitExceeded);
  EXPECT_NE(taken<NotGranted>()[0].error.message.find("--devices-max"), std::string::npos);
}

TEST_F(Quotas, WhoMayHaveNoMoreEndsNobodysTerm) {
  // Given one device, leased to bob, and ann, who waits for it but has as many as she may have elsewhere, when bob's term is over, then he keeps it; when ann gives hers back, it ends.
  join(1, {offer("a")});
  const auto bobs = acquire(of("bob", 0));
  const std::string device = device_of(bobs);
  join(2, {offer("a")});
  const auto anns = acquire(of("ann", 1));
  acquire(of("ann", 1, device));
  const auto pass = [&](std::chrono::minutes time) {
    for (std::chrono::seconds passed{0}; passed < time; passed += 5s) {
      advance(5s);
      for (Link link = 1; link <= 2; ++link) beat(link);
      for (const Granted& granted : taken<Granted>()) fleet_->progress(granted.lease.lease_id, 0ms);
      run(fleet_->tick());
    }
  };
  pass(31min);
  EXPECT_TRUE(taken<LeaseLost>().empty());
  release(anns);
  pass(1min);
  ASSERT_EQ(taken<LeaseLost>().size(), 1u);
  EXPECT_EQ(taken<LeaseLost>()[0].request, bobs);
}

}  // namespace
}  // namespace hone::tracker
