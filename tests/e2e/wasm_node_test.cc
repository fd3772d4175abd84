// WebAssembly without a browser: the binary, its embedded service, the agent on Node.js.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/farm.h"
#include "tests/e2e/record_check.h"
#include "tests/e2e/tuned_operator.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

HoneProcess::Config command(const TempFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--browser", "node", "--json"});
  return hone_in(folder, std::move(arguments));
}

TEST(WasmNode, AnOperatorIsTuned) {
  // Given no service and no browser, when an operator is tuned for WebAssembly on Node.js, then its kernels are right and have times, and
  // the records name Node.js.
  TempFolder folder;
  HoneProcess tune(command(folder, {"tune", "--op", "matmul:64x64x64", "--trials", "6", "--target", "wasm"}));
  const auto result = expect_tuned(tune, folder / "hone.db", 6);
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "wasm");
  EXPECT_EQ(result["device"]["target"], "wasm");
  EXPECT_EQ(result["device"]["browser"], "node");
  EXPECT_GE(result["device"]["browser_major"], 18);
  EXPECT_EQ(result["device"]["os"], "linux");
}

TEST(WasmNode, WithoutSimdKernelsTakeOneNumberAtATime) {
  // Given an engine without SIMD (V8 has none where the processor lacks SSE 4.1), when an operator is tuned, then its kernels are right, and
  // no vector is in them.
  TempFolder folder;
  const std::string old_node = folder / "node";
  std::ofstream(old_node) << "#!/bin/sh\nexec node --no-enable-sse4-1 \"$@\"\n";
  std::filesystem::permissions(old_node, std::filesystem::perms::owner_all);
  HoneProcess::Config config =
      command(folder, {"tune", "--op", "matmul:64x64x64", "--trials", "6", "--target", "wasm"});
  *std::find(config.arguments.begin(), config.arguments.end(), "node") = old_node;
  HoneProcess tune(config);
  ASSERT_EQ(tune.wait(seconds(120)), 0) << tune.err();
  const auto result = nlohmann::json::parse(tune.out(), nullptr, false);
  ASSERT_TRUE(result.is_object()) << tune.out();
  EXPECT_EQ(result["device"]["features"].dump().find("simd"), std::string::npos) << result["device"];
  EXPECT_GT(result["tasks"][0]["best_ms"], 0);
  expect_sound(folder / "hone.db");
  EXPECT_EQ(query_number(folder / "hone.db", "SELECT count(*) FROM trials WHERE trace_json LIKE '%vectorize%'"), 0);
}

TEST(WasmNode, AnAgentThatDiesIsReplaced) {
  // Given a farm whose agent is on Node.js, when that process is killed, then another one takes its place, and a job is done on it.
  Farm farm;
  farm.start_agent_with({"--browser", "node", "--target", "wasm"});
  const std::vector<pid_t> first = descendants(farm.agent->pid(), "node_agent.mjs");
  ASSERT_EQ(first.size(), 1u) << farm.agent->err();
  ASSERT_EQ(kill(first[0], SIGKILL), 0);
  ASSERT_TRUE(wait_until(seconds(40), [&] {
    const std::vector<pid_t> now = descendants(farm.agent->pid(), "node_agent.mjs");
    return now.size() == 1 && now[0] != first[0] && farm.is_idle();
  })) << farm.agent->err();
  HoneProcess tune(farm.tune(4, {"--target", "wasm"}));
  expect_done(farm, tune, 4);
}

}  // namespace
}  // namespace hone::e2e
