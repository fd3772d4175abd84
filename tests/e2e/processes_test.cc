// Tracker, compile servers and agents as processes of their own: what the death of each costs the others.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/hone_command.h"
#include "tests/e2e/record_check.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

std::string first_line(const HoneProcess& process) { return process.out().substr(0, process.out().find('\n')); }
std::string port_of(const std::string& url) {
  const size_t begin = url.find(':', url.find("//")) + 1;
  return url.substr(begin, url.find('/', begin) - begin);
}

// `hone tracker`, two `hone server` with records of their own, and one agent.
struct SplitFarm {
  explicit SplitFarm(const std::string& browser = "native") {
    start_tracker("0");
    HoneProcess token(command({"tokens", "create", "--role", "server", "--name", "lab", "--out", folder / "server.token", "--tracker", url}));
    EXPECT_EQ(token.wait(seconds(20)), 0) << token.err();
    for (int i : {0, 1}) start_server(i);
    agent = std::make_unique<HoneProcess>(command({"agent", "--tracker", url, "--browser", browser}));
    EXPECT_TRUE(wait_until(seconds(40), [&] { return is_idle(); })) << agent->err();
  }

  HoneProcess::Config command(std::vector<std::string> arguments) const { return hone_in(folder, std::move(arguments)); }
  std::string db(int i) const { return folder / ("records" + std::to_string(i) + ".db"); }
  void start_tracker(const std::string& port) {
    tracker = std::make_unique<HoneProcess>(command({"tracker", "--port", port, "--db", folder / "fleet.db"}));
    EXPECT_TRUE(wait_until(seconds(20), [&] { return tracker->out().find('\n') != std::string::npos; })) << tracker->err();
    url = first_line(*tracker);
  }
  void start_server(int i) {
    servers[i] = std::make_unique<HoneProcess>(command({"server", "--port", "0", "--db", db(i), "--tracker", url.substr(0, url.find('#')), "--token-file", folder / "server.token"}));
    EXPECT_TRUE(wait_until(seconds(20), [&] { return servers[i]->out().find('\n') != std::string::npos; })) << servers[i]->err();
    EXPECT_TRUE(wait_until(seconds(20), [&] { return servers[i]->err().find("connected to the tracker") != std::string::npos; })) << servers[i]->err();
  }
  // With the tracker's token, as every client of its servers. `more`: the target, if not native.
  HoneProcess::Config tune(int server, int trials, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"tune", "--op", "matmul:64x64x64", "--json", "--trials", std::to_string(trials), "--tracker", first_line(*servers[server]) + url.substr(url.find('#'))};
    if (more.empty()) more = {"--target", "native"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return command(arguments);
  }
  nlohmann::json devices() const {
    HoneProcess ask(command({"devices", "--tracker", url, "--json"}));
    if (ask.wait(seconds(20)) != 0) return nlohmann::json::array();
    return nlohmann::json::parse(ask.out(), nullptr, false)["devices"];
  }
  bool is_idle() const {
    for (const auto& device : devices())
      if (device["state"] == "ready" && !device.contains("lease")) return true;
    return false;
  }
  bool measured(int server, int64_t more_than) const {
    return wait_until(seconds(60), [&] { return query_number(db(server), "SELECT count(*) FROM attempts") > more_than; });
  }
  // The job ended well with all its trials, each measured once.
  void expect_done(int server, HoneProcess& job, int trials) const {
    ASSERT_EQ(job.wait(seconds(180)), 0) << job.err() << servers[server]->err();
    const auto result = nlohmann::json::parse(job.out(), nullptr, false);
    EXPECT_EQ(result["tasks"][0]["trials"], trials);
    EXPECT_GT(result["tasks"][0]["best_ms"], 0);
    expect_sound(db(server));
    expect_each_once(db(server));
  }

  TempFolder folder;
  std::string url;
  std::unique_ptr<HoneProcess> tracker, agent, servers[2];
};

TEST(Processes, ServersShareADevice) {
  // Given a tracker, two servers and an agent, when a job is given to each server at the same time, then both end well, one after the other has the
  // device, and each server has its own records; each lists the tracker's device.
  SplitFarm farm;
  HoneProcess first(farm.tune(0, 16)), second(farm.tune(1, 16));
  farm.expect_done(0, first, 16);
  farm.expect_done(1, second, 16);
  HoneProcess devices(farm.command({"devices", "--json", "--tracker", first_line(*farm.servers[1]) + farm.url.substr(farm.url.find('#'))}));
  ASSERT_EQ(devices.wait(seconds(20)), 0) << devices.err();
  EXPECT_EQ(nlohmann::json::parse(devices.out())["devices"].size(), 1u);
  EXPECT_TRUE(wait_until(seconds(10), [&] { return farm.is_idle(); })) << farm.devices();
  EXPECT_EQ(query_number(farm.folder / "fleet.db", "SELECT count(*) FROM fleet_leases a JOIN fleet_leases b ON a.fence < b.fence AND a.ended_unix_ms > b.granted_unix_ms"), 0);
}

TEST(Processes, AModelRunsOnADeviceThatDialsItsServer) {
  // Given a tracker, two servers and an agent, when a model is run through a server with a check, then its kernels and weights reach the agent over the
  // session, and its outputs are the reference's.
  SplitFarm farm;
  ASSERT_EQ(std::system((std::string(HONE_SOURCE) + "/scripts/gen_model encoder --size 16 --out " + (farm.folder / "m.onnx")).c_str()), 0);
  HoneProcess run(farm.command({"run", farm.folder / "m.onnx", "--target", "native", "--check", "--json", "--tracker", first_line(*farm.servers[0]) + farm.url.substr(farm.url.find('#'))}));
  ASSERT_EQ(run.wait(seconds(300)), 0) << run.err();
  EXPECT_LT(nlohmann::json::parse(run.out(), nullptr, false)["check"]["max_error"], 1e-4) << run.out();
}

TEST(Processes, ATabDialsAServerOfAnotherOrigin) {
  // Given a tracker, two servers and a Chromium that has the tracker's page, when an operator is tuned through a server, then the page may open its
  // session there, and the search ends well.
  SplitFarm farm("chromium");
  HoneProcess tune(farm.tune(1, 6, {"--target", "webgpu"}));
  farm.expect_done(1, tune, 6);
  EXPECT_EQ(farm.tracker->err().find("relayed"), std::string::npos) << farm.tracker->err();
}

TEST(Processes, BothAnswerOverHttp) {
  // Given a tracker and a server, when each is asked over HTTP with the tracker's token and with one that nobody knows, then each answers what it has, and lets nobody else in, however long a body is.
  SplitFarm farm;
  const auto origin = [](const std::string& url) { return url.substr(0, url.find('/', url.find("//") + 2)); };
  const std::string token = farm.url.substr(farm.url.find("token=") + 6);
  EXPECT_EQ(std::system(("timeout 100 node " + std::string(HONE_SOURCE) + "/tests/e2e/rest_of_parts.mjs " + origin(farm.url) + " " + origin(first_line(*farm.servers[0])) + " " + token).c_str()), 0)
      << farm.servers[0]->err();
}

TEST(Processes, AKilledServersDeviceGoesToTheOther) {
  // Given a server in the middle of a job, when it is killed, then its lease ends by its time, and the other server gets the device and ends its job
  // well; when the killed one is started anew, then it works on from its records.
  SplitFarm farm;
  HoneProcess cut(farm.tune(0, 400));
  ASSERT_TRUE(farm.measured(0, 3)) << cut.err();
  farm.servers[0]->signal(SIGKILL);
  EXPECT_EQ(cut.wait(seconds(20)), 1);
  HoneProcess other(farm.tune(1, 12));
  farm.expect_done(1, other, 12);
  farm.start_server(0);
  HoneProcess again(farm.tune(0, 12));
  farm.expect_done(0, again, 12);
  EXPECT_TRUE(wait_until(seconds(10), [&] { return farm.is_idle(); })) << farm.devices();
  EXPECT_EQ(query_number(farm.folder / "fleet.db", "SELECT count(*) FROM fleet_leases a JOIN fleet_leases b ON a.fence < b.fence AND a.ended_unix_ms > b.granted_unix_ms"), 0);
}

TEST(Processes, AKilledTrackerComesBackToItsAgentsAndServers) {
  // Given a job in the middle, when the tracker is killed and started anew on its port and database, then servers and agent come back by themselves,
  // the agent as the same device, and the job goes on to its end, with no trial measured twice.
  SplitFarm farm;
  HoneProcess job(farm.tune(0, 60));
  ASSERT_TRUE(farm.measured(0, 3)) << job.err();
  const std::string device = farm.devices()[0]["device_id"], port = port_of(farm.url), url = farm.url;
  farm.tracker->signal(SIGKILL);
  EXPECT_EQ(farm.tracker->wait(seconds(5)), 128 + SIGKILL);
  farm.start_tracker(port);
  EXPECT_EQ(farm.url, url);
  farm.expect_done(0, job, 60);
  HoneProcess after(farm.tune(1, 8));
  farm.expect_done(1, after, 8);
  EXPECT_TRUE(wait_until(seconds(20), [&] { return farm.is_idle(); })) << farm.devices();
  ASSERT_EQ(farm.devices().size(), 1u) << farm.devices();
  EXPECT_EQ(farm.devices()[0]["device_id"], device);
}

TEST(Processes, ASessionIsRelayedWhereTheServerCannotBeDialled) {
  // Given a server at a URL that nobody answers, when a job and a model are given to it, then the agent's sessions come through the tracker, the job ends
  // well, and the model's outputs are the reference's.
  SplitFarm farm;
  HoneProcess server(farm.command({"server", "--json", "--port", "0", "--public-url", "http://127.0.0.1:9", "--db", farm.db(2), "--tracker", farm.url.substr(0, farm.url.find('#')), "--token-file", farm.folder / "server.token"}));
  ASSERT_TRUE(wait_until(seconds(20), [&] { return server.err().find("connected to the tracker") != std::string::npos; })) << server.err();
  const std::string url = "http://127.0.0.1:" + std::to_string(nlohmann::json::parse(server.out())["port"].get<int>()) + "/" + farm.url.substr(farm.url.find('#'));
  HoneProcess tune(farm.command({"tune", "--op", "matmul:64x64x64", "--json", "--target", "native", "--trials", "8", "--tracker", url}));
  ASSERT_EQ(tune.wait(seconds(120)), 0) << tune.err();
  EXPECT_EQ(nlohmann::json::parse(tune.out())["tasks"][0]["trials"], 8);
  expect_sound(farm.db(2));
  EXPECT_NE(farm.tracker->err().find("a session is relayed"), std::string::npos) << farm.tracker->err();
  ASSERT_EQ(std::system((std::string(HONE_SOURCE) + "/scripts/gen_model encoder --size 16 --out " + (farm.folder / "m.onnx")).c_str()), 0);
  HoneProcess run(farm.command({"run", farm.folder / "m.onnx", "--target", "native", "--check", "--json", "--tracker", url}));
  ASSERT_EQ(run.wait(seconds(120)), 0) << run.err();
  EXPECT_LT(nlohmann::json::parse(run.out(), nullptr, false)["check"]["max_error"], 1e-4) << run.out();
}

TEST(Processes, WhoIsNotLetInIsTold) {
  // Given a tracker, when a server comes with a submitter's token, or a job is given to the tracker itself, then each ends with 1 and says what to do.
  SplitFarm farm;
  HoneProcess token(farm.command({"tokens", "create", "--role", "submitter", "--name", "ann", "--out", farm.folder / "ann.token", "--tracker", farm.url}));
  ASSERT_EQ(token.wait(seconds(20)), 0) << token.err();
  HoneProcess server(farm.command({"server", "--port", "0", "--db", farm.folder / "x.db", "--tracker", farm.url.substr(0, farm.url.find('#')), "--token-file", farm.folder / "ann.token"}));
  EXPECT_EQ(server.wait(seconds(20)), 1);
  EXPECT_NE(server.err().find("hone tokens create --role server"), std::string::npos) << server.err();
  HoneProcess tune(farm.command({"tune", "--op", "matmul:64x64x64", "--target", "native", "--tracker", farm.url}));
  EXPECT_EQ(tune.wait(seconds(20)), 1);
  EXPECT_NE(tune.err().find("hone server"), std::string::npos) << tune.err();
}

}  // namespace
}  // namespace hone::e2e
