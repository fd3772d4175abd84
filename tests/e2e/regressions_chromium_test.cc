// A model that became slower, found by the whole way: a bisection in git, and a history whose suspicion is confirmed, in a real headless Chromium.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/json_schema.h"

namespace hone::e2e {
namespace {

using nlohmann::json;

void run_shell(const TempFolder& folder, const std::string& command) { ASSERT_EQ(std::system(("cd '" + folder.path() + "' && " + command).c_str()), 0) << command; }

void write_model(const TempFolder& folder, const std::string& name, int more) {
  run_shell(folder, "/usr/bin/python3 '" HONE_SOURCE "/tests/e2e/chain_model.py' " + name + " " + std::to_string(more));
}

void commit(const TempFolder& folder, const std::string& subject) {
  run_shell(folder, "git add model.onnx && git -c user.name=t -c user.email=t@localhost -c commit.gpgsign=false commit --quiet --allow-empty -m " + subject);
}

TEST(RegressionsChromium, ABisectionFindsTheCommit) {
  // Given four commits with a model, the third of which makes it half as slow again, when they are bisected, then it is that one; the output is as its schema says, and no work tree is left.
  TempFolder folder;
  write_model(folder, "model.onnx", 0);
  run_shell(folder, "git init --quiet");
  commit(folder, "first"), commit(folder, "second");
  write_model(folder, "model.onnx", 3);
  commit(folder, "slower"), commit(folder, "fourth");
  HoneProcess bisect(hone_in(folder, {"bench", "bisect", "HEAD~3", "HEAD", "--build", "model.onnx", "--target", "wasm", "--fail-on-regression", "15%", "--json", "--quiet", "--", "true"}));
  ASSERT_EQ(bisect.wait(std::chrono::seconds(400)), 0) << bisect.err();
  EXPECT_EQ(faults_by_schema(folder, "bench_bisect", bisect.out()), "") << bisect.out();
  const json found = json::parse(bisect.out());
  ASSERT_FALSE(found["steps"].empty());
  ASSERT_TRUE(found["first_bad"].is_string()) << found;
  for (const json& step : found["steps"])
    EXPECT_EQ(step["commit"] == found["first_bad"], step["title"].get<std::string>().ends_with("slower")) << found;
  EXPECT_FALSE(std::filesystem::exists(folder / ".git/worktrees"));
}

// The night's report with a time of 2 ms, or of 3 ms where it is slower: what the nights before it would have had.
void write_night(const TempFolder& folder, int night, json report, bool slower) {
  report["started_unix_ms"] = 1'796'000'000'000 + 86'400'000ll * night;
  json& result = report["cases"][0]["results"][0];
  result["started_unix_ms"] = report["started_unix_ms"];
  result["new_times"]["median_ms"] = (slower ? 3.0 : 2.0) + 0.01 * (night % 3);
  const std::string path = folder / ("nights/" + std::to_string(night));
  std::filesystem::create_directories(path);
  std::ofstream(path + "/report.json") << report;
}

TEST(RegressionsChromium, AHistorysSuspicionIsConfirmed) {
  // Given thirty nights of which the fifteenth and the sixteenth have kept their builds, the later one half as slow again, when the history is asked to confirm, then the suspicion is, and the exit code is 1.
  TempFolder folder;
  for (const int night : {14, 15}) {
    write_model(folder, "model.onnx", night == 14 ? 0 : 3);
    const std::string path = folder / ("nights/" + std::to_string(night));
    HoneProcess bench(hone_in(folder, {"bench", folder / "model.onnx", "--target", "wasm", "--runs", "2", "--keep", path + "/builds", "--report", "json=" + path + "/report.json", "--quiet"}));
    ASSERT_EQ(bench.wait(std::chrono::seconds(120)), 0) << bench.err();
  }
  const json report = json::parse(std::ifstream(folder / "nights/15/report.json"));
  for (int night = 0; night < 30; ++night) write_night(folder, night, report, night >= 15);
  const json history = json::parse(expect_schema(folder, "bench_history", {"bench", "history", folder / "nights", "--confirm", "--fail-on-regression", "3%"}, 1));
  ASSERT_EQ(history["changes"].size(), 1u) << history;
  EXPECT_EQ(history["changes"][0]["confirmation"]["confirmed"], "yes") << history;
  EXPECT_EQ(history["changes"][0]["confirmation"]["comparison"]["verdict"], "slower");
}

}  // namespace
}  // namespace hone::e2e
