// Connections that break without a word: the network between is gone, both ends believe that they are connected. Slow: nobody can know
// before the limits for silence are over, half a minute at most.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/e2e/farm.h"
#include "tests/e2e/proxy.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

struct ProxiedFarm : Farm {
  ProxiedFarm() { start_agent(proxy.through(url)); }
  bool measured(int64_t more_than) const {
    return wait_until(seconds(60), [&] { return query_number(db(), "SELECT count(*) FROM attempts") > more_than; });
  }
  Proxy proxy{port()};
};

TEST(HalfOpen, ASilentSessionIsOpenedAgainUnderItsLease) {
  // Given a job in the middle, when its session falls silent while the agent's heartbeats arrive, then the service drops it, asks for another
  // under the same lease, and the job ends well.
  ProxiedFarm farm;
  HoneProcess tune(farm.tune(30));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  EXPECT_EQ(farm.proxy.fall_silent("/ws/session"), 1);
  expect_done(farm, tune, 30);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases"), 1);
  EXPECT_GE(farm.proxy.connections("/ws/session"), 2);
}

TEST(HalfOpen, AnAgentWhoseNetworkIsGoneComesBack) {
  // Given a job in the middle, when all connections of its agent fall silent, then the agent notices by its heartbeats, connects anew with its
  // old id and device, and the job ends well in the same browser.
  ProxiedFarm farm;
  HoneProcess tune(farm.tune(30));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  auto device = farm.present()[0]["device_id"];
  EXPECT_GE(farm.proxy.fall_silent("/ws"), 2);
  expect_done(farm, tune, 30);
  EXPECT_EQ(farm.present()[0]["device_id"], device);
  EXPECT_EQ(farm.agent->err().find("restarted"), std::string::npos) << farm.agent->err();
}

TEST(HalfOpen, AClientWhoseServiceIsSilentEndsAndItsJobToo) {
  // Given a job in the middle, when the connection of its client falls silent, then the client ends with 1 and a sentence, the service ends the
  // job, the lease returns, and the job goes on when the command is repeated.
  ProxiedFarm farm;
  auto config = farm.tune(100000);
  *std::find(config.arguments.begin(), config.arguments.end(), farm.url) = farm.proxy.through(farm.url);
  HoneProcess tune(config);
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  EXPECT_GE(farm.proxy.fall_silent("/ws/client"), 1);
  EXPECT_EQ(tune.wait(seconds(45)), 1);
  EXPECT_NE(tune.err().find("hone: the service closed the connection"), std::string::npos) << tune.err();
  EXPECT_TRUE(wait_until(seconds(20), [&] { return farm.is_idle(); })) << farm.devices();
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM jobs WHERE state = 'cancelled'"), 1);
  HoneProcess again(farm.tune(8));
  ASSERT_EQ(again.wait(seconds(60)), 0) << again.err();
  EXPECT_EQ(nlohmann::json::parse(again.out())["trials_new"], 0);
  expect_sound(farm.db());
  expect_each_once(farm.db());
}

}  // namespace
}  // namespace hone::e2e
