// `hone up`, `hone agent`, `hone devices` and `hone tune --tracker` as separate processes, with a real Chromium.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "tests/e2e/farm.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

TEST(Agent, AFleetOfOneIsListedAndTunes) {
  // Given a service and an agent, when the fleet is listed, then its device is ready and free; when an operator is tuned on it by its kind,
  // then the job ends well, the records lie in the service's database, and the device is free again.
  Farm farm;
  farm.start_agent();
  auto device = farm.devices()[0];
  EXPECT_EQ(device["kind"], "chromium-webgpu");
  EXPECT_EQ(device["fingerprint"]["target"], "webgpu");
  EXPECT_FALSE(device.contains("lease"));
  HoneProcess tune(farm.command({"tune", "--op", "matmul:64x64x64", "--trials", "6", "--json", "--tracker", farm.url,
                                 "--device", "chromium-webgpu"}));
  ASSERT_EQ(tune.wait(seconds(120)), 0) << tune.err();
  EXPECT_EQ(nlohmann::json::parse(tune.out())["device"]["key"], device["device_key"]);
  expect_sound(farm.folder / "hone.db");
  EXPECT_TRUE(wait_until(seconds(5), [&] { return !farm.devices()[0].contains("lease"); }));

  HoneProcess wrong(farm.command(
      {"tune", "--op", "matmul:64x64x64", "--tracker", farm.url, "--device", "vendor=nobody", "--wait", "0.5"}));
  EXPECT_EQ(wrong.wait(seconds(20)), 3) << wrong.err();

  farm.up->signal(SIGTERM);
  EXPECT_EQ(farm.up->wait(seconds(15)), 0) << farm.up->err();
}

TEST(Agent, AnAgentOfWebAssemblyIsListed) {
  // Given an agent that is asked for WebAssembly, when the fleet is listed, then its device runs such kernels, with threads, because the
  // service isolates its page, and with the clock around them.
  Farm farm;
  farm.start_agent_with({"--target", "wasm"});
  auto device = farm.devices()[0];
  EXPECT_EQ(device["kind"], "chromium-wasm");
  EXPECT_EQ(device["fingerprint"]["target"], "wasm");
  const auto& features = device["fingerprint"]["features"];
  for (const char* feature : {"simd128", "relaxed-simd", "threads"})
    EXPECT_NE(std::find(features.begin(), features.end(), feature), features.end()) << features;
  EXPECT_EQ(device["timer"]["method"], "clock");
  EXPECT_LE(device["timer"]["quantum_ns"], 10'000);
}

TEST(Agent, AHungBrowserIsReplacedWithinFifteenSeconds) {
  // Given an agent whose browser hangs (stopped, so that its sockets stay open and silent), when its heartbeats are missed, then another
  // browser runs within 15 seconds of the hang and its device is ready again.
  Farm farm;
  farm.start_agent();
  std::vector<pid_t> hung = descendants(farm.agent->pid(), "chromium");
  ASSERT_FALSE(hung.empty());
  for (pid_t pid : hung) kill(pid, SIGSTOP);
  auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(wait_until(seconds(30), [&] { return farm.agent->err().find("restarted") != std::string::npos; }))
      << farm.agent->err();
  auto told_s = std::chrono::duration_cast<seconds>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LE(told_s, 15);
  EXPECT_TRUE(wait_until(seconds(5), [&] { return descendants(farm.agent->pid(), "--headless").size() > 0; }));
  EXPECT_TRUE(wait_until(seconds(40), [&] { return farm.device_is("ready"); })) << farm.agent->err();
  farm.agent->signal(SIGINT);
  EXPECT_EQ(farm.agent->wait(seconds(10)), 130) << farm.agent->err();
}

}  // namespace
}  // namespace hone::e2e
