// Native kernels: the binary, its embedded service, the agent that runs them in a process of its own.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/farm.h"
#include "tests/e2e/record_check.h"
#include "tests/e2e/tuned_operator.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

HoneProcess::Config command(const TempFolder& folder, std::vector<std::string> arguments) {
  arguments.push_back("--json");
  return hone_in(folder, std::move(arguments));
}

TEST(Native, AnOperatorIsTuned) {
  // Given no service, when an operator is tuned for this machine's CPU, then its kernels are right and have times by the runner's clock, and
  // the records name the processor.
  TempFolder folder;
  HoneProcess tune(command(folder, {"tune", "--op", "matmul:96x96x96", "--trials", "8", "--target", "native"}));
  const auto result = expect_tuned(tune, folder / "hone.db", 8);
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "native");
  EXPECT_EQ(result["device"]["target"], "native");
  EXPECT_EQ(result["device"]["browser"], "native");
  EXPECT_EQ(result["device"]["os"], "linux");
  EXPECT_NE(result["device"]["architecture"], "");
}

TEST(Native, AModelIsRun) {
  // Given a model, when it is run natively with a check, then its outputs are the reference's.
  TempFolder folder;
  ASSERT_EQ(
      std::system(
          (std::string(HONE_SOURCE) + "/scripts/gen_model encoder --size 16 --out " + (folder / "m.onnx")).c_str()),
      0);
  HoneProcess run(command(folder, {"run", folder / "m.onnx", "--target", "native", "--check"}));
  ASSERT_EQ(run.wait(seconds(300)), 0) << run.err();
  const auto result = nlohmann::json::parse(run.out(), nullptr, false);
  EXPECT_LT(result["check"]["max_error"], 1e-4) << run.out();
}

TEST(Native, ARunnerThatDiesIsReplaced) {
  // Given a farm with a native agent, when its runner is killed, then the agent starts another one, and a job is done on it.
  Farm farm;
  farm.start_agent_with({"--browser", "native"});
  EXPECT_EQ(farm.present()[0]["kind"], "native");
  const std::vector<pid_t> first = descendants(farm.agent->pid(), "hone_native_runner");
  ASSERT_FALSE(first.empty()) << farm.agent->err();
  ASSERT_EQ(kill(first.back(), SIGKILL), 0);
  ASSERT_TRUE(wait_until(seconds(40), [&] {
    const std::vector<pid_t> now = descendants(farm.agent->pid(), "hone_native_runner");
    return !now.empty() && now.back() != first.back() && farm.is_idle();
  })) << farm.agent->err();
  HoneProcess tune(farm.tune(4, {"--target", "native"}));
  expect_done(farm, tune, 4);
}

TEST(Native, OtherTargetsAreRefused) {
  // Given the native agent, when kernels of another kind are asked for, then it is wrong usage with one sentence that says what to give.
  TempFolder folder;
  HoneProcess tune(command(folder, {"tune", "--op", "matmul:64x64x64", "--browser", "native", "--target", "wasm"}));
  EXPECT_EQ(tune.wait(seconds(20)), 2);
  EXPECT_NE(tune.err().find("--target native"), std::string::npos) << tune.err();
}

}  // namespace
}  // namespace hone::e2e
