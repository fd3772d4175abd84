// Several trackers on one PostgreSQL database: any may die.
#include <gtest/gtest.h>

#include <csignal>

#include "base/cat.h"
#include "base/sql/scratch_database.h"
#include "tests/e2e/hone_command.h"
#include "tests/e2e/record_check.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

std::string first_line(const HoneProcess& process) { return process.out().substr(0, process.out().find('\n')); }
std::string without_fragment(const std::string& url) { return url.substr(0, url.find('#')); }
std::string origin_of(const std::string& url) { return url.substr(0, url.find("/agent")); }

// Three trackers, a server and an agent that were told of the first one, or of all.
struct SharedFarm {
  SharedFarm() {
    for (int i = 0; i < 3; ++i) start_tracker(i, "0");
    EXPECT_TRUE(wait_until(seconds(20), [&] { return leader() >= 0 && knows_all(leader()); })) << trackers[0]->err();
    HoneProcess token(command({"tokens", "create", "--role", "server", "--name", "lab", "--out", folder / "server.token", "--tracker", urls[leader()]}));
    EXPECT_EQ(token.wait(seconds(20)), 0) << token.err();
    std::vector<std::string> arguments{"server", "--port", "0", "--db", db(), "--tracker", without_fragment(urls[0]), "--token-file", folder / "server.token"};
    for (int i : {1, 2}) arguments.insert(arguments.end(), {"--more-tracker", origin_of(urls[i])});
    server = std::make_unique<HoneProcess>(command(arguments));
    EXPECT_TRUE(wait_until(seconds(20), [&] { return server->err().find("connected to the tracker") != std::string::npos; })) << server->err();
    agent = std::make_unique<HoneProcess>(command({"agent", "--tracker", urls[leader()], "--browser", "native"}));
    EXPECT_TRUE(wait_until(seconds(40), [&] { return !device().empty(); })) << agent->err();
  }

  HoneProcess::Config command(std::vector<std::string> arguments) const { return hone_in(folder, std::move(arguments)); }
  std::string db() const { return folder / "records.db"; }
  void start_tracker(int i, const std::string& port) {
    trackers[i] = std::make_unique<HoneProcess>(command({"tracker", "--port", port, "--db", postgres.url()}));
    EXPECT_TRUE(wait_until(seconds(20), [&] { return trackers[i]->out().find('\n') != std::string::npos; })) << trackers[i]->err();
    urls[i] = first_line(*trackers[i]);
  }
  // Which tracker has the farm; -1: none.
  int leader() const {
    for (int i = 0; i < 3; ++i)
      if (trackers[i] && std::system(("curl --silent --fail --max-time 2 --output /dev/null " + origin_of(urls[i]) + "/readyz").c_str()) == 0) return i;
    return -1;
  }
  bool knows_all(int i) const { return std::system(("curl --silent --max-time 2 " + origin_of(urls[i]) + "/metrics | grep --quiet '^hone_trackers 3$'").c_str()) == 0; }
  // The id of the device that is ready, as whoever has the farm tells it; "" = none is.
  std::string device() const {
    const int at = leader();
    if (at < 0) return "";
    HoneProcess ask(command({"devices", "--tracker", urls[at], "--json"}));
    if (ask.wait(seconds(20)) != 0) return "";
    const auto list = nlohmann::json::parse(ask.out(), nullptr, false);
    for (const auto& device : list["devices"])
      if (device["state"] == "ready") return device["device_id"];
    return "";
  }
  HoneProcess::Config tune(int trials) const {
    return command({"tune", "--op", "matmul:64x64x64", "--json", "--target", "native", "--trials", std::to_string(trials), "--tracker", first_line(*server) + urls[0].substr(urls[0].find('#'))});
  }
  void expect_measured(int64_t more_than) const {
    EXPECT_TRUE(wait_until(seconds(90), [&] { return query_number(db(), "SELECT count(*) FROM attempts") > more_than; })) << server->err();
  }
  // The job ended well with all its trials, each measured once; no two leases of a device had the same fence, or overlapped.
  void expect_done(HoneProcess& job, int trials) const {
    ASSERT_EQ(job.wait(seconds(240)), 0) << job.err() << server->err();
    EXPECT_EQ(nlohmann::json::parse(job.out(), nullptr, false)["tasks"][0]["trials"], trials);
    expect_sound(db());
    expect_each_once(db());
    const auto farm = std::move(sql::open_database(postgres.url())).value();
    int64_t overlaps = -1;
    ASSERT_TRUE(farm->query("SELECT count(*) FROM fleet_leases a JOIN fleet_leases b ON a.device_id = b.device_id AND a.fence < b.fence AND a.ended_unix_ms > b.granted_unix_ms", {},
                            [&](const sql::Row& row) { return overlaps = row.integer(0), ok_status(); }).ok());
    EXPECT_EQ(overlaps, 0);
  }

  TempFolder folder;
  sql::ScratchPostgres postgres;
  std::unique_ptr<HoneProcess> trackers[3], server, agent;
  std::string urls[3];
};

TEST(TrackerFarm, EachTrackerMayDie) {
  // Given three trackers and a job in the middle, when the one that has the farm is killed, and then the next one, too, then the job goes on with the third to its end, on the same device, with no
  // trial measured twice and no two leases at once.
  SharedFarm farm;
  const std::string device = farm.device();
  HoneProcess job(farm.tune(80));
  for (int killed = 0; killed < 2; ++killed) {
    farm.expect_measured(killed * 20 + 3);
    const int at = farm.leader();
    ASSERT_GE(at, 0);
    std::exchange(farm.trackers[at], nullptr)->signal(SIGKILL);
    ASSERT_TRUE(wait_until(seconds(30), [&] { return farm.leader() >= 0; }));
  }
  farm.expect_done(job, 80);
  EXPECT_TRUE(wait_until(seconds(30), [&] { return farm.device() == device; })) << farm.device();
}

TEST(TrackerFarm, WhoStandsBySaysWhereTheFarmIs) {
  // Given three trackers, when one that stands by is asked for its devices, over HTTP, or to let a server in with a bad token, then it names the one that has the farm; when the one that has it is
  // ended in order, then another one has it within seconds.
  SharedFarm farm;
  const int leader = farm.leader(), other = (leader + 1) % 3;
  const std::string where = origin_of(farm.urls[leader]);
  HoneProcess ask(farm.command({"devices", "--tracker", farm.urls[other], "--json"}));
  EXPECT_EQ(ask.wait(seconds(20)), 1);
  EXPECT_NE(ask.err().find(where), std::string::npos) << ask.err();
  const std::string answer = "curl --silent --max-time 5 --write-out ' %{http_code}' " + origin_of(farm.urls[other]) + "/api/v1/devices";
  EXPECT_EQ(std::system((answer + " | tr '\\n' ' ' | grep --quiet '\"code\":\"busy\".*" + where + ".* 503$'").c_str()), 0) << answer;
  const auto began = std::chrono::steady_clock::now();
  farm.trackers[leader]->signal(SIGTERM);
  EXPECT_EQ(farm.trackers[leader]->wait(seconds(20)), 0);
  farm.trackers[leader] = nullptr;
  ASSERT_TRUE(wait_until(seconds(10), [&] { return farm.leader() >= 0; }));
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(6));
}

TEST(TrackerFarm, SlowAPausedTrackerWritesNothingAfterIt) {
  // Given the tracker that has the farm, when it is paused until another one has it, and goes on, then it stands by, and a job of the time between ends well.
  SharedFarm farm;
  HoneProcess job(farm.tune(60));
  farm.expect_measured(3);
  const int at = farm.leader();
  ASSERT_GE(at, 0);
  farm.trackers[at]->signal(SIGSTOP);
  ASSERT_TRUE(wait_until(seconds(40), [&] { return farm.leader() >= 0; }));
  const int next = farm.leader();
  EXPECT_NE(next, at);
  farm.trackers[at]->signal(SIGCONT);
  EXPECT_TRUE(wait_until(seconds(10), [&] { return farm.trackers[at]->err().find("stands by") != std::string::npos; })) << farm.trackers[at]->err();
  EXPECT_EQ(farm.leader(), next);
  farm.expect_done(job, 60);
}

TEST(TrackerFarm, SlowADatabaseThatDiedComesBack) {
  // Given a job in the middle, when all processes of the database are killed, and it is started anew, then the trackers go on, and the job ends well.
  SharedFarm farm;
  HoneProcess job(farm.tune(60));
  farm.expect_measured(3);
  farm.postgres.kill();
  ASSERT_TRUE(wait_until(seconds(20), [&] { return farm.trackers[0]->err().find("who has the farm is not known") != std::string::npos; })) << farm.trackers[0]->err();
  farm.postgres.start();
  farm.expect_done(job, 60);
  EXPECT_TRUE(wait_until(seconds(30), [&] { return farm.leader() >= 0; }));
}

}  // namespace
}  // namespace hone::e2e
