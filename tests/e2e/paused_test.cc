// Processes that are stopped (SIGSTOP) and go on later (SIGCONT), or never, as by a debugger, a full machine or a laptop's lid: their sockets stay open and say nothing. Slow: nobody can know before the limits of silence are over.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/farm.h"
#include "tests/e2e/lease_check.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

struct PausedFarm : Farm {
  HoneProcess::Config tune_native(int trials) const { return tune(trials, {"--target", "native"}); }
  bool measured(int64_t more_than) const {
    return wait_until(seconds(60), [&] { return query_number(db(), "SELECT count(*) FROM attempts") > more_than; });
  }
  // `hone agent` with all that it started.
  std::vector<pid_t> agents_processes() const {
    std::vector<pid_t> all = descendants(agent->pid(), "");
    all.insert(all.begin(), agent->pid());
    return all;
  }
};

void send(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t pid : processes) kill(pid, signal);
}

void expect_ended_well(const PausedFarm& farm, HoneProcess& tune, int trials) {
  expect_done(farm, tune, trials);
  expect_one_lease_at_a_time(farm.db());
}

TEST(Paused, ARunnerThatIsStoppedIsReplaced) {
  // Given an idle agent whose process for kernels is stopped, when an operator is tuned on it, then another such process takes its place once the task's buffers are overdue, and the job ends well under one lease.
  PausedFarm farm;
  farm.start_agent_with({"--browser", "native"});
  const std::vector<pid_t> runners = descendants(farm.agent->pid(), "hone_native_runner");  // Node.js has its path as an argument, and comes first
  ASSERT_FALSE(runners.empty());
  kill(runners.back(), SIGSTOP);
  HoneProcess tune(farm.tune_native(10));
  expect_ended_well(farm, tune, 10);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases"), 1);
  EXPECT_EQ(farm.agent->err().find("restarted"), std::string::npos) << farm.agent->err();
}

TEST(Paused, AnAgentThatIsStoppedLosesItsLeaseAndComesBack) {
  // Given a job in the middle, when its agent is stopped with its launcher until its lease has ended, then the job waits; when it goes on, then what it had measured is void, it is leased
  // again under a greater fence, and the job ends well.
  PausedFarm farm;
  farm.start_agent_with({"--browser", "native"});
  HoneProcess tune(farm.tune_native(200));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  const std::vector<pid_t> stopped = farm.agents_processes();
  send(stopped, SIGSTOP);
  ASSERT_TRUE(wait_until(seconds(40), [&] { return query_number(farm.db(), "SELECT count(*) FROM fleet_leases WHERE ended_unix_ms > 0") == 1; }));
  send(stopped, SIGCONT);
  expect_ended_well(farm, tune, 200);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases"), 2);
}

TEST(Paused, AServiceThatIsStoppedEndsNoLease) {
  // Given a job in the middle on a native agent, when the service is stopped for longer than an agent may be silent and than a lease lives, and then goes on, then the lease holds, nothing
  // acknowledged is lost or there twice, and the job ends well.
  PausedFarm farm;
  farm.start_agent_with({"--browser", "native"});
  HoneProcess tune(farm.tune_native(200));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  const int64_t before = query_number(farm.db(), "SELECT count(*) FROM attempts");
  farm.up->signal(SIGSTOP);
  EXPECT_FALSE(wait_until(seconds(17), [&] { return !tune.running(); })) << "the pause itself";
  farm.up->signal(SIGCONT);
  expect_ended_well(farm, tune, 200);
  EXPECT_GE(query_number(farm.db(), "SELECT count(*) FROM attempts"), before);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases"), 1);
}

TEST(Paused, ABrowserThatIsStoppedIsReplacedAndTheJobGoesOn) {
  // Given a job in the middle on a browser, when all of its processes are stopped, then another browser takes its place, and the job ends well.
  PausedFarm farm;
  farm.start_agent();
  HoneProcess tune(farm.tune(30));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  const std::vector<pid_t> browser = descendants(farm.agent->pid(), "chromium");
  ASSERT_FALSE(browser.empty());
  send(browser, SIGSTOP);
  expect_ended_well(farm, tune, 30);
  EXPECT_NE(farm.agent->err().find("restarted"), std::string::npos) << farm.agent->err();
}

}  // namespace
}  // namespace hone::e2e
