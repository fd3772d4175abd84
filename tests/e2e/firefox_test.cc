// Firefox as the device: the binary, its embedded service, a real headless Firefox on a virtual display.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/checked_model.h"
#include "tests/e2e/farm.h"
#include "tests/e2e/halved_constants.h"
#include "tests/e2e/tuned_operator.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

HoneProcess::Config command(const TempFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--browser", "firefox", "--json"});
  return hone_in(folder, std::move(arguments));
}

TEST(Firefox, AnOperatorIsTunedAndASecondRunGoesOnFromTheRecords) {
  // Given no service, when an operator is tuned for WebGPU in Firefox, then its kernels are right, have times by the GPU's own stamps, and the
  // records name Firefox; when the command is repeated, then nothing is measured again.
  TempFolder folder;
  const HoneProcess::Config config = command(folder, {"tune", "--op", "matmul:64x64x64", "--trials", "6"});
  HoneProcess first(config);
  const auto result = expect_tuned(first, folder / "hone.db", 6, "timestamp");
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "webgpu");
  EXPECT_EQ(result["device"]["browser"], "firefox");
  HoneProcess second(config);
  ASSERT_EQ(second.wait(seconds(120)), 0) << second.err();
  const auto again = nlohmann::json::parse(second.out(), nullptr, false);
  EXPECT_LE(again["trials_new"], result["tasks"][0]["errors"].value("unstable", 0));
  EXPECT_EQ(again["device"]["key"], result["device"]["key"]);
}

TEST(Firefox, CopiesAreKeptAsF16WhereTheTolerancePermits) {
  // Given Firefox, whose device has shader-f16, when a product is tuned that may err by 0.004, then kernels that keep copies as f16 are among those that
  // are right.
  TempFolder folder;
  HoneProcess tune(command(folder, {"tune", "--op", "matmul:64x64x64", "--trials", "32", "--tolerance", "0.004"}));
  ASSERT_EQ(tune.wait(seconds(180)), 0) << tune.err();
  const auto result = nlohmann::json::parse(tune.out(), nullptr, false);
  ASSERT_TRUE(result.is_object()) << tune.out();
  EXPECT_NE(result["device"]["features"].dump().find("shader-f16"), std::string::npos);
  expect_no_fault_of_ours(result["tasks"][0]);
  EXPECT_GT(trials_with(folder, "\"precision\""), 0);
}

TEST(Firefox, SumsAreInF16WhereTheToleranceBearsThem) {
  // Given the same device, when a product is tuned that may err by 0.01, by draws that no measured time can change, then kernels whose sums of 16 terms are of
  // f16 are among those that are right, and none is wrong. (A processor that emulates f16 may take longer for some than a candidate may.)
  TempFolder folder;
  HoneProcess tune(command(folder, {"tune", "--op", "matmul:64x64x64", "--trials", "32", "--tolerance", "0.01",
                                    "--strategy", "random", "--seed", "9"}));
  ASSERT_EQ(tune.wait(seconds(180)), 0) << tune.err();
  const auto result = nlohmann::json::parse(tune.out(), nullptr, false);
  ASSERT_TRUE(result.is_object()) << tune.out();
  nlohmann::json task = result["tasks"][0];
  task["errors"].erase("timeout");
  expect_no_fault_of_ours(task);
  EXPECT_GT(trials_with(folder, "sums=f16"), 0);
}

TEST(Firefox, AConstantOfHalvesHasHalfTheBytes) { expect_halved_constant({"--browser", "firefox"}); }

TEST(Firefox, WebAssemblyIsTunedToo) {
  // Given no service, when an operator is tuned for WebAssembly in Firefox, then its kernels are right, on threads and with SIMD.
  TempFolder folder;
  HoneProcess tune(command(folder, {"tune", "--op", "matmul:64x64x64", "--trials", "4", "--target", "wasm"}));
  const auto result = expect_tuned(tune, folder / "hone.db", 4);
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["device"]["browser"], "firefox");
  const std::string features = result["device"]["features"].dump();
  EXPECT_NE(features.find("simd128"), std::string::npos) << features;
  EXPECT_NE(features.find("threads"), std::string::npos) << features;
}

TEST(Firefox, AModelRunsAsTheReferenceSays) {
  // Given an encoder of 16 tokens, when it is run and checked in Firefox, then the outputs agree with the reference.
  TempFolder folder;
  const auto result = expect_model_right(folder, {"--browser", "firefox"});
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "webgpu");
}

TEST(Firefox, ABrowserThatDiesIsReplaced) {
  // Given a farm whose agent is in Firefox, when that Firefox is killed, then another one takes its place, and a job is done on it; when the agent
  // ends, then neither browser nor display is left.
  Farm farm;
  farm.start_agent_with({"--browser", "firefox"});
  EXPECT_EQ(farm.present()[0]["kind"], "firefox-webgpu");
  const std::vector<pid_t> first = descendants(farm.agent->pid(), "--headless");
  ASSERT_FALSE(first.empty()) << farm.agent->err();
  ASSERT_EQ(kill(first[0], SIGKILL), 0);
  ASSERT_TRUE(wait_until(seconds(40), [&] {
    const std::vector<pid_t> now = descendants(farm.agent->pid(), "--headless");
    return !now.empty() && now[0] != first[0] && farm.is_idle();
  })) << farm.agent->err();
  HoneProcess tune(farm.tune(4));
  expect_done(farm, tune, 4);

  std::vector<pid_t> children = descendants(farm.agent->pid(), "--headless");
  for (pid_t display : descendants(farm.agent->pid(), "Xvfb")) children.push_back(display);
  farm.agent->signal(SIGTERM);
  EXPECT_EQ(farm.agent->wait(seconds(20)), 130);
  for (pid_t child : children) EXPECT_TRUE(wait_until(seconds(10), [&] { return !is_alive(child); })) << child;
}

}  // namespace
}  // namespace hone::e2e
