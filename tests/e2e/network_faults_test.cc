// What may happen to the connections of a fleet, and to its service: each job ends well or with the right code, and nothing is measured twice.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/farm.h"
#include "tests/e2e/proxy.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

struct ProxiedFarm : Farm {
  ProxiedFarm() { start_agent(proxy.through(url)); }
  Proxy proxy{port()};
};

bool measured(const Farm& farm, int64_t more_than) {
  return wait_until(seconds(60), [&] { return query_number(farm.db(), "SELECT count(*) FROM attempts") > more_than; });
}

TEST(NetworkFaults, ResetSocketsAreOpenedAgain) {
  // Given a job in the middle, when its session's socket is reset, later the agent's control socket, and later both at once, then the lease
  // stays, and the job ends well.
  ProxiedFarm farm;
  HoneProcess tune(farm.tune(80));
  ASSERT_TRUE(measured(farm, 3)) << tune.err();
  EXPECT_EQ(farm.proxy.reset("/ws/session"), 1);
  int64_t before = query_number(farm.db(), "SELECT count(*) FROM attempts");
  ASSERT_TRUE(measured(farm, before + 6)) << tune.err();
  EXPECT_EQ(farm.proxy.reset("/ws/agent"), 1);
  ASSERT_TRUE(measured(farm, before + 12)) << tune.err();
  ASSERT_TRUE(wait_until(seconds(60), [&] {
    return farm.proxy.open("/ws/session") >= 1 && farm.proxy.open("/ws/agent") >= 1;
  })) << tune.err();
  EXPECT_GE(farm.proxy.reset("/ws"), 2);
  expect_done(farm, tune, 80);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases"), 1);
  EXPECT_GE(farm.proxy.connections("/ws/session"), 3);
}

TEST(NetworkFaults, TwoClientsTakeTurnsOnOneDevice) {
  // Given one device, when two jobs want it, and a third that waits for a second only, then the two end well one after the other, the third
  // ends with 3 and says that the device is in use.
  Farm farm;
  farm.start_agent();
  HoneProcess first(farm.tune(30));
  ASSERT_TRUE(measured(farm, 0)) << first.err();
  HoneProcess second(farm.tune(10, {"--seed", "2"}));
  HoneProcess hasty(farm.tune(10, {"--wait", "1"}));
  EXPECT_EQ(hasty.wait(seconds(30)), 3);
  EXPECT_NE(hasty.err().find("in use"), std::string::npos) << hasty.err();
  ASSERT_EQ(first.wait(seconds(120)), 0) << first.err();
  ASSERT_EQ(second.wait(seconds(120)), 0) << second.err();
  expect_sound(farm.db());
  expect_each_once(farm.db());
  EXPECT_TRUE(wait_until(seconds(10), [&] { return farm.is_idle(); })) << farm.devices();
  // The second had the device only when the first was done with it.
  EXPECT_EQ(query_number(farm.db(),
                         "SELECT count(*) FROM fleet_leases a JOIN fleet_leases b ON a.fence < b.fence AND "
                         "a.ended_unix_ms > b.granted_unix_ms"),
            0);
}

TEST(NetworkFaults, ARestartedServiceGoesOnFromTheRecords) {
  // Given a job in the middle, when the service is killed and started anew on its port and database, then the client ends with 1 and a sentence, no lease and
  // no job is left open, the URL is the same, and the agent comes back by itself with its browser, as the same device; when the command is repeated, then the
  // job goes on from the records.
  Farm farm;
  farm.start_agent();
  HoneProcess tune(farm.tune(400));
  ASSERT_TRUE(measured(farm, 6)) << tune.err();
  const std::string port = farm.port(), url = farm.url, device = farm.present()[0]["device_id"];
  const std::vector<pid_t> browsers = descendants(farm.agent->pid(), "--headless");
  farm.up->signal(SIGKILL);
  EXPECT_EQ(tune.wait(seconds(20)), 1);
  EXPECT_NE(tune.err().find("hone: the service closed the connection"), std::string::npos) << tune.err();
  EXPECT_EQ(farm.up->wait(seconds(5)), 128 + SIGKILL);
  int64_t known = query_number(farm.db(), "SELECT count(*) FROM trials");
  farm.start_service(port);
  EXPECT_EQ(farm.url, url);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases WHERE ended_unix_ms = 0"), 0);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM jobs WHERE state = 'running'"), 0);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM jobs WHERE state = 'failed'"), 1);
  ASSERT_TRUE(wait_until(seconds(30), [&] { return farm.device_is("ready"); })) << farm.agent->err();
  EXPECT_EQ(farm.present()[0]["device_id"], device);
  EXPECT_FALSE(browsers.empty());
  EXPECT_EQ(descendants(farm.agent->pid(), "--headless"), browsers) << "no browser was started anew";
  HoneProcess again(farm.tune(20));
  expect_done(farm, again, 20);
  auto result = nlohmann::json::parse(again.out());
  EXPECT_LE(result["trials_new"], 20 - std::min<int64_t>(known - 1, 5));
}

}  // namespace
}  // namespace hone::e2e
