// Farm: `hone up` and one `hone agent` with a real headless Chromium, as processes of their own.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/e2e/hone_command.h"
#include "tests/e2e/record_check.h"

namespace hone::e2e {

struct Farm {
  HoneProcess::Config command(std::vector<std::string> arguments) const {
    return hone_in(folder, std::move(arguments));
  }
  Farm() { start_service("0"); }

  void start_service(const std::string& port) {
    up = std::make_unique<HoneProcess>(command({"up", "--port", port}));
    EXPECT_TRUE(wait_until(std::chrono::seconds(20), [&] { return up->out().find('\n') != std::string::npos; }))
        << up->err();
    url = up->out().substr(0, up->out().find('\n'));
  }
  // Through another address (a proxy), or with another browser, where they are given.
  void start_agent(const std::string& through = "", const std::string& browser = "") {
    std::vector<std::string> more;
    if (!browser.empty()) more = {"--browser", browser};
    start_agent_with(more, through);
  }
  void start_agent_with(const std::vector<std::string>& more, const std::string& through = "") {
    std::vector<std::string> arguments{"agent", "--tracker", through.empty() ? url : through};
    arguments.insert(arguments.end(), more.begin(), more.end());
    agent = std::make_unique<HoneProcess>(command(arguments));
    EXPECT_TRUE(wait_until(std::chrono::seconds(40), [&] { return device_is("ready"); })) << agent->err();
  }
  HoneProcess::Config tune(int trials, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{
        "tune", "--op", "matmul:64x64x64", "--json", "--trials", std::to_string(trials), "--tracker", url};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return command(arguments);
  }
  std::string port() const {
    size_t begin = url.find(':', url.find("//")) + 1;
    return url.substr(begin, url.find('/', begin) - begin);
  }
  std::string db() const { return folder / "hone.db"; }

  nlohmann::json devices() const {
    HoneProcess ask(command({"devices", "--tracker", url, "--json"}));
    EXPECT_EQ(ask.wait(std::chrono::seconds(20)), 0) << ask.err();
    return nlohmann::json::parse(ask.out(), nullptr, false)["devices"];
  }
  // The devices whose agents are connected.
  nlohmann::json present() const {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& device : devices())
      if (device["state"] != "gone") list.push_back(device);
    return list;
  }
  // There is one, in this state.
  bool device_is(const std::string& state) const {
    nlohmann::json list = present();
    return list.size() == 1 && list[0]["state"] == state;
  }
  // There is one, ready and leased to nobody.
  bool is_idle() const {
    nlohmann::json list = present();
    return list.size() == 1 && list[0]["state"] == "ready" && !list[0].contains("lease");
  }

  TempFolder folder;
  std::unique_ptr<HoneProcess> up, agent;
  std::string url;
};

// The job ended well with all its trials, each measured once; the device is free, and no lease is open.
inline void expect_done(const Farm& farm, HoneProcess& tune, int trials) {
  ASSERT_EQ(tune.wait(std::chrono::seconds(120)), 0) << tune.err();
  auto result = nlohmann::json::parse(tune.out());
  EXPECT_EQ(result["tasks"][0]["trials"], trials);
  EXPECT_GT(result["tasks"][0]["best_ms"], 0);
  expect_sound(farm.db());
  expect_each_once(farm.db());
  EXPECT_TRUE(wait_until(std::chrono::seconds(10), [&] { return farm.is_idle(); })) << farm.devices();
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases WHERE ended_unix_ms = 0"), 0);
}

}  // namespace hone::e2e
