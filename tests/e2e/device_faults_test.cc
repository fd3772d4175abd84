// What may happen to a device while it measures: each job ends well, every record is there once, and the lease returns.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/devtools.h"
#include "tests/e2e/farm.h"
#include "tests/e2e/record_check.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

struct DevToolsFarm : Farm {
  DevToolsFarm() { start_agent("", DevTools::browser_program(folder.path())); }
  int64_t attempts() const { return query_number(db(), "SELECT count(*) FROM attempts"); }
  int64_t outcomes(const std::string& name) const {
    return query_number(db(), "SELECT count(*) FROM attempts WHERE outcome = '" + name + "'");
  }
  bool measured(int64_t more_than) const {
    return wait_until(seconds(60), [&] { return attempts() > more_than; });
  }
};

TEST(DeviceFaults, ALostDeviceAndAKilledGpuProcessCostAnAttemptAndNoMore) {
  // Given a job in the middle, when its WebGPU device is destroyed, and later the browser's GPU process is killed, then the device comes back
  // each time in the same page under the same lease, and the job ends well.
  DevToolsFarm farm;
  HoneProcess tune(farm.tune(30));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  DevTools tools(farm.folder.path());
  int64_t before = farm.attempts();
  // In the middle of the next candidate: the commands that it makes are for a device that is gone.
  tools.evaluate("device",
                 "const make = GPUDevice.prototype.createCommandEncoder;"
                 "GPUDevice.prototype.createCommandEncoder = function (...a) {"
                 "  GPUDevice.prototype.createCommandEncoder = make; this.destroy(); return make.apply(this, a); }; 0");
  ASSERT_TRUE(wait_until(seconds(30), [&] { return farm.outcomes("device_lost") == 1; })) << tune.err();
  ASSERT_TRUE(farm.measured(before + 8)) << tune.err();
  std::vector<pid_t> gpu = descendants(farm.agent->pid(), "--type=gpu-process");
  ASSERT_EQ(gpu.size(), 1u);
  kill(gpu[0], SIGKILL);
  expect_done(farm, tune, 30);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases"), 1);
  EXPECT_EQ(farm.agent->err().find("restarted"), std::string::npos) << farm.agent->err();
}

TEST(DeviceFaults, AClosedTabIsOpenedAgainAndTheJobGoesOn) {
  // Given a job in the middle, when the agent's tab is closed and its browser is not, then `hone agent` says so and starts another, and the job
  // ends well with each candidate measured once.
  DevToolsFarm farm;
  HoneProcess tune(farm.tune(30));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  DevTools(farm.folder.path()).close();
  expect_done(farm, tune, 30);
  EXPECT_NE(farm.agent->err().find("restarted"), std::string::npos) << farm.agent->err();
}

TEST(DeviceFaults, NothingIsTimedInAHiddenTab) {
  // Given another tab in front of the agent's, when a job begins, then the fleet shows it and candidates are unstable instead of timed; when the
  // agent's tab is in front again, then the job goes on and ends well.
  DevToolsFarm farm;
  DevTools tools(farm.folder.path());
  tools.cover();
  ASSERT_TRUE(wait_until(seconds(10), [&] { return farm.devices()[0]["visible"] == false; })) << farm.devices();
  HoneProcess tune(farm.tune(40));
  EXPECT_TRUE(wait_until(seconds(60), [&] { return farm.outcomes("unstable") >= 3; })) << tune.err();
  EXPECT_EQ(farm.outcomes("ok"), 0);
  tools.uncover();
  EXPECT_TRUE(wait_until(seconds(10), [&] { return farm.devices()[0]["visible"] == true; })) << farm.devices();
  expect_done(farm, tune, 40);
  EXPECT_GT(query_number(farm.db(), "SELECT count(*) FROM attempts WHERE message LIKE 'the page was hidden%'"), 0);
}

TEST(DeviceFaults, LackOfMemoryIsAnOutcomeAndTheJobGoesOn) {
  // Given a device without memory for the buffers of a task, when a job begins, then its first candidates are out_of_memory with the driver's
  // words; when there is memory again, then they are tried again and the job ends well.
  DevToolsFarm farm;
  DevTools tools(farm.folder.path());
  // No driver has 256 GiB: its refusal falls into the error scope of the task's buffers.
  tools.evaluate("device",
                 "const make = GPUDevice.prototype.createBuffer; let left = 2;"
                 "GPUDevice.prototype.createBuffer = function (what) {"
                 "  if (left-- > 0) this.createTexture({ size: [8192, 8192, 256], format: 'rgba32float', usage: 4 });"
                 "  return make.call(this, what); }; 0");
  HoneProcess tune(farm.tune(8));
  expect_done(farm, tune, 8);
  EXPECT_GT(farm.outcomes("out_of_memory"), 0);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM attempts WHERE outcome = 'out_of_memory' AND message = ''"),
            0);
}

}  // namespace
}  // namespace hone::e2e
