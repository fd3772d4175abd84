// OpenGL's and OpenCL's kernels without a browser: the binary, its embedded service, the agent that runs them in a process of its own.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "tests/e2e/farm.h"
#include "tests/e2e/record_check.h"
#include "tests/e2e/tuned_operator.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

// The name of the target.
class RunnerAgent : public testing::TestWithParam<const char*> {
 protected:
  static HoneProcess::Config tune(const TempFolder& folder) {
    return hone_in(folder, {"tune", "--op", "matmul:96x96x96", "--trials", "6", "--target", GetParam(), "--json"});
  }
  static std::string runner() { return cat("hone_", GetParam(), "_runner"); }
};
INSTANTIATE_TEST_SUITE_P(Targets, RunnerAgent, testing::Values("opengl", "opencl"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(RunnerAgent, AnOperatorIsTuned) {
  // Given no service, when an operator is tuned for the target, then its kernels are right and have times by the runner's clock, and the records
  // name the driver; the same command once more measures nothing.
  TempFolder folder;
  HoneProcess first(tune(folder));
  const auto result = expect_tuned(first, folder / "hone.db", 6);
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], GetParam());
  EXPECT_EQ(result["device"]["target"], GetParam());
  EXPECT_EQ(result["device"]["browser"], "native");
  EXPECT_NE(result["device"]["device"], "");
  EXPECT_GT(result["trials_new"], 0);
  HoneProcess second(tune(folder));
  const auto again = expect_tuned(second, folder / "hone.db", 6);
  ASSERT_TRUE(again.is_object());
  EXPECT_EQ(again["trials_new"], 0);
}

TEST_P(RunnerAgent, ARunnerThatDiesIsReplaced) {
  // Given a farm with such an agent, when its runner is killed, then the agent starts another one, and a job is done on it.
  Farm farm;
  farm.start_agent_with({"--browser", "native", "--target", GetParam()});
  EXPECT_EQ(farm.present()[0]["kind"], cat("native-", GetParam()));
  const std::vector<pid_t> first = descendants(farm.agent->pid(), runner());
  ASSERT_FALSE(first.empty()) << farm.agent->err();
  ASSERT_EQ(kill(first.back(), SIGKILL), 0);
  ASSERT_TRUE(wait_until(seconds(40), [&] {
    const std::vector<pid_t> now = descendants(farm.agent->pid(), runner());
    return !now.empty() && now.back() != first.back() && farm.is_idle();
  })) << farm.agent->err();
  HoneProcess job(farm.tune(4, {"--target", GetParam()}));
  expect_done(farm, job, 4);
}

TEST_P(RunnerAgent, BrowsersAreRefused) {
  // Given a browser, when it is to run such kernels, then it is wrong usage with one sentence that says what to give.
  TempFolder folder;
  HoneProcess refused(
      hone_in(folder, {"tune", "--op", "matmul:64x64x64", "--browser", "chromium", "--target", GetParam()}));
  EXPECT_EQ(refused.wait(seconds(20)), 2);
  EXPECT_NE(refused.err().find("--browser native"), std::string::npos) << refused.err();
}

}  // namespace
}  // namespace hone::e2e
