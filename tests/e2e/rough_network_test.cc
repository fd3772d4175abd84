// A network that cuts, delays, starves and loses what goes one way: a job over it ends well, nothing is measured twice, and no device is leased twice at once.
// The names with Slow are the faults that last as long as a limit of silence or a slow line does.
#include <gtest/gtest.h>

#include <csignal>

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
  // A session is there, and all that was under way is measured: a candidate that loses its agent four times is not tried again.
  bool goes_on() const {
    const auto timed = [this] { return query_number(db(), "SELECT count(*) FROM attempts WHERE outcome = 'ok'"); };
    const int64_t before = timed(), under_way = 16;
    return wait_until(seconds(60), [&] { return proxy.open("/ws/session") == 1 && proxy.open("/ws/agent") == 1 && timed() > before + under_way; });
  }
  Proxy proxy{port()};
};

void expect_ended_well(const RoughFarm& farm, HoneProcess& tune, int trials) {
  expect_done(farm, tune, trials);
  expect_one_lease_at_a_time(farm.db());
}

TEST(RoughNetwork, AConnectionThatEndsInTheMiddleOfAFrameCostsWhatWasUnderWay) {
  // Given a job in the middle, when its session, and then the agent's control socket, ends by a reset or a FIN after some bytes of a frame in either direction, then half a frame is no
  // message: it is opened again, the session under the same lease, and the job goes on; when it is interrupted, then what it measured is there once.
  RoughFarm farm;
  HoneProcess tune(farm.tune_native(100'000));  // longer than all of this takes
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  using enum Proxy::Way;
  using enum Proxy::End;
  constexpr struct { const char* path; Proxy::Way way; size_t after_bytes; Proxy::End end; } kCuts[] = {
      {"/ws/agent", kUp, 30, kReset}, {"/ws/session", kUp, 60, kFin}, {"/ws/session", kUp, 1, kReset}, {"/ws/session", kDown, 7, kReset}, {"/ws/session", kDown, 500, kFin}};
  for (const auto& [path, way, after_bytes, end] : kCuts) {
    ASSERT_TRUE(farm.goes_on()) << tune.err() << farm.up->err();
    const int before = farm.proxy.connections(path);
    EXPECT_EQ(farm.proxy.cut(path, way, after_bytes, end), 1);
    EXPECT_TRUE(wait_until(seconds(20), [&] { return farm.proxy.connections(path) > before; })) << path << " after " << after_bytes << " bytes";
  }
  EXPECT_TRUE(farm.goes_on()) << tune.err();
  tune.signal(SIGINT);
  EXPECT_EQ(tune.wait(seconds(30)), 130) << tune.err();
  expect_sound(farm.db());
  expect_each_once(farm.db());
  EXPECT_TRUE(wait_until(seconds(20), [&] { return farm.is_idle(); })) << farm.devices();
  EXPECT_EQ(farm.agent->err().find("restarted"), std::string::npos) << farm.agent->err();
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
