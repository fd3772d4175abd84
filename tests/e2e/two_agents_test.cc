// Two native agents on one machine, of one class: one of them is killed in the middle of a job, which goes on with the other.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "tests/e2e/farm.h"
#include "tests/e2e/lease_check.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

struct TwoAgents : Farm {
  TwoAgents() {
    for (auto& one : agents) {
      one = std::make_unique<HoneProcess>(command({"agent", "--tracker", url, "--browser", "native"}));
      const size_t wanted = &one == &agents[0] ? 1 : 2;
      EXPECT_TRUE(wait_until(seconds(60), [&] { return ready() == wanted; })) << one->err() << devices();
      for (const auto& device : present())
        if (device["device_id"] != ids[0]) ids[wanted - 1] = device["device_id"];
    }
    EXPECT_EQ(std::system((std::string(HONE_SOURCE) + "/scripts/gen_model encoder --size 16 --out " + model()).c_str()), 0);
  }
  std::string model() const { return folder / "encoder.onnx"; }
  size_t ready() const {
    size_t count = 0;
    for (const auto& device : present()) count += device["state"] == "ready";
    return count;
  }
  HoneProcess::Config job(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--target", "native", "--json", "--tracker", url});
    return command(std::move(arguments));
  }
  void send_to_runners(int signal) const {
    for (const auto& one : agents)
      if (const std::vector<pid_t> runners = descendants(one->pid(), "hone_native_runner"); !runners.empty()) kill(runners.back(), signal);  // behind Node.js, which has its path as an argument
  }
  // Which agent's device is leased; waits until one is.
  int leased() const {
    std::vector<std::string> devices;
    EXPECT_TRUE(wait_until(seconds(60), [&] { return !(devices = query_texts(db(), "SELECT device_id FROM fleet_leases WHERE ended_unix_ms = 0")).empty(); }));
    return !devices.empty() && devices[0] == ids[1];
  }
  // With all that it started, as a crash of its machine does.
  void end(int which) const {
    std::vector<pid_t> all = descendants(agents[which]->pid(), "");
    kill(agents[which]->pid(), SIGKILL);
    for (const pid_t pid : all) kill(pid, SIGKILL);
  }
  // The job's result is of the agent that is left, and nothing else is.
  nlohmann::json expect_moved(HoneProcess& job) const {
    EXPECT_EQ(job.wait(seconds(120)), 0) << job.err();
    EXPECT_EQ(query_number(db(), "SELECT count(DISTINCT device_id) FROM fleet_leases"), 2);
    expect_one_lease_at_a_time(db());
    EXPECT_TRUE(wait_until(seconds(20), [&] { return is_idle(); })) << devices();
    const auto result = nlohmann::json::parse(job.out(), nullptr, false);
    EXPECT_EQ(result.value("device_changes", 0), 1) << job.out();
    return result;
  }

  std::unique_ptr<HoneProcess> agents[2];
  std::string ids[2];  // of their devices
};

TEST(TwoAgents, AreListedAsTwoDevicesOfOneClass) {
  // Given two native agents of one machine, when the fleet is listed, then they are two devices of one class and of one physical id.
  TwoAgents farm;
  const auto list = farm.present();
  ASSERT_EQ(list.size(), 2u) << list;
  EXPECT_NE(list[0]["device_id"], list[1]["device_id"]);
  EXPECT_EQ(list[0]["device_key"], list[1]["device_key"]);
}

TEST(TwoAgents, SlowARunGoesOnWithTheOtherOne) {
  // Given a model under way on one of two agents, when that one is killed with all its processes, then the model runs on the other, and the command ends well and says so.
  TwoAgents farm;
  farm.send_to_runners(SIGSTOP);  // so that it is under way for as long as it takes to be killed
  HoneProcess run(farm.job({"run", farm.model(), "--check"}));
  ASSERT_TRUE(wait_until(seconds(60), [&] { return run.err().find("the model runs") != std::string::npos; })) << run.err();
  farm.end(farm.leased());
  farm.send_to_runners(SIGCONT);
  const auto result = farm.expect_moved(run);
  EXPECT_LT(result["check"]["max_error"], 1e-4) << run.out();
}

TEST(TwoAgents, SlowATimingBeginsAnewOnTheOtherOne) {
  // Given a timing in the middle on one of two agents, when that one is killed with all its processes, then all is timed anew on the other, and the command ends well and says so.
  TwoAgents farm;
  HoneProcess bench(farm.job({"bench", farm.model(), "--runs", "400", "--time", "6"}));
  const int which = farm.leased();
  ASSERT_TRUE(wait_until(seconds(60), [&] { return bench.err().find("turn 2") != std::string::npos || !bench.running(); })) << bench.err();
  farm.end(which);
  const auto result = farm.expect_moved(bench);
  for (const auto& variant : result["variants"]) EXPECT_GT(variant["model_ms_median"], 0) << variant;
}

}  // namespace
}  // namespace hone::e2e
