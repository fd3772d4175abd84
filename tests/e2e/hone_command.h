// `hone` as a test runs it, and what any of its reports must say.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/hone_process.h"

namespace hone::e2e {

// In a folder, with this build's agent, a cache and an authority of its own, none of the services that the user runs, and a Chromium without developer features.
inline HoneProcess::Config hone_in(const TempFolder& folder, std::vector<std::string> arguments) {
  const char* path = std::getenv("PATH");
  return {
      .arguments = std::move(arguments),
      .folder = folder.path(),
      .environment = {{"HONE_AGENT_DIR", HONE_AGENT_FILES},
                      {"HONE_CACHE_DIR", folder / "cache"},
                      {"HONE_TLS_DIR", folder / "tls"},
                      {"XDG_RUNTIME_DIR", folder.path()},
                      {"PATH", std::string(HONE_SOURCE "/tests/e2e/stock_browser:") + (path == nullptr ? "" : path)}}};
}

// With the flags of hone's launcher as they are, which give Chromium's timestamps steps of a nanosecond.
inline HoneProcess::Config with_developer_features(HoneProcess::Config config) {
  config.environment.erase("PATH");
  return config;
}

// A busy machine drifts, and `unstable` is then the honest outcome of a candidate; any other error is one of ours.
inline void expect_no_fault_of_ours(const nlohmann::json& task) {
  for (const auto& [name, count] : task["errors"].items())
    EXPECT_TRUE(name == "unstable" || name.starts_with("pruned_")) << task["op"] << ": " << name << ": " << count;
}

}  // namespace hone::e2e
