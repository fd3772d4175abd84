// Tracker, servers and an agent on hosts of their own, and a network that fails.
#include <gtest/gtest.h>

#include "tests/e2e/hone_command.h"
#include "tests/e2e/hosts.h"
#include "tests/e2e/record_check.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;
constexpr int kTracker = 0, kOne = 1, kOther = 2, kAgent = 3;

struct Lab {
  Lab() {
    if (!hosts.is_made()) return;
    tracker = start(kTracker, {"tracker", "--db", folder / "fleet.db", "--host", "0.0.0.0", "--plain-http"});
    EXPECT_TRUE(wait_until(seconds(20), [&] { return tracker->out().find('\n') != std::string::npos; })) << tracker->err();
    const std::string printed = tracker->out().substr(0, tracker->out().find('\n'));
    token = printed.substr(printed.find('#'));
    for (int i : {kOne, kOther}) {
      servers[i] = start(i, {"server", "--db", db(i), "--host", Hosts::address(i), "--plain-http", "--tracker", tracker_url()});
      EXPECT_TRUE(wait_until(seconds(20), [&] { return servers[i]->err().find("connected to the tracker") != std::string::npos; })) << servers[i]->err();
    }
    agent = start(kAgent, {"agent", "--tracker", tracker_url(), "--browser", "native"});
  }
  std::unique_ptr<HoneProcess> start(int host, std::vector<std::string> arguments) const {
    HoneProcess::Config config = hone_in(folder, std::move(arguments));
    config.network = hosts.name(host);
    return std::make_unique<HoneProcess>(config);
  }
  std::string tracker_url() const { return "http://" + Hosts::address(kTracker) + ":9190/agent/" + token; }
  std::string db(int i) const { return folder / ("records" + std::to_string(i) + ".db"); }
  // From the server's own host.
  std::unique_ptr<HoneProcess> tune(int server, int trials) const {
    return start(server, {"tune", "--op", "matmul:64x64x64", "--json", "--target", "native", "--trials", std::to_string(trials), "--tracker", "http://" + Hosts::address(server) + ":9191/" + token});
  }
  int64_t attempts(int server) const { return query_number(db(server), "SELECT count(*) FROM attempts"); }

  TempFolder folder;
  Hosts hosts{4};
  std::string token;
  std::unique_ptr<HoneProcess> tracker, servers[3], agent;
};

TEST(Hosts, AServerThatIsCutOffLosesItsDeviceAndComesBack) {
  // Given a tracker, two servers and an agent on four hosts, and a job of one server in the middle, when that server's host is cut off without a word, then
  // the other server gets the device and ends its job; when the network is mended, then the first job goes on and ends well, with no trial twice.
  if (const std::string why = Hosts::why_not(); !why.empty()) GTEST_SKIP() << why;
  Lab lab;
  ASSERT_TRUE(lab.hosts.is_made());
  const auto cut = lab.tune(kOne, 60);
  ASSERT_TRUE(wait_until(seconds(60), [&] { return lab.attempts(kOne) > 3; })) << cut->err() << lab.agent->err();
  ASSERT_TRUE(lab.hosts.cut(kOne));
  const auto other = lab.tune(kOther, 8);
  ASSERT_EQ(other->wait(seconds(60)), 0) << other->err();
  EXPECT_EQ(nlohmann::json::parse(other->out())["tasks"][0]["trials"], 8);
  EXPECT_TRUE(cut->running()) << cut->err();
  ASSERT_TRUE(lab.hosts.mend(kOne));
  ASSERT_EQ(cut->wait(seconds(120)), 0) << cut->err() << lab.servers[kOne]->err();
  EXPECT_EQ(nlohmann::json::parse(cut->out())["tasks"][0]["trials"], 60);
  for (int i : {kOne, kOther}) {
    expect_sound(lab.db(i));
    expect_each_once(lab.db(i));
  }
  EXPECT_EQ(query_number(lab.folder / "fleet.db", "SELECT count(*) FROM fleet_leases a JOIN fleet_leases b ON a.fence < b.fence AND a.ended_unix_ms > b.granted_unix_ms"), 0);
}

}  // namespace
}  // namespace hone::e2e
