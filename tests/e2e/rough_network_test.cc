// A network that cuts, delays, starves and loses what goes one way: a job over it ends well, nothing is measured twice, and no device is leased twice at once.
// The names with Slow are the faults that last as long as a limit of silence or a slow line does.
#include <gtest/gtest.h>

#include "tests/e2e/farm.h"
#include "tests/e2e/lease_check.h"
#include "tests/e2e/proxy.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;
using namespace std::chrono_literals;

struct RoughFarm : Farm {
  RoughFarm() { start_agent_with({"--browser", "native"}, proxy.through(url)); }
  HoneProcess::Config tune_native(int trials) const { return tune(trials, {"--target", "native"}); }
  int64_t attempts() const { return query_number(db(), "SELECT count(*) FROM attempts"); }
  bool measured(int64_t more_than) const {
    return wait_until(seconds(60), [&] { return attempts() > more_than; });
  }
  // A session is there, and measures.
  bool goes_on() const {
    return wait_until(seconds(60), [&] { return proxy.open("/ws/session") == 1 && proxy.open("/ws/agent") == 1; }) && measured(attempts());
  }
  Proxy proxy{port()};
};

void expect_ended_well(const RoughFarm& farm, HoneProcess& tune, int trials) {
  expect_done(farm, tune, trials);
  expect_one_lease_at_a_time(farm.db());
  EXPECT_EQ(farm.agent->err().find("restarted"), std::string::npos) << farm.agent->err();
}

TEST(RoughNetwork, AConnectionThatEndsInTheMiddleOfAFrameCostsWhatWasUnderWay) {
  // Given a job in the middle, when its session, and then the agent's control socket, ends by a reset or a FIN after some bytes of a frame in either direction, then half a frame is no
  // message: the session is opened again under the same lease, and the job ends well.
  RoughFarm farm;
  HoneProcess tune(farm.tune_native(150));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  size_t bytes = 1;
  for (const char* path : {"/ws/session", "/ws/agent"})
    for (const Proxy::Way way : {Proxy::Way::kUp, Proxy::Way::kDown})
      for (const Proxy::End end : {Proxy::End::kReset, Proxy::End::kFin}) {
        ASSERT_TRUE(farm.goes_on()) << tune.err() << farm.up->err();
        const int before = farm.proxy.connections(path);
        EXPECT_EQ(farm.proxy.cut(path, way, bytes, end), 1);
        EXPECT_TRUE(wait_until(seconds(20), [&] { return farm.proxy.connections(path) > before; })) << path << " after " << bytes << " bytes";
        bytes = bytes * 2 + 1;
      }
  expect_ended_well(farm, tune, 150);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases"), 1);
}

TEST(RoughNetwork, SlowTwoSecondsOfLatencyEndNoLease) {
  // Given a network on which each piece takes two seconds either way, when an operator is tuned, then the agent is neither stuck nor sent away, and the job ends well under one lease.
  RoughFarm farm;
  farm.proxy.slow_down(2s);
  HoneProcess tune(farm.tune_native(12));
  expect_ended_well(farm, tune, 12);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases"), 1);
  EXPECT_EQ(farm.proxy.connections("/ws/agent"), 1);
}

TEST(RoughNetwork, SlowTenKilobytesInASecondEndNoLease) {
  // Given a network of 10 kB/s, when an operator is tuned, then its data and kernels come in their time, and the job ends well under one lease.
  RoughFarm farm;
  farm.proxy.slow_down(20ms, 10'000);
  HoneProcess tune(farm.tune_native(12));
  expect_ended_well(farm, tune, 12);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases"), 1);
  EXPECT_EQ(farm.proxy.connections("/ws/agent"), 1);
}

class OneWay : public testing::TestWithParam<Proxy::Way> {};
INSTANTIATE_TEST_SUITE_P(Slow, OneWay, testing::Values(Proxy::Way::kUp, Proxy::Way::kDown),
                         [](const auto& info) { return info.param == Proxy::Way::kUp ? "NothingComesFromTheAgent" : "NothingComesToTheAgent"; });

TEST_P(OneWay, TheAgentConnectsAnewAndTheJobGoesOn) {
  // Given a job in the middle, when what goes one way on all of its agent's connections is lost, and what goes the other way arrives, then the agent comes back on new ones as the same
  // device, and the job ends well.
  RoughFarm farm;
  HoneProcess tune(farm.tune_native(60));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  const auto device = farm.present()[0]["device_id"];
  const int before = farm.proxy.connections("/ws/agent");
  EXPECT_EQ(farm.proxy.lose("/ws/agent", GetParam()) + farm.proxy.lose("/ws/session", GetParam()), 2);
  expect_ended_well(farm, tune, 60);
  EXPECT_GT(farm.proxy.connections("/ws/agent"), before);
  EXPECT_EQ(farm.present()[0]["device_id"], device);
}

}  // namespace
}  // namespace hone::e2e
